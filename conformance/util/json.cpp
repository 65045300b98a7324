// SPDX-License-Identifier: Apache-2.0
// Strict JSON: parsing that refuses what nlohmann/json would quietly take, canonical text, and the
// checks that readers share.
#include "conformance/util/json.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "conformance/util/capped.hpp"
#include "conformance/util/long_strings.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

/// Length of the well-formed UTF-8 sequence at the start of `text`; 0 where there is none.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
    for (std::size_t k = 1; k < length; ++k) {
        if ((byte(k) & 0xC0U) != 0x80) return 0;
    }
    const unsigned second = byte(1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
        return 0;
    }
    return length;
}

void append_escaped(std::string& result, char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    result += "\\x";
    result += digits[byte >> 4U];
    result += digits[byte & 15U];
}

/// Appends text with all that is not to be shown as \xNN.
void append_printable(std::string& result, std::string_view text) {
    while (!text.empty()) {
        const bool doubled = text.front() == '#' && result.ends_with('#');
        const std::size_t length = doubled ? 0 : shown_length(text);
        if (length == 0) {
            // All bytes of a character that is well formed: none of them stands alone.
            const std::size_t escaped = std::max<std::size_t>(utf8_length(text), 1);
            for (const char c : text.substr(0, escaped)) append_escaped(result, c);
            text.remove_prefix(escaped);
        } else {
            result += text.substr(0, length);
            text.remove_prefix(length);
        }
    }
}

/// "line 3, column 5" of an offset, both counted from 1.
std::string line_and_column(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t newline = before.rfind('\n');
    const std::size_t column =
        newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(column + 1);
}

/// Builds the value, and stops at whatever strict JSON refuses.
class Builder {
public:
    Builder(Problems& problems, std::string_view text,
            std::span<const WithoutLongStrings::Taken> taken, int depth)
        : problems_(problems), text_(text), taken_(taken), depth_(depth) {}

    Json take() && { return std::move(root_); }

    bool null() { return add(Json()); }
    bool boolean(bool value) { return add(Json(value)); }
    bool number_integer(std::int64_t value) { return add(Json(value)); }
    bool number_unsigned(std::uint64_t value) { return add(Json(value)); }
    bool number_float(double value, const std::string& text) {
        const bool decimal_text = text.find_first_of(".eE") != std::string::npos;
        if (decimal_text && std::isfinite(value)) {
            if (same_decimal(text, shortest_decimal(value))) return add(Json(value));
        }
        return add(Json::binary(std::vector<std::uint8_t>(text.begin(), text.end())));
    }
    bool string(std::string& value) {
        put_back(value);
        return add(Json(std::move(value)));
    }
    bool binary(Json::binary_t&) { return false; }  // not in JSON texts

    bool start_object(std::size_t) { return start(Json::object()); }
    bool key(std::string& name) {
        put_back(name);
        Frame& frame = frames_.back();
        auto& members = frame.container->get_ref<Json::object_t&>();
        const bool added = frame.add_key(members, name);
        frame.twice = !added;
        if (added) members.emplace_back(name, nullptr);
        frame.key = name;
        if (!added) {
            problems_.add(pointer(), "the key " + in_quotes(name) +
                                         " stands twice in this object; remove one of the two");
        }
        return true;
    }
    bool end_object() { return end(); }
    bool start_array(std::size_t) { return start(Json::array()); }
    bool end_array() { return end(); }

    bool parse_error(std::size_t position, const std::string& /*token*/,
                     const nlohmann::detail::exception& error) {
        // "... at line 1, column 5: syntax error while ...; last read: 'xyz'; expected ..."
        std::string_view what = error.what();
        const std::size_t start = what.find(": ", std::min(what.find("column"), what.size()));
        if (start != std::string_view::npos) what.remove_prefix(start + 2);
        if (what.starts_with('['))
            what.remove_prefix(std::min(what.find("] "), what.size() - 2) + 2);
        std::string reason =
            "not JSON at " + line_and_column(text_, position == 0 ? 0 : position - 1) + ": ";
        append_printable(reason, what.substr(0, 200));
        problems_.add(pointer(), reason + "; correct the text there");
        return false;
    }

private:
    /// A container that is being read.
    struct Frame {
        Json* container;
        std::string key;  // the last one read, in an object
        bool twice = false;
        std::unordered_set<std::string> keys;  // all, once there are many

