// SPDX-License-Identifier: Apache-2.0
// From the records of runs to the document of a page: the suite that they are of, and what explains
// their failures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "conformance/records/record_files.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/util/json.hpp"
#include "tools/page/page_data.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {

/// What explains failures, by execution_key().
using Causes = std::unordered_map<std::uint64_t, std::string>;

/// Records, gathered as well; both must outlive what is made of them.
struct PageRecords {
    const std::vector<RecordFileContent>& files;
    const ReportData& data;
    std::string implementation;  ///< only this one; empty: all
};

/// The cases that the records are of, as far as they lie here: the shipped ones, or those that
/// their runs name. Nothing, and why on stderr, where they are refused.
std::optional<LoadedSuite> suite_of(const std::vector<RecordFileContent>& files);

/// What explains failures that there are to explain; nothing without a suite.
Causes causes_in(const PageRecords& records, const LoadedSuite* loaded);

/// page_data() of records, with the out-of-bounds map that they hold. Nothing, and why on stderr,
/// where shipped data is refused.
std::optional<Json> page_document(const PageRecords& records, const LoadedSuite& loaded,
                                  const Causes& causes, PageSupplements supplements);

/// What a folder of runs says, for a page; nothing, and why on stderr, where it cannot be read.
std::optional<Json> history_in(const std::string& folder, const std::string& implementation);

}  // namespace gathercheck
