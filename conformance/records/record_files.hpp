// SPDX-License-Identifier: Apache-2.0
// Files of records put together: only those that belong together, and with what they lack.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "conformance/records/record.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {

/// One file of records, as it was read.
struct RecordFileContent {
    std::string name;
    std::vector<Record> records;
    bool ends_in_half_a_line = false;
    bool is_compressed = false;
    bool is_regular = false;  ///< neither standard input nor a pipe
};

/// What was found out about files of records as a whole.
struct RecordFiles {
    std::vector<RecordFileContent> files;
    /// What they lack, each a sentence that names file and numbers; empty: they are complete. Only
    /// complete records show that something conforms.
    std::vector<std::string> lacking;
};

/// The files of a folder whose names are those of records: *.jsonl, *.jsonl.gz, *.jsonl.zst; in the
/// order of their names. A problem where it cannot be read.
std::variant<std::vector<std::filesystem::path>, Problem> record_files_in(
    const std::filesystem::path& folder);

/// What records lack: lines that their end counts, an end, a part of a run in shards, and the like.
/// Or why they are not put together: they are of different suites or versions of gathercheck, or
/// hold an execution twice.
std::variant<std::vector<std::string>, Problem> check_records(
    std::span<const RecordFileContent> files);

/// Reads files; a problem where one cannot be read, holds no run, or is given twice.
std::variant<std::vector<RecordFileContent>, Problem> read_unchecked(
    const std::vector<std::string>& files);

/// Reads files and checks them; a problem also where one cannot be read, holds no run, or is given
/// twice.
std::variant<RecordFiles, Problem> read_record_files(const std::vector<std::string>& files);

}  // namespace gathercheck
