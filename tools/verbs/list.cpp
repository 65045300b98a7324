// SPDX-License-Identifier: Apache-2.0
// gathercheck list: what there is - cases, rules, operator versions, implementations, and how many.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/report/report.hpp"
#include "conformance/select/filter_check.hpp"
#include "conformance/select/select.hpp"
#include "conformance/util/capped.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/operator_table.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct ListVerb {
    std::string what = "cases";  ///< "cases", "counts", "rules", "operators" or "implementations"
    std::vector<std::string> cases;
    std::vector<std::string> filters;
    std::string sweeps = "written";
    std::string format = "text";
    std::vector<BuiltIn> more;  ///< in-process implementations beside the shipped ones
};

/// Longer cells push the rest of their row to the right, not that of all rows.
constexpr std::size_t most_of_column = 48;

using Object = nlohmann::ordered_json;

/// What a terminal shows of a line in one row, "..." in place of the rest; all of it elsewhere.
std::string fitting(const std::string& line) {
    winsize size{};
    const bool is_terminal = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 8;
    if (!is_terminal || line.size() <= size.ws_col) return line;
    return shortened(line, size.ws_col - 3U);
}

/// Prints rows as aligned text, or as a JSON list of objects with `keys` for names.
void print_rows(const std::vector<std::string>& keys,
                const std::vector<std::vector<std::string>>& rows, bool json) {
    if (json) {
        Object list = Object::array();
        for (const auto& row : rows) {
            Object entry = Object::object();
            for (std::size_t k = 0; k < keys.size(); ++k) entry[keys[k]] = row[k];
            list.push_back(std::move(entry));
        }
        std::printf("%s\n", list.dump(2).c_str());
        return;
    }
    std::vector<std::size_t> widths(keys.size());
    for (const auto& row : rows) {
        for (std::size_t k = 0; k + 1 < row.size(); ++k) {
            widths[k] = std::min(std::max(widths[k], row[k].size()), most_of_column);
        }
    }
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t k = 0; k < row.size(); ++k) {
            line += row[k];
            if (k + 1 == row.size()) break;
            line.append(2 + widths[k] - std::min(widths[k], row[k].size()), ' ');
        }
        std::printf("%s\n", fitting(printable(line)).c_str());
    }
}

std::string joined(const std::vector<OperatorVersion>& versions) {
    std::string text;
    for (const OperatorVersion version : versions) {
        text += (text.empty() ? "" : " ") + std::string(name(version));
    }
    return text;
}

std::vector<const Case*> selected(const ListVerb& options, const LoadedSuite& loaded,
                                  const Filter& filter) {
    return select_cases(loaded.suite.cases, filter, *sweeps(options.sweeps), Shard{});
}

int list_cases(const ListVerb& options, const LoadedSuite& loaded, const Filter& filter,
               bool json) {
    std::vector<std::vector<std::string>> rows;
    for (const Case* tested : selected(options, loaded, filter)) {
        std::vector<OperatorVersion> versions;
        for (const Expectation& expectation : tested->expect) {
            for (const OperatorVersion version : expectation.versions) {
                if (filter.matches(*tested, version)) versions.push_back(version);
            }
        }
        if (versions.empty()) continue;
        std::string after;
        for (const std::string& id : tested->after) after += (after.empty() ? "" : " ") + id;
        if (json) {
            rows.push_back({tested->id, joined(versions), tested->title, after});
        } else {
            if (!after.empty()) after = " (after " + after + ")";
            rows.push_back({tested->id, tested->title + after, short_names(versions)});
        }
    }
    print_rows({"id", "operators", "title", "after"}, rows, json);
    return 0;
}

/// How many cases and expectations share something: an operator version, a rule, a type.
struct Count {
    std::set<const Case*> hand_written;
    std::set<const Case*> swept;
    std::int64_t expectations = 0;

    void add(const Case& tested) {
        (tested.from_sweep ? swept : hand_written).insert(&tested);
        ++expectations;
    }
};

/// What an expectation may come to: "output", error categories, "unspecified".
std::set<std::string> outcomes(const Expectation& expectation) {
    std::set<std::string> names;
    if (expectation.is_unspecified()) names.insert("unspecified");
    for (const Alternative& alternative : expectation.alternatives) {
        const auto* error = std::get_if<ExpectedError>(&alternative);
        names.insert(error == nullptr ? "output" : std::string(name(error->category)));
    }
    return names;
}

using Counts = std::vector<std::pair<std::string, std::map<std::string, Count>>>;

/// The counts by each thing that tells cases apart. An expectation of several operator versions
/// counts once for each, one of several alternatives for the outcome of each.
Counts count(const std::vector<const Case*>& cases, const Filter& filter,
             const RuleCatalogue& rules) {
    Counts counts{{"all", {}},  {"operator", {}}, {"outcome", {}},
                  {"data", {}}, {"indices", {}},  {"rule", {}}};
    for (const Case* tested : cases) {
        for (const Expectation& expectation : tested->expect) {
            for (const OperatorVersion version : expectation.versions) {
                if (!filter.matches(*tested, version)) continue;
                counts[0].second["all"].add(*tested);
                counts[1].second[std::string(name(version))].add(*tested);
                for (const std::string& outcome : outcomes(expectation)) {
                    counts[2].second[outcome].add(*tested);
                }
                for (const NamedTensorSpec& input : tested->inputs) {
                    const std::string type(name(input.tensor.descriptor.type));
                    if (input.name == "data") counts[3].second[type].add(*tested);
                    if (input.name == "indices") counts[4].second[type].add(*tested);
                }
                for (const std::string& id : expectation.rules) {
                    const Rule* rule = rules.find(id);
                    if (rule != nullptr && rule->version == version) {
                        counts[5].second[id].add(*tested);
                    }
                }
            }
        }
    }
    return counts;
}

