// SPDX-License-Identifier: Apache-2.0
// gathercheck policy: the out-of-bounds map, from a small run of its own or from records.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/records/record_files.hpp"
#include "conformance/report/policy.hpp"
#include "conformance/run/run.hpp"
#include "conformance/select/filter_check.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct PolicyVerb {
    std::vector<std::string> implementations;  ///< empty: the reference and the best target
    std::vector<std::string> records;          ///< files to read in place of a run
    std::vector<std::string> filters;
    std::string format = "text";
    double seconds_per_call = 20;
    std::vector<BuiltIn> more;  ///< in-process implementations beside the shipped ones
};

std::string policy_json(const std::vector<PolicyRow>& rows) {
    using Object = nlohmann::ordered_json;
    Object list = Object::array();
    for (const PolicyRow& row : rows) {
        Object versions = Object::array();
        for (const OperatorVersion version : row.operator_versions)
            versions.push_back(name(version));
        Object routes = Object::array();
        for (const Route& route : row.routes) routes.push_back(to_string(route));
        Object answers = Object::array();
        for (std::size_t k = 0; k < row.answers.size(); ++k) {
            const PolicyAnswer& answer = row.answers[k];
            answers.push_back({{"index", policy_questions()[k].title},
                               {"case", answer.case_id},
                               {"answer", answer.word},
                               {"standing", name(answer.standing)}});
        }
        list.push_back({{"implementation", row.implementation},
                        {"version", row.version},
                        {"operators", std::move(versions)},
                        {"routes", std::move(routes)},
                        {"answers", std::move(answers)}});
    }
    return shown_json(Object{{"policy", std::move(list)}}) + "\n";
}

/// The cases of the map by the routes whose shapes are known when a model is built.
Filter filter_of_map(const Filter& given) {
    Filter filter;
    for (const PolicyQuestion& question : policy_questions()) {
        for (const Family family : {Family::gather, Family::gather_elements, Family::gather_nd}) {
            for (const std::string& id :
                 {std::string(question.case_of(family)), question.alone_case_of(family)}) {
                if (!id.empty()) filter.cases.push_back(id);
            }
        }
    }
    filter.operators = given.operators;
    filter.routes = given.routes;
    if (filter.routes.empty()) filter.routes.emplace_back("*/static");
    return filter;
}

/// Runs the cases; the exit code is that of trouble, if there was any. That an implementation
/// departs from its specification is no trouble here.
int run_map(const PolicyVerb& options, const LoadedSuite& loaded, const Filter& filter,
            PolicyMap& map) {
    Limits limits;
    limits.seconds_per_call = options.seconds_per_call;
    std::vector<Contender> contenders;
    std::vector<std::string> names = options.implementations;
    if (names.empty()) names = {"reference", "optimized"};
    for (const std::string& name : names) {
        auto made = make_implementation(name, loaded.installed, limits, options.more);
        if (const auto* why = std::get_if<std::string>(&made)) return refuse(*why);
        Contender contender;
        contender.implementation = std::get<0>(std::move(made));
        contender.sweeps = Sweeps::none;
        contenders.push_back(std::move(contender));
    }
    RunOptions run_options;
    run_options.filter = filter;
    int exit_code = 0;
    const auto record = [&](const Record& one) {
        map.add(one);
        if (const auto* implementation = std::get_if<ImplementationRecord>(&one);
            implementation != nullptr && implementation->state != "started") {
            std::fprintf(stderr, "gathercheck: %s is %s: %s\n",
                         printable(implementation->name).c_str(), implementation->state.c_str(),
                         printable(implementation->why).c_str());
            exit_code = 3;
        }
        const auto* execution = std::get_if<ExecutionRecord>(&one);
        if (execution != nullptr && execution->verdict == Verdict::broken) {
            std::fprintf(stderr, "gathercheck: %s: case %s: %s\n",
                         printable(execution->implementation).c_str(), execution->case_id.c_str(),
                         printable(execution->detail).c_str());
            exit_code = 3;
        }
    };
    run(loaded.suite, loaded.rules, loaded.equations, contenders, run_options, record, {});
    return exit_code;
}