        /// False where the object has the key already.
        bool add_key(const Json::object_t& members, const std::string& name) {
            constexpr std::size_t many = 32;
            if (members.size() < many) {
                return std::ranges::none_of(
                    members, [&](const auto& member) { return member.first == name; });
            }
            if (keys.empty()) {
                for (const auto& [known, member] : members) keys.insert(known);
            }
            return keys.insert(name).second;
        }
    };

    /// Called for each string and key of the text: here are those that were taken out of it.
    void put_back(std::string& characters) {
        if (taken_.empty() || taken_.front().number != strings_++) return;
        characters = taken_.front().characters;
        taken_ = taken_.subspan(1);
    }

    /// Of the member or element that is being read.
    std::string pointer() const {
        std::string result;
        for (const Frame& frame : frames_) {
            if (frame.container->is_array()) {
                // A container is in its parent already; what comes next in the last one is not.
                const std::size_t behind = &frame == &frames_.back() ? 0 : 1;
                result = pointer_child(result, frame.container->size() - behind);
            } else if (!frame.container->empty()) {
                result = pointer_child(result, frame.key);
            }
        }
        return result;
    }

    /// Where the value goes; what follows a key that stands twice goes to a place of its own.
    Json* place(Json value) {
        if (frames_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        Frame& frame = frames_.back();
        if (frame.container->is_array()) {
            auto& elements = frame.container->get_ref<Json::array_t&>();
            elements.push_back(std::move(value));
            return &elements.back();
        }
        if (frame.twice) {
            discarded_.push_back(std::make_unique<Json>(std::move(value)));
            return discarded_.back().get();
        }
        Json& member = frame.container->get_ref<Json::object_t&>().back().second;
        member = std::move(value);
        return &member;
    }
    bool add(Json value) {
        place(std::move(value));
        return true;
    }
    bool start(Json value) {
        if (frames_.size() >= static_cast<std::size_t>(depth_)) {
            problems_.add(pointer(), "nested deeper than " + std::to_string(depth_) +
                                         " levels; make the document flatter");
            return false;
        }
        Json* container = place(std::move(value));
        // Objects that grow copy what they hold, since a key does not move; few have more.
        constexpr std::size_t few = 4;
        if (container->is_object()) container->get_ref<Json::object_t&>().reserve(few);
        frames_.push_back({.container = container, .key = {}, .keys = {}});
        return true;
    }
    bool end() {
        frames_.pop_back();
        return true;
    }

    Problems& problems_;
    std::string_view text_;
    std::span<const WithoutLongStrings::Taken> taken_;
    std::size_t strings_ = 0;  // that were read
    int depth_;
    Json root_;
    std::vector<Frame> frames_;
    std::vector<std::unique_ptr<Json>> discarded_;
};

/// What the parser would pass over: returns why, or nothing.
std::optional<std::string> refused_before_parsing(std::string_view text, const JsonLimits& limits) {
    if (text.size() > limits.bytes) {
        return "larger than " + std::to_string(limits.bytes) + " bytes; split it";
    }
    if (text.starts_with("\xEF\xBB\xBF")) {
        return "begins with a byte order mark; save it as UTF-8 without one";
    }
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
        return "a NUL byte at offset " + std::to_string(nul) + "; write \\u0000 inside a string";
    }
    return std::nullopt;
}

/// Offset of a number -0, which the parser reads as the integer 0; nothing where there is none.
std::optional<std::size_t> negative_integer_zero(std::string_view text) {
    if (text.find("-0") == std::string_view::npos) return std::nullopt;
    bool inside = false;
    for (std::size_t k = 0; k + 1 < text.size(); ++k) {
        if (inside && text[k] == '\\') {
            ++k;
        } else if (text[k] == '"') {
            inside = !inside;
        } else if (!inside && text[k] == '-' && text[k + 1] == '0' &&
                   (k == 0 || (text[k - 1] != 'e' && text[k - 1] != 'E'))) {
            const char next = k + 2 < text.size() ? text[k + 2] : ' ';
            if (next != '.' && next != 'e' && next != 'E') return k;
        }
    }
    return std::nullopt;
}

/// Parses a text from which strings may have been taken.
JsonResult parse(std::string_view text, std::span<const WithoutLongStrings::Taken> taken,
                 const std::string& file, int depth) {
    Problems problems(file);
    Builder builder(problems, text, taken, depth);
    bool parsed = false;
    try {
        parsed = Json::sax_parse(text.begin(), text.end(), &builder);
    } catch (const nlohmann::detail::exception& error) {
        problems.add(Place(), std::string("not JSON: ") + error.what() + "; correct the text");
    }
    if (parsed) {
        if (const auto offset = negative_integer_zero(text)) {
            problems.add(Place(), "a number is written -0 at " + line_and_column(text, *offset) +
                                      ", which readers take for different things; write 0, or the "
                                      "bits of a negative zero");
        }
    }
    if (!problems.empty()) return std::move(problems).take();
    return std::move(builder).take();
}

