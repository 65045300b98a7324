// SPDX-License-Identifier: Apache-2.0
// The one home of nlohmann/json: strict parsing, places in documents, and checks that readers of
// every JSON format here share. Included by .cpp files only.
//
// Reading a file of some format goes like this:
//
//     JsonResult document = read_json(path);
//     if (auto* refused = std::get_if<std::vector<Problem>>(&document)) return std::move(*refused);
//     const Json& root = std::get<Json>(document);
//     Problems problems(path.generic_string());
//     const Place top;
//     if (check_keys(root, top, {"failures"}, {"versions"}, problems)) {
//         const Place list = top.child("failures");
//         ... string_at(root, top, "versions", problems) ...
//     }
//     if (!problems.empty()) return std::move(problems).take();
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include "conformance/util/problem.hpp"

namespace gathercheck {

/// A parsed value; objects keep the order of the document. A number is `is_number_unsigned()` or
/// `is_number_integer()` where its text is an integer of 64 bits (3), `is_number_float()` where it
/// is a decimal (3.7, 3.0, 3e2), and `is_odd_number()` where neither holds it without loss.
using Json = nlohmann::ordered_json;

/// True for a number that is kept as its text: an integer beyond 64 bits, or a decimal that is not
/// the shortest one of the f64 nearest to it (too many digits, too large). No float type's shortest
/// decimal is among them. (nlohmann's own number predicates are false for it.)
bool is_odd_number(const Json& value);

/// The text of an odd number as it stood in the document.
std::string odd_number_text(const Json& value);

struct JsonLimits {
    std::size_t bytes = std::size_t{64} << 20;  ///< of the text
    int depth = 64;                             ///< of nesting; so readers may recurse
};

/// A value, or why it was refused (never an empty list).
using JsonResult = std::variant<Json, std::vector<Problem>>;

/// Parses one strict JSON text: UTF-8 without byte order mark, no comment, no duplicate key in any
/// object, no text after the value, within the limits. Never throws, whatever the text. `file` only
/// names the text in problems.
JsonResult parse_json(std::string_view text, const std::string& file,
                      const JsonLimits& limits = {});

/// Reads and parses a file.
JsonResult read_json(const std::filesystem::path& file, const JsonLimits& limits = {});

/// The whole content of a file of at most `limit` bytes, or why it cannot be read.
std::variant<std::string, Problem> read_file(const std::filesystem::path& file, std::size_t limit);

/// The one canonical text of a value: keys sorted by bytes, no white space, UTF-8 unescaped where
/// JSON allows it, decimals as their shortest text (so 3.0 is 3.0 and 3 is 3).
std::string canonical_json(const Json& value);

/// Appends canonical_json(value) to `text`.
void append_canonical_json(std::string& text, const Json& value);

/// The same of a string, which nothing is made of on the way.
void append_json_string(std::string& text, std::string_view value);

/// A value for people and programs to read from a terminal or a log: indented, in ASCII alone, and
/// nothing in its strings is what printable() would not let through.
std::string shown_json(const Json& value);

/// A value for a message: "the string \"abc\"", "the decimal 3.7", "a list", "null"; always short
/// and printable.
std::string describe_json(const Json& value);

/// Bytes of the character at the start of `text`, where it is one to be shown as it is; 0 where it
/// is broken UTF-8, a control character (also one of U+0080 to U+009F), ends a line, or changes the
/// direction of the text around it. Precondition: `text` is not empty.
std::size_t shown_length(std::string_view text);

/// Text for a message: in quotes, shortened, what is not to be shown as \xNN for each byte.
std::string in_quotes(std::string_view text);

/// The files of a folder whose names end in ".json", in the order of their names; those that were
/// found before an error, where it cannot be searched to its end.
std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder,
                                              std::error_code& error);

/// The same, whole and without quotes: what others wrote, for one line of a terminal or a log. What
/// servers that build software take for a command (`::` at the start of a line, `##vso[`) is none
/// any more.
std::string printable(std::string_view text);

