// SPDX-License-Identifier: Apache-2.0
#include "tools/page/page_document.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

#include "conformance/mutants/diagnosis.hpp"
#include "conformance/report/history.hpp"
#include "conformance/report/policy.hpp"

namespace gathercheck {
namespace {

bool is_asked_for(const PageRecords& records, const ExecutionRecord& execution) {
    return records.implementation.empty() || records.implementation == execution.implementation;
}

/// What explains the failures of records of the cases, by implementation and execution.
Causes causes_of(const std::vector<const ExecutionRecord*>& executions, const LoadedSuite& loaded) {
    Causes causes;
    const CasesById cases(loaded.suite.cases);
    std::map<std::string, Diagnosis> diagnoses;
    for (const ExecutionRecord* execution : executions) {
        const Case* tested = loaded.suite.retyped.find(cases, execution->case_id);
        if (tested == nullptr) continue;
        diagnoses.try_emplace(execution->implementation, loaded.equations, loaded.rules)
            .first->second.add_recorded(*tested, *execution);
    }
    for (const auto& [implementation, diagnosis] : diagnoses) {
        for (auto& [key, cause] : diagnosis.explain().causes) causes.emplace(key, cause);
    }
    return causes;
}

std::vector<PolicyRow> map_of(const PageRecords& records, const LoadedSuite& loaded) {
    PolicyMap map(loaded.suite, loaded.equations, loaded.rules);
    for (const RecordFileContent& file : records.files) {
        for (const Record& record : file.records) {
            const auto* execution = std::get_if<ExecutionRecord>(&record);
            if (execution == nullptr || is_asked_for(records, *execution)) map.add(record);
        }
    }
    return map.rows();
}

}  // namespace

std::optional<LoadedSuite> suite_of(const std::vector<RecordFileContent>& files) {
    std::set<std::string> paths;
    for (const RecordFileContent& file : files) {
        for (const Record& record : file.records) {
            const auto* run = std::get_if<RunRecord>(&record);
            if (run == nullptr || !run->settings) continue;
            for (const std::string& path : run->settings->cases) {
                paths.insert((std::filesystem::path(run->settings->folder) / path).string());
            }
        }
    }
    const auto lies_here = [](const std::string& path) {
        std::error_code error;
        return std::filesystem::exists(path, error);
    };
    if (!std::ranges::all_of(paths, lies_here)) paths.clear();
    return load_suite({paths.begin(), paths.end()});
}

Causes causes_in(const PageRecords& records, const LoadedSuite* loaded) {
    const bool has_failures = std::ranges::any_of(
        records.data.tally().implementations(), [](const ImplementationTally& one) {
            return failures_of(one) + one.count(Verdict::difference) > 0;
        });
    if (!has_failures || loaded == nullptr) return {};
    std::vector<const ExecutionRecord*> executions;
    for (const RecordFileContent& file : records.files) {
        bool is_of_suite = false;
        for (const Record& record : file.records) {
            if (const auto* run = std::get_if<RunRecord>(&record)) {
                is_of_suite = run->suite_hash == loaded->suite.hash;
            }
            const auto* execution = std::get_if<ExecutionRecord>(&record);
            if (execution == nullptr || !is_of_suite) continue;
            if (is_asked_for(records, *execution)) executions.push_back(execution);
        }
    }
    return causes_of(executions, *loaded);
}

std::optional<Json> page_document(const PageRecords& records, const LoadedSuite& loaded,
                                  const Causes& causes, PageSupplements supplements) {
    const auto clarifications = load_shipped_clarifications(loaded);
    if (!clarifications) return std::nullopt;
    const auto histories =
        load_histories(loaded.installed.findings / history_folder, loaded.findings);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&histories)) {
        print_problems(*problems);
        return std::nullopt;
    }
    const std::vector<PolicyRow> map = map_of(records, loaded);
    return page_data({records.files, records.data, records.implementation, loaded, *clarifications,
                      std::get<FindingHistories>(histories), map, causes, std::move(supplements)});
}

std::optional<Json> history_in(const std::string& folder, const std::string& implementation) {
    const auto made = history_of(folder, implementation);
    if (const auto* problem = std::get_if<Problem>(&made)) {
        print_problems({*problem});
        return std::nullopt;
    }
    return history_json(std::get<History>(made));
}

}  // namespace gathercheck