template <class Integer>
void append_integer(std::string& text, Integer value) {
    std::array<char, 24> buffer{};
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    text.append(buffer.data(), written.ptr);
}

std::string list_of_keys(std::initializer_list<std::string_view> first,
                         std::initializer_list<std::string_view> second) {
    std::string text;
    for (const auto& keys : {first, second}) {
        for (const std::string_view key : keys) {
            if (!text.empty()) text += ", ";
            text += in_quotes(key);
        }
    }
    return text;
}

/// The member, where it satisfies `is`; a problem where it does not.
template <class Is>
const Json* member_of_kind(const Json& object, const Place& at, std::string_view key, Is is,
                           std::string_view kind, Problems& problems) {
    const Json* member = find_member(object, key);
    if (member == nullptr || is(*member)) return member;
    problems.add(at.child(key), "is " + describe_json(*member) + "; write " + std::string(kind));
    return nullptr;
}

}  // namespace

bool is_odd_number(const Json& value) { return value.is_binary(); }

std::string odd_number_text(const Json& value) {
    const auto& bytes = value.get_binary();
    return std::string(bytes.begin(), bytes.end());
}

JsonResult parse_json(std::string_view text, const std::string& file, const JsonLimits& limits) {
    if (auto why = refused_before_parsing(text, limits)) {
        Problems problems(file);
        problems.add(Place(), std::move(*why));
        return std::move(problems).take();
    }
    constexpr std::size_t long_string = 64;
    const auto [shorter, taken] = without_long_strings(text, long_string);
    JsonResult result = parse(shorter, taken, file, limits.depth);
    if (taken.empty() || std::holds_alternative<Json>(result)) return result;
    return parse(text, {}, file, limits.depth);  // for columns of the whole text
}

std::variant<std::string, Problem> read_file(const std::filesystem::path& file, std::size_t limit) {
    const auto problem = [&](const std::string& reason) {
        return Problem{file.generic_string(), "", reason};
    };
    const auto close = [](std::FILE* open) { std::fclose(open); };
    const std::unique_ptr<std::FILE, decltype(close)> open(std::fopen(file.c_str(), "rb"), close);
    const auto failure = [&] {
        return problem("cannot be read: " + std::generic_category().message(errno) +
                       "; check the path and its permissions");
    };
    if (open == nullptr) return failure();
    std::string content;
    std::array<char, 65536> buffer;
    for (;;) {
        const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), open.get());
        if (count == 0) break;
        content.append(buffer.data(), count);
        if (content.size() > limit) {
            return problem("larger than " + std::to_string(limit) + " bytes; split it");
        }
    }
    if (std::ferror(open.get()) != 0) return failure();
    return content;
}

JsonResult read_json(const std::filesystem::path& file, const JsonLimits& limits) {
    auto content = read_file(file, limits.bytes);
    if (auto* problem = std::get_if<Problem>(&content)) {
        return std::vector<Problem>{std::move(*problem)};
    }
    return parse_json(std::get<std::string>(content), file.generic_string(), limits);
}

void append_json_string(std::string& text, std::string_view value) {
    constexpr std::string_view digits = "0123456789abcdef";
    text += '"';
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            text += '\\';
            text += c;
        } else if (byte < 0x20) {
            text += "\\u00";
            text += digits[byte >> 4U];
            text += digits[byte & 15U];
        } else {
            text += c;
        }
    }
    text += '"';
}

