// SPDX-License-Identifier: Apache-2.0
// What a page is made of, as one JSON document: the counts of records, every failure, the cases
// behind them, and what the suite says of these.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "conformance/documents/clarification.hpp"
#include "conformance/known_failures/history.hpp"
#include "conformance/records/record_files.hpp"
#include "conformance/report/policy.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {

/// The version of the form of the document.
inline constexpr int page_format = 1;

/// What a page may show beside records; what is null it does not show.
struct PageSupplements {
    Json bench;    ///< what `gathercheck bench` wrote
    Json changes;  ///< since an earlier run
    Json history;  ///< of a folder of runs
};

/// All must outlive what is made of it.
struct PageSources {
    std::span<const RecordFileContent> files;
    const ReportData& data;
    std::string implementation;  ///< only this one; empty: all
    const LoadedSuite& loaded;
    std::span<const Clarification> clarifications;
    const FindingHistories& histories;
    std::span<const PolicyRow> map;
    /// What explains failures, by execution_key().
    const std::unordered_map<std::uint64_t, std::string>& causes;
    PageSupplements supplements;
};

/// conformance/report/page/README.md tells what it holds.
Json page_data(PageSources sources);

}  // namespace gathercheck
