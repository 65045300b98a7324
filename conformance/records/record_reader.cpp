// SPDX-License-Identifier: Apache-2.0
// The one reader of records.
#include "conformance/records/record_reader.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "conformance/records/record_json.hpp"
#include "conformance/util/bounded_lines.hpp"

namespace gathercheck {
namespace {

/// What executions have in common, as the lines before them declare it.
class Common {
public:
    /// True where the line is such a declaration.
    bool declares(Json& line) {
        const Json* kind = line.is_object() ? find_member(line, "record") : nullptr;
        if (kind == nullptr || *kind != "common") return false;
        const Json* number = find_member(line, "number");
        const auto found = line.find("members");
        if (number == nullptr || !as_integer(*number) || found == line.end() ||
            !found->is_object()) {
            return false;
        }
        members_[*as_integer(*number)] = std::move(*found);
        return true;
    }

    /// The record that a line is, with what it refers to; nothing where it is none.
    std::optional<Record> read(const Json& line) const {
        const Json* numbers = line.is_object() ? find_member(line, "of") : nullptr;
        if (numbers == nullptr) return read_record(line);
        if (!numbers->is_array()) return std::nullopt;
        Json whole = Json::object();
        for (const Json& number : *numbers) {
            const auto found = members_.find(as_integer(number).value_or(-1));
            if (found == members_.end()) return std::nullopt;
            whole.update(found->second);
        }
        whole.update(line);
        return read_record(whole);
    }

private:
    std::unordered_map<std::int64_t, Json> members_;
};

/// The schema of a header that a newer gathercheck wrote.
std::optional<std::int64_t> newer_schema(const Json& line) {
    const Json* schema = line.is_object() ? find_member(line, "schema") : nullptr;
    if (schema == nullptr || !find_member(line, "record")) return std::nullopt;
    const auto number = as_integer(*schema);
    return number && *number > record_schema_version ? number : std::nullopt;
}

/// What to say of a line that is none of ours; `line`: null where it is no JSON, either.
std::string why_no_record(const Json* line) {
    const std::string read = "schema 1 to " + std::to_string(record_schema_version);
    if (const auto newer = line != nullptr ? newer_schema(*line) : std::nullopt) {
        return "is of schema " + std::to_string(*newer) + ", and this gathercheck reads " + read +
               "; use the newer one that wrote it";
    }
    return "is no record of " + read +
           "; give a whole file that this version's `gathercheck run --output` wrote";
}

}  // namespace

std::variant<RecordLines, Problem> read_record_lines(const std::filesystem::path& file) {
    constexpr JsonLimits limits;
    BoundedLines lines(file, limits.bytes);
    const std::string file_name = file == "-" ? "standard input" : file.generic_string();
    if (!lines.is_open()) {
        return Problem{file_name, "",
                       "cannot be read; give a file that `gathercheck run --output` wrote"};
    }
    RecordLines read;
    read.is_compressed = lines.is_compressed();
    Common common;
    std::string text;
    std::uint64_t end = 0;
    std::int64_t number = 1;
    for (; lines.next(text); ++number) {
        const bool cut_short = !lines.has_newline();
        end += text.size() + (cut_short ? 0 : 1);
        JsonResult parsed = parse_json(text, file_name, limits);
        Json* line = std::get_if<Json>(&parsed);
        if (line != nullptr && common.declares(*line)) continue;
        std::optional<Record> record;
        if (line != nullptr) record = common.read(*line);
        if (record) {
            if (std::holds_alternative<RunRecord>(*record)) common = {};
            read.lines.push_back({std::move(*record), end, !cut_short});
        } else if (cut_short) {
            read.ends_in_half_a_line = true;
        } else {
            // What is damaged may be decompressed for a while before that shows.
            while (read.is_compressed && lines.next(text)) continue;
            if (!lines.fault().empty()) break;
            return Problem{file_name, "",
                           "line " + std::to_string(number) + " " + why_no_record(line)};
        }
    }
    if (lines.is_too_long()) {
        return Problem{file_name, "",
                       "line " + std::to_string(number) + " is longer than " +
                           std::to_string(limits.bytes) +
                           " bytes, as no line of a record is; give a file that `gathercheck run "
                           "--output` wrote"};
    }
    if (!lines.fault().empty()) return Problem{file_name, "", lines.fault()};
    return read;
}

std::optional<RunRecord> read_header(const std::filesystem::path& file) {
    constexpr JsonLimits limits;
    BoundedLines lines(file, limits.bytes);
    std::string text;
    if (!lines.is_open() || !lines.next(text)) return std::nullopt;
    const JsonResult parsed = parse_json(text, file.generic_string(), limits);
    const Json* line = std::get_if<Json>(&parsed);
    const auto record = line != nullptr ? read_record(*line) : std::nullopt;
    const auto* header = record ? std::get_if<RunRecord>(&*record) : nullptr;
    return header != nullptr ? std::optional(*header) : std::nullopt;
}

std::variant<std::vector<Record>, Problem> read_records(const std::filesystem::path& file) {
    auto read = read_record_lines(file);
    if (auto* problem = std::get_if<Problem>(&read)) return std::move(*problem);
    std::vector<Record> records;
    for (RecordLine& line : std::get<RecordLines>(read).lines) {
        records.push_back(std::move(line.record));
    }
    return records;
}

}  // namespace gathercheck
