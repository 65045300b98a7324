// SPDX-License-Identifier: Apache-2.0
// Files of records, read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <variant>
#include <vector>

#include "conformance/records/record.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {

/// One record of a file.
struct RecordLine {
    Record record;
    std::uint64_t end = 0;    ///< where the next line begins, in bytes
    bool has_newline = true;  ///< false only of the last
};

/// What a file of records holds.
struct RecordLines {
    std::vector<RecordLine> lines;
    bool ends_in_half_a_line = false;  ///< behind them: it was cut short
    bool is_compressed = false;        ///< where a line lies is meant of what it is decompressed to
};

/// Reads what RecordWriter wrote, as read_records does, and where each record ends. The one reader
/// of records: "-" is standard input, and what gzip or zstd compressed is decompressed.
std::variant<RecordLines, Problem> read_record_lines(const std::filesystem::path& file);

/// Reads what RecordWriter wrote, and files of older schemas. A last line that was cut short is
/// left out; any other bad line is a problem.
std::variant<std::vector<Record>, Problem> read_records(const std::filesystem::path& file);

/// The first record alone; nothing where it cannot be read, or is no header of a run.
std::optional<RunRecord> read_header(const std::filesystem::path& file);

}  // namespace gathercheck