/// Executions are those of a run of what runs by default and can run here.
int list_counts(const ListVerb& options, const LoadedSuite& loaded, const Filter& filter,
                bool json) {
    std::int64_t runners = 0;
    for (const KnownImplementation& known : known_implementations(options.more)) {
        if (known.by_default && known.unavailable.empty()) ++runners;
    }
    Object list = Object::array();
    for (const auto& [by, counts] :
         count(selected(options, loaded, filter), filter, loaded.rules)) {
        if (!json) {
            std::printf("%s%-44s %12s %12s %12s %12s\n", by == "all" ? "" : "\n",
                        by == "all" ? "" : ("by " + by).c_str(), "hand-written", "from sweeps",
                        "expectations", "executions");
        }
        for (const auto& [what, count] : counts) {
            const std::int64_t executions = count.expectations * runners;
            if (json) {
                list.push_back({{"by", by},
                                {"name", what},
                                {"hand_written_cases", count.hand_written.size()},
                                {"swept_cases", count.swept.size()},
                                {"expectations", count.expectations},
                                {"executions", executions}});
            } else {
                std::printf("%-44s %12zu %12zu %12lld %12lld\n", what.c_str(),
                            count.hand_written.size(), count.swept.size(),
                            static_cast<long long>(count.expectations),
                            static_cast<long long>(executions));
            }
        }
    }
    if (json) std::printf("%s\n", list.dump(2).c_str());
    return 0;
}

int list_verb(const ListVerb& options) {
    const bool json = options.format == "json";
    if (options.what == "operators") {
        const auto loaded = load_suite(options.cases);
        if (!loaded) return exit_bad_input;
        std::vector<std::vector<std::string>> rows;
        for (const OperatorInfo& row : operator_versions()) {
            const OperatorWords words = operator_words(row, loaded->equations);
            rows.push_back({words.name, words.inputs, words.negative_indices, words.outside,
                            words.axis, words.batch_dims, words.index_types});
        }
        print_rows({"operator", "inputs", "negative_indices", "outside", "axis", "batch_dims",
                    "index_types"},
                   rows, json);
        return 0;
    }
    if (options.what == "implementations") {
        std::vector<std::vector<std::string>> rows;
        for (const KnownImplementation& known : known_implementations(options.more)) {
            rows.push_back({known.name, known.unavailable.empty()
                                            ? known.what
                                            : "unavailable: " + known.unavailable});
        }
        print_rows({"implementation", "what"}, rows, json);
        return 0;
    }
    auto filter = parse_filter(options.filters);
    if (const auto* why = std::get_if<std::string>(&filter)) return refuse(*why);
    const auto loaded = load_suite(options.cases);
    if (!loaded) return exit_bad_input;
    const std::string unmatched =
        unmatched_term(options.filters, loaded->suite.cases, loaded->rules);
    if (!unmatched.empty()) return refuse(unmatched);
    const Filter& terms = std::get<Filter>(filter);
    if (options.what == "cases") return list_cases(options, *loaded, terms, json);
    if (options.what == "counts") return list_counts(options, *loaded, terms, json);

    std::vector<std::vector<std::string>> rows;
    for (const auto& [id, rule] : loaded->rules.rules()) {
        bool wanted = terms.operators.empty();
        for (const std::string& pattern : terms.operators) {
            wanted = wanted || matches_pattern(pattern, name(rule.version));
        }
        bool named = terms.rules.empty();
        for (const std::string& pattern : terms.rules)
            named = named || matches_pattern(pattern, id);
        if (wanted && named) rows.push_back({id, rule.level, rule.statement});
    }
    print_rows({"id", "level", "statement"}, rows, json);
    return 0;
}

}  // namespace

void add_list_verb(const Verb& command, const CommandLine& line, int& exit_code) {
    const auto options = std::make_shared<ListVerb>();
    options->more = line.more;
    const Verb verb =
        command.add_verb("list", "What there is: cases, rules, operators, implementations");
    verb.add_option("what", options->what,
                    "cases, counts (of cases, by operator version, outcome, type and rule), rules, "
                    "operators or implementations")
        .one_of({"cases", "counts", "rules", "operators", "implementations"})
        .show_default();
    add_cases(verb, options->cases);
    add_filter(verb, options->filters);
    add_sweeps(verb, options->sweeps).show_default();
    add_format(verb, options->format);
    verb.footer(
        "Examples:\n"
        "  gathercheck list --sweeps none --filter operator=openvino.Gather-8\n"
        "  gathercheck list rules --filter 'rule=*.indices.*'\n"
        "  gathercheck list counts --format json");
    verb.callback([options, &exit_code] { exit_code = list_verb(*options); });
}

}  // namespace gathercheck