void append_canonical_json(std::string& text, const Json& value) {
    switch (value.type()) {
        case Json::value_t::null:
        case Json::value_t::discarded:
            text += "null";
            return;
        case Json::value_t::boolean:
            text += value.get<bool>() ? "true" : "false";
            return;
        case Json::value_t::number_integer:
            append_integer(text, value.get<std::int64_t>());
            return;
        case Json::value_t::number_unsigned:
            append_integer(text, value.get<std::uint64_t>());
            return;
        case Json::value_t::number_float:
            text += shortest_decimal(value.get<double>());
            return;
        case Json::value_t::binary:
            text += odd_number_text(value);
            return;
        case Json::value_t::string:
            append_json_string(text, value.get_ref<const std::string&>());
            return;
        case Json::value_t::array: {
            text += '[';
            bool first = true;
            for (const Json& element : value.get_ref<const Json::array_t&>()) {
                if (!std::exchange(first, false)) text += ',';
                append_canonical_json(text, element);
            }
            text += ']';
            return;
        }
        case Json::value_t::object: {
            text += '{';
            bool first = true;
            std::vector<const Json::object_t::value_type*> members;
            members.reserve(value.size());
            for (const auto& member : value.get_ref<const Json::object_t&>()) {
                members.push_back(&member);
            }
            std::ranges::sort(members, {},
                              [](const auto* member) -> std::string_view { return member->first; });
            for (const auto* member : members) {
                if (!std::exchange(first, false)) text += ',';
                append_json_string(text, member->first);
                text += ':';
                append_canonical_json(text, member->second);
            }
            text += '}';
            return;
        }
    }
}

std::string shown_json(const Json& value) {
    std::string text;
    for (const char c : value.dump(2, ' ', true, Json::error_handler_t::replace)) {
        if (c == '#' && text.ends_with('#')) {
            text += "\\u0023";  // it stands in a string
        } else if (c == '\x7f') {
            text += "\\u007f";
        } else {
            text += c;
        }
    }
    return text;
}

std::string canonical_json(const Json& value) {
    std::string text;
    append_canonical_json(text, value);
    return text;
}

std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder,
                                              std::error_code& error) {
    std::vector<std::filesystem::path> files;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().extension() == ".json") files.push_back(entry->path());
    }
    std::ranges::sort(files);
    return files;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 80;
    std::string result = "\"";
    const std::string_view shown = start_of(text, longest);
    append_printable(result, shown);
    return result + (shown.size() < text.size() ? "...\"" : "\"");
}

std::size_t shown_length(std::string_view text) {
    const std::size_t length = utf8_length(text);
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    if (length == 1) return byte(0) < 0x20 || byte(0) == 0x7F ? 0 : 1;
    if (length == 2) {
        const bool control = byte(0) == 0xC2 && byte(1) < 0xA0;
        const bool mark = byte(0) == 0xD8 && byte(1) == 0x9C;  // U+061C
        return control || mark ? 0 : 2;
    }
    if (length == 3) {
        const unsigned code = (byte(0) & 15U) << 12U | (byte(1) & 63U) << 6U | (byte(2) & 63U);
        const bool turns = code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
                           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
        return turns ? 0 : 3;
    }
    return length;
}

std::string printable(std::string_view text) {
    std::string result;
    const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
    if (text.substr(begin).starts_with("::")) {
        result.append(begin, ' ');
        append_escaped(result, ':');
        text.remove_prefix(begin + 1);
    }
    append_printable(result, text);
    return result;
}

std::string describe_json(const Json& value) {
    const auto number = [](std::string text) {
        return text.size() > 40 ? text.substr(0, 40) + "..." : text;
    };
    switch (value.type()) {
        case Json::value_t::null:
        case Json::value_t::discarded:
            return "null";
        case Json::value_t::boolean:
            return value.get<bool>() ? "true" : "false";
        case Json::value_t::number_integer:
        case Json::value_t::number_unsigned:
            return "the integer " + canonical_json(value);
        case Json::value_t::number_float:
            return "the decimal " + canonical_json(value);
        case Json::value_t::binary: {
            const std::string text = odd_number_text(value);
            if (text.find_first_of(".eE") == std::string::npos) {
                return "the integer " + number(text) + ", which does not fit 64 bits";
            }
            return "the decimal " + number(text);
        }
        case Json::value_t::string:
            return "the string " + in_quotes(value.get_ref<const std::string&>());
        case Json::value_t::array:
            return "a list";
        case Json::value_t::object:
            return "an object";
    }
    return "null";
}

std::string pointer_child(std::string_view pointer, std::string_view key) {
    std::string result(pointer);
    result += '/';
    for (const char c : key) {
        if (c == '~') {
            result += "~0";
        } else if (c == '/') {
            result += "~1";
        } else {
            result += c;
        }
    }
    return result;
}

std::string pointer_child(std::string_view pointer, std::size_t index) {
    return std::string(pointer) + "/" + std::to_string(index);
}

std::string Place::pointer() const {
    if (parent_ == nullptr) return {};
    const std::string before = parent_->pointer();
    return index_ == no_index ? pointer_child(before, key_) : pointer_child(before, index_);
}