/// Adds the records of files that the filter leaves; the exit code is that of trouble, if there was
/// any.
int add_files(const std::vector<std::string>& paths, const Filter& filter, PolicyMap& map) {
    const auto read = read_record_files(paths);
    if (const auto* problem = std::get_if<Problem>(&read)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    const auto& [files, lacking] = std::get<RecordFiles>(read);
    const auto is_left_out = [&](const ExecutionRecord& execution) {
        const auto matches = [&](const std::string& pattern) {
            return matches_pattern(pattern, name(execution.operator_version));
        };
        return !filter.matches(execution.route) ||
               (!filter.operators.empty() && std::ranges::none_of(filter.operators, matches));
    };
    for (const RecordFileContent& file : files) {
        for (const Record& record : file.records) {
            const auto* execution = std::get_if<ExecutionRecord>(&record);
            if (execution == nullptr || !is_left_out(*execution)) map.add(record);
        }
    }
    print_lacking(lacking);
    return lacking.empty() ? 0 : 3;
}

int policy_verb(const PolicyVerb& options) {
    const auto parsed = parse_filter(options.filters);
    if (const auto* why = std::get_if<std::string>(&parsed)) return refuse(*why);
    const Filter& given = std::get<Filter>(parsed);
    if (!given.cases.empty() || !given.types.empty() || !given.rules.empty()) {
        return refuse(
            "the map is made of cases of its own: --filter takes operator=PATTERN and "
            "route=PATTERN");
    }
    const auto loaded = load_suite({});
    if (!loaded) return exit_bad_input;
    const std::string unmatched =
        unmatched_term(options.filters, loaded->suite.cases, loaded->rules);
    if (!unmatched.empty()) return refuse(unmatched);
    PolicyMap map(loaded->suite, loaded->equations, loaded->rules);
    const Filter filter = filter_of_map(given);
    int exit_code = 0;
    if (options.records.empty()) {
        exit_code = run_map(options, *loaded, filter, map);
    } else {
        exit_code = add_files(options.records, filter, map);
    }
    if (exit_code == exit_bad_input) return exit_code;
    const std::vector<PolicyRow> rows = map.rows();
    if (rows.empty()) {
        if (exit_code != 0) return exit_code;
        return refuse(
            "no case of the map was run: the filter, the records or what is claimed leave none "
            "(its calls have data of type f32 and indices of type i64, or the nearest claimed)");
    }
    const std::string text = options.format == "json"       ? policy_json(rows)
                             : options.format == "markdown" ? policy_markdown(rows)
                                                            : policy_text(rows);
    std::fputs(text.c_str(), stdout);
    return exit_code;
}

}  // namespace

void add_policy_verb(const Verb& command, const CommandLine& line, int& exit_code) {
    const auto options = std::make_shared<PolicyVerb>();
    options->more = line.more;
    const Verb verb =
        command.add_verb("policy", "What implementations do with indices out of bounds: a map");
    verb.add_option("--implementation", options->implementations,
                    "As for run (default: reference and optimized); may be repeated")
        .one_value_each()
        .type_name("NAME");
    verb.add_option("--records", options->records,
                    "Read the records of `gathercheck run --output FILE` in place of running; may "
                    "be repeated")
        .one_value_each()
        .excludes("--implementation")
        .type_name("FILE");
    verb.add_option("--filter", options->filters,
                    "operator=PATTERN or route=PATTERN (default: routes with static shapes); may "
                    "be repeated")
        .one_value_each()
        .type_name("TERM");
    verb.add_option("--time-limit", options->seconds_per_call, "Seconds that one call may take")
        .in(seconds_allowed)
        .show_default();
    verb.add_option("--format", options->format, "text, json or markdown")
        .one_of({"text", "json", "markdown"})
        .show_default();
    verb.footer(
        "Examples:\n"
        "  gathercheck policy --implementation onnxruntime --implementation openvino\n"
        "  gathercheck policy --implementation 'exec:./my_worker' --filter "
        "operator=onnx.Gather-13\n"
        "  gathercheck policy --records run.jsonl --format markdown\n\n"
        "The map is made of the cases policy-*, asked in the element types they are written in "
        "(f32, i64)\n"
        "or the nearest that an implementation claims; `gathercheck list --filter 'case=policy-*'` "
        "lists them.\n\n"
        "Exit code: 0 the map was made, whatever it shows; 3 trouble of the harness or an adapter, "
        "or incomplete\nrecords; 4 bad input or usage.");
    verb.callback([options, &exit_code] { exit_code = policy_verb(*options); });
}

}  // namespace gathercheck