/// A place in a document. It is a linked list on the stack that becomes a JSON pointer only when a
/// problem is reported: a child borrows its parent (so name each step) and its key.
class Place {
public:
    Place() = default;  ///< the whole document
    Place child(std::string_view key) const& { return Place(this, key, no_index); }
    Place child(std::size_t index) const& { return Place(this, {}, index); }
    Place child(std::string_view key) const&& = delete;
    Place child(std::size_t index) const&& = delete;

    std::string pointer() const;  ///< "/cases/3/inputs/data"

private:
    static constexpr std::size_t no_index = static_cast<std::size_t>(-1);
    Place(const Place* parent, std::string_view key, std::size_t index)
        : parent_(parent), key_(key), index_(index) {}

    const Place* parent_ = nullptr;
    std::string_view key_;
    std::size_t index_ = no_index;
};

/// `pointer` with one more step, escaped as RFC 6901 says.
std::string pointer_child(std::string_view pointer, std::string_view key);
std::string pointer_child(std::string_view pointer, std::size_t index);

/// Collects the problems of one file: each only once, and no more than `limit`.
class Problems {
public:
    explicit Problems(std::string file, std::size_t limit = 100)
        : file_(std::move(file)), limit_(limit) {}

    /// `reason` is one sentence that names the offending value and the remedy.
    void add(const Place& at, std::string reason) { add(at.pointer(), std::move(reason)); }
    void add(std::string pointer, std::string reason);

    /// Said after each reason from now on, e.g. which case of a sweep it is; "" for nothing. It
    /// does not make a problem a new one.
    void set_context(std::string context) { context_ = std::move(context); }

    const std::string& file() const { return file_; }
    bool empty() const { return problems_.empty(); }
    /// How many were added so far, also those that are not kept since they were said before or the
    /// limit is reached: what adds none is good.
    std::size_t added() const { return added_; }
    bool full() const { return problems_.size() >= limit_; }
    std::vector<Problem> take() && { return std::move(problems_); }

private:
    std::string file_;
    std::size_t limit_;
    std::string context_;
    std::size_t added_ = 0;
    std::vector<Problem> problems_;
    std::set<std::string> seen_;
};

/// True for an object with every key of `required` and no other than those and `optional`; reports
/// each departure. False also where it is an object but a key is missing or unknown.
bool check_keys(const Json& value, const Place& at,
                std::initializer_list<std::string_view> required,
                std::initializer_list<std::string_view> optional, Problems& problems);

/// Adds a member to an object where the text says something.
void put_text(Json& object, std::string_view key, std::string_view text);

/// The member of an object; null where it has none. Reports nothing.
const Json* find_member(const Json& object, std::string_view key);

/// The member of that kind; null, and a problem, where the member is of another kind; null without
/// a problem where there is no such member (check_keys has seen to it that what is required is
/// there). `object` must be an object. A string must not be empty.
const std::string* string_at(const Json& object, const Place& at, std::string_view key,
                             Problems& problems);

/// The same as a copy; empty, and nothing said, where it is not there, and empty where it is
/// refused.
std::string text_at(const Json& object, const Place& at, std::string_view key, Problems& problems);
const Json* array_at(const Json& object, const Place& at, std::string_view key, Problems& problems);
const Json* object_at(const Json& object, const Place& at, std::string_view key,
                      Problems& problems);
std::optional<bool> boolean_at(const Json& object, const Place& at, std::string_view key,
                               Problems& problems);
std::optional<std::int64_t> integer_at(const Json& object, const Place& at, std::string_view key,
                                       Problems& problems);

/// The value as a 64-bit signed integer; nothing where it is anything else (3.0 and 2^63 are).
std::optional<std::int64_t> as_integer(const Json& value);

/// The strings of a list; a problem for each entry that is none, for an empty list and for an entry
/// that stands twice.
std::vector<std::string> strings_of(const Json& list, const Place& at, Problems& problems);

}  // namespace gathercheck
