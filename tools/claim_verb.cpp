// SPDX-License-Identifier: Apache-2.0
// gathercheck claim: what one run showed, for others to read.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/claim.hpp"
#include "conformance/record_files.hpp"
#include "tools/suite.hpp"
#include "tools/verbs.hpp"

namespace gathercheck {

int claim_verb(const ClaimVerb& options) {
    const auto read = read_record_files({options.records});
    if (const auto* problem = std::get_if<Problem>(&read)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    const auto& [files, lacking] = std::get<RecordFiles>(read);
    if (!lacking.empty()) {
        print_lacking(lacking);
        refuse("a claim is made of a complete record: go on with the run by `gathercheck run "
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

}  // namespace gathercheck