void Problems::add(std::string pointer, std::string reason) {
    ++added_;
    if (full() || !seen_.insert(pointer + '\n' + reason).second) return;
    if (!context_.empty()) reason += " (" + context_ + ")";
    problems_.push_back({file_, std::move(pointer), std::move(reason)});
}

bool check_keys(const Json& value, const Place& at,
                std::initializer_list<std::string_view> required,
                std::initializer_list<std::string_view> optional, Problems& problems) {
    if (!value.is_object()) {
        problems.add(at, "is " + describe_json(value) + "; write an object with " +
                             list_of_keys(required, optional));
        return false;
    }
    bool good = true;
    const auto& members = value.get_ref<const Json::object_t&>();
    for (const auto& [key, member] : members) {
        const std::string_view name = key;
        if (std::ranges::find(required, name) != required.end() ||
            std::ranges::find(optional, name) != optional.end()) {
            continue;
        }
        problems.add(at.child(key), "the key " + in_quotes(key) + " is unknown here; known are " +
                                        list_of_keys(required, optional));
        good = false;
    }
    for (const std::string_view key : required) {
        if (find_member(value, key) != nullptr) continue;
        problems.add(at, "the key " + in_quotes(key) + " is missing; add it");
        good = false;
    }
    return good;
}

void put_text(Json& object, std::string_view key, std::string_view text) {
    if (!text.empty()) object[std::string(key)] = text;
}

const Json* find_member(const Json& object, std::string_view key) {
    if (!object.is_object()) return nullptr;
    const auto& members = object.get_ref<const Json::object_t&>();
    const auto found = std::ranges::find(
        members, key, [](const auto& member) -> std::string_view { return member.first; });
    return found == members.end() ? nullptr : &found->second;
}

const std::string* string_at(const Json& object, const Place& at, std::string_view key,
                             Problems& problems) {
    const Json* member = member_of_kind(
        object, at, key,
        [](const Json& value) {
            return value.is_string() && !value.get_ref<const std::string&>().empty();
        },
        "a string that is not empty", problems);
    return member == nullptr ? nullptr : &member->get_ref<const std::string&>();
}

std::string text_at(const Json& object, const Place& at, std::string_view key, Problems& problems) {
    const std::string* found = string_at(object, at, key, problems);
    return found == nullptr ? std::string() : *found;
}

const Json* array_at(const Json& object, const Place& at, std::string_view key,
                     Problems& problems) {
    return member_of_kind(
        object, at, key, [](const Json& value) { return value.is_array(); }, "a list", problems);
}

const Json* object_at(const Json& object, const Place& at, std::string_view key,
                      Problems& problems) {
    return member_of_kind(
        object, at, key, [](const Json& value) { return value.is_object(); }, "an object",
        problems);
}

std::optional<bool> boolean_at(const Json& object, const Place& at, std::string_view key,
                               Problems& problems) {
    const Json* member = member_of_kind(
        object, at, key, [](const Json& value) { return value.is_boolean(); }, "true or false",
        problems);
    if (member == nullptr) return std::nullopt;
    return member->get<bool>();
}

std::optional<std::int64_t> integer_at(const Json& object, const Place& at, std::string_view key,
                                       Problems& problems) {
    const Json* member = member_of_kind(
        object, at, key, [](const Json& value) { return as_integer(value).has_value(); },
        "an integer that fits 64 bits", problems);
    if (member == nullptr) return std::nullopt;
    return as_integer(*member);
}

std::optional<std::int64_t> as_integer(const Json& value) {
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        if (number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
        return static_cast<std::int64_t>(number);
    }
    if (value.is_number_integer()) return value.get<std::int64_t>();
    return std::nullopt;
}

std::vector<std::string> strings_of(const Json& list, const Place& at, Problems& problems) {
    std::vector<std::string> result;
    if (!list.is_array() || list.empty()) {
        const std::string what = list.is_array() ? "an empty list" : describe_json(list);
        problems.add(at, "is " + what + "; write a list of at least one string");
        return result;
    }
    std::unordered_set<std::string_view> seen;
    for (std::size_t k = 0; k < list.size(); ++k) {
        const Json& entry = list[k];
        if (!entry.is_string() || entry.get_ref<const std::string&>().empty()) {
            problems.add(at.child(k),
                         "is " + describe_json(entry) + "; write a string that is not empty");
            continue;
        }
        const auto& text = entry.get_ref<const std::string&>();
        if (!seen.insert(text).second) {
            problems.add(at.child(k), in_quotes(text) + " stands twice in this list; remove one");
            continue;
        }
        result.push_back(text);
    }
    return result;
}

}  // namespace gathercheck
