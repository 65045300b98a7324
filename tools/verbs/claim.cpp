// SPDX-License-Identifier: Apache-2.0
// gathercheck claim: what one run showed, for others to read.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/records/record_files.hpp"
#include "conformance/report/claim.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct ClaimVerb {
    std::string records;
    std::string implementation;  ///< empty: every one of the run
    std::vector<std::string> cases;
    std::string format = "markdown";
};

int claim_verb(const ClaimVerb& options) {
    const auto read = read_record_files({options.records});
    if (const auto* problem = std::get_if<Problem>(&read)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    const auto& [files, lacking] = std::get<RecordFiles>(read);
    if (!lacking.empty()) {
        print_lacking(lacking);
        refuse(
            "a claim is made of a complete record: go on with the run by `gathercheck run "
            "--resume FILE` where it was cut short, or run it anew as a whole");
        return 3;
    }
    const auto loaded = load_suite(options.cases);
    if (!loaded) return exit_bad_input;
    auto made = statements_of(files.front().records, loaded->suite);
    if (const auto* why = std::get_if<std::string>(&made)) {
        return refuse(options.records + ": " + *why +
                      "; a record is what `gathercheck run --output FILE` writes");
    }
    auto& statements = std::get<std::vector<ConformanceStatement>>(made);
    if (!options.implementation.empty()) {
        std::erase_if(statements, [&](const ConformanceStatement& one) {
            return one.implementation.name != options.implementation;
        });
        if (statements.empty()) {
            return refuse(options.records + " holds no implementation '" + options.implementation +
                          "' that started");
        }
    }
    if (options.format == "json") {
        std::fputs(claim_json(statements).c_str(), stdout);
    } else {
        for (std::size_t k = 0; k < statements.size(); ++k) {
            if (k > 0) std::puts("");
            std::fputs(claim_markdown(statements[k]).c_str(), stdout);
        }
    }
    return std::ranges::all_of(statements, &ConformanceStatement::holds) ? 0 : 1;
}

}  // namespace

void add_claim_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<ClaimVerb>();
    const Verb verb = command.add_verb(
        "claim", "The conformance statement of a run: what it showed, and what it did not");
    verb.add_option("records", options->records, "What `gathercheck run --output FILE` wrote")
        .required()
        .type_name("FILE");
    verb.add_option("--implementation", options->implementation,
                    "Only this one (default: every one of the run)")
        .type_name("NAME");
    add_cases(verb, options->cases);
    verb.add_option("--format", options->format, "markdown or json")
        .one_of({"markdown", "json"})
        .show_default();
    verb.footer(
        "Example:\n"
        "  gathercheck run --implementation onnxruntime --output run.jsonl\n"
        "  gathercheck claim run.jsonl >conformance.md\n\n"
        "Exit code: 0 every statement holds (known failures are named in it); 1 one does not; 3 "
        "the record is\nincomplete: there is no statement; 4 bad input or usage.");
    verb.callback([options, &exit_code] { exit_code = claim_verb(*options); });
}

}  // namespace gathercheck
