// SPDX-License-Identifier: Apache-2.0
// The words of reproducers, one function a form.
#include "conformance/reproducers/shown.hpp"

#include <regex.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "conformance/util/subprocess.hpp"

namespace gathercheck {
namespace {

constexpr std::string_view no_end = "no end in ";
constexpr std::string_view crash_or = "a crash or ";
constexpr std::string_view refused = "refused: ";
constexpr std::string_view other_than = "an output other than ";
constexpr std::string_view output_like = "an output like ";

constexpr std::string_view output_line = "output ";
constexpr std::string_view rejected_line = "rejected ";
constexpr std::string_view declared_line = "declared ";

constexpr int longest_without_end = 3600;

bool is_fault(std::string_view signal) {
    constexpr std::array<std::string_view, 6> faults{"SIGSEGV", "SIGABRT", "SIGBUS",
                                                     "SIGFPE",  "SIGILL",  "SIGTRAP"};
    return std::ranges::find(faults, signal) != faults.end();
}

/// What a program said that it did: its last line of an output or a refusal. The program of a
/// sequence has one for each call, and the last one counts.
struct Said {
    std::string_view output;         ///< behind "output "; empty: the last such line is no output
    std::string_view from_rejected;  ///< from the last "rejected ..." to the end; the same
    bool is_output = false;
    bool is_rejected = false;
    bool is_declared = false;
};

Said said_in(std::string_view text) {
    Said said;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        if (line.starts_with(output_line)) {
            said.output = line.substr(output_line.size());
            said.is_output = true;
            said.is_rejected = false;
        } else if (line.starts_with(rejected_line)) {
            said.from_rejected = text.substr(begin);
            said.is_rejected = true;
            said.is_output = false;
        } else if (line.starts_with(declared_line)) {
            said.is_declared = true;
        }
        begin = end + 1;
    }
    return said;
}

/// A head has no control characters; what it quotes may have.
std::string without_control_characters(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    }
    return result;
}

bool holds_words(std::string_view text, std::string_view words) {
    return without_control_characters(text).find(words) != std::string::npos;
}

void append_utf8(std::string& text, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0 | code >> 6);
        put(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        put(0xE0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3F));
        put(0x80 | (code & 0x3F));
    } else {
        put(0xF0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3F));
        put(0x80 | (code >> 6 & 0x3F));
        put(0x80 | (code & 0x3F));
    }
}

/// Reads a list of strings as Python, JavaScript or Rust writes it.
class StringList {
public:
    explicit StringList(std::string_view text) : text_(text) {}

    /// Nothing where the text is not such a list.
    std::optional<std::vector<std::string>> read() {
        std::vector<std::string> list;
        if (!take('[')) return std::nullopt;
        skip_blanks();
        if (take(']')) return ended(std::move(list));
        for (;;) {
            skip_blanks();
            auto text = string();
            if (!text) return std::nullopt;
            list.push_back(std::move(*text));
            skip_blanks();
            if (take(']')) return ended(std::move(list));
            if (!take(',')) return std::nullopt;
        }
    }

private:
    std::optional<std::vector<std::string>> ended(std::vector<std::string> list) {
        skip_blanks();
        if (!text_.empty()) return std::nullopt;
        return list;
    }
    bool take(char wanted) {
        if (!text_.starts_with(wanted)) return false;
        text_.remove_prefix(1);
        return true;
    }
    void skip_blanks() {
        while (take(' ') || take('\r')) {
        }
    }
    std::optional<std::string> string() {
        const char quote = text_.empty() ? '\0' : text_.front();
        if (quote != '"' && quote != '\'') return std::nullopt;
        text_.remove_prefix(1);
        std::string result;
        while (!text_.empty()) {
            const char c = text_.front();
            text_.remove_prefix(1);
            if (c == quote) return result;
            if (c != '\\') {
                result += c;
            } else if (!escape(result)) {
                return std::nullopt;
            }
        }
        return std::nullopt;
    }
    bool escape(std::string& result) {
        if (text_.empty()) return false;
        const char c = text_.front();
        text_.remove_prefix(1);
        constexpr std::string_view letters = "nrtbfav0\\'\"/";
        constexpr std::string_view meanings("\n\r\t\b\f\a\v\0\\'\"/", 12);
        const std::size_t place = letters.find(c);
        if (place != std::string_view::npos) {
            result += meanings[place];
            return true;
        }
        std::optional<std::uint32_t> code;
        if (c == 'x') code = hex(2);
        if (c == 'U') code = hex(8);
        if (c == 'u') code = take('{') ? hex_in_braces() : hex(4);
        if (code && *code >= 0xD800 && *code < 0xDC00 && text_.starts_with("\\u")) {
            const std::string_view before = text_;
            text_.remove_prefix(2);
            const auto low = hex(4);
            if (low && *low >= 0xDC00 && *low < 0xE000) {
                code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
            } else {
                text_ = before;
            }
        }
        if (!code || *code > 0x10FFFF) return false;
        append_utf8(result, *code);
        return true;
    }
    std::optional<std::uint32_t> hex(std::size_t digits) {
        std::uint32_t value = 0;
        const char* const from = text_.data();
        const auto count = static_cast<std::ptrdiff_t>(std::min(digits, text_.size()));
        const auto [behind, error] = std::from_chars(from, from + count, value, 16);
        if (error != std::errc{} || behind != from + digits) return std::nullopt;
        text_.remove_prefix(digits);
        return value;
    }
    std::optional<std::uint32_t> hex_in_braces() {
        const std::size_t end = text_.find('}');
        if (end == 0 || end > 8) return std::nullopt;
        const auto value = hex(end);
        if (!take('}')) return std::nullopt;
        return value;
    }

    std::string_view text_;
};

/// An output as programs print it: a type or none, the shape in brackets of either kind, and the
/// bytes in hex or the strings.
struct PrintedOutput {
    std::vector<std::uint64_t> shape;
    std::vector<std::string> strings;
    std::string bytes;
    bool has_strings = false;

    bool operator==(const PrintedOutput&) const = default;
};

std::optional<std::vector<std::uint64_t>> printed_shape(std::string_view text) {
    std::vector<std::uint64_t> shape;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        std::string_view item = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        while (item.starts_with(' ')) item.remove_prefix(1);
        while (item.ends_with(' ')) item.remove_suffix(1);
        if (item.empty() && text.empty()) break;  // "(2,)"
        std::uint64_t size = 0;
        const auto [behind, error] = std::from_chars(item.data(), item.data() + item.size(), size);
        if (error != std::errc{} || behind != item.data() + item.size()) return std::nullopt;
        shape.push_back(size);
    }
    return shape;
}

std::optional<PrintedOutput> printed_output(std::string_view text) {
    while (text.ends_with(' ') || text.ends_with('\r')) text.remove_suffix(1);
    const std::size_t begin = text.find_first_of("[(");
    if (begin == std::string_view::npos) return std::nullopt;
    const std::string_view type = text.substr(0, begin);
    if (!type.empty() && type.find(' ') != type.size() - 1) return std::nullopt;
    const std::size_t end = text.find(text[begin] == '[' ? ']' : ')', begin);
    if (end == std::string_view::npos) return std::nullopt;
    const auto shape = printed_shape(text.substr(begin + 1, end - begin - 1));
    if (!shape) return std::nullopt;
    PrintedOutput output;
    output.shape = *shape;
    std::string_view contents = text.substr(end + 1);
    while (contents.starts_with(' ')) contents.remove_prefix(1);
    if (contents.starts_with('[')) {
        auto strings = StringList(contents).read();
        if (!strings) return std::nullopt;
        output.strings = std::move(*strings);
        output.has_strings = !output.strings.empty();
        return output;
    }
    if (contents.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
        return std::nullopt;
    }
    output.bytes = contents;
    return output;
}

/// A POSIX extended regular expression.
class Pattern {
public:
    explicit Pattern(std::string_view text)
        : is_good_(::regcomp(&compiled_, std::string(text).c_str(), REG_EXTENDED | REG_NOSUB) ==
                   0) {}
    ~Pattern() {
        if (is_good_) ::regfree(&compiled_);
    }
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;

    bool is_good() const { return is_good_; }
    bool finds(std::string_view text) const {
        constexpr std::size_t longest = std::size_t{1} << 16;
        return is_good_ && ::regexec(&compiled_, std::string(text.substr(0, longest)).c_str(), 0,
                                     nullptr, 0) == 0;
    }

private:
    regex_t compiled_{};
    bool is_good_;
};

bool shows_output(std::string_view words, const Said& said) {
    if (!said.is_output) return false;
    if (words == "an output") return true;
    if (words.starts_with(other_than)) {
        const auto expected = printed_output(words.substr(other_than.size()));
        const auto shown = printed_output(said.output);
        return expected && shown && *expected != *shown;
    }
    return words.starts_with(output_like) &&
           Pattern(words.substr(output_like.size())).finds(said.output);
}

/// The last lines of a text, for people.
std::string last_lines_of(std::string_view text) {
    constexpr std::size_t most = 4096;
    constexpr int lines = 3;
    Tail tail;
    tail.add(text.substr(text.size() - std::min(text.size(), most)));
    return tail.last_lines(lines);
}

}  // namespace

std::optional<int> seconds_without_end(std::string_view words) {
    constexpr std::string_view unit = " seconds";
    if (!words.starts_with(no_end) || !words.ends_with(unit)) return std::nullopt;
    words.remove_prefix(no_end.size());
    words.remove_suffix(std::min(unit.size(), words.size()));
    int seconds = 0;
    const auto [behind, error] =
        std::from_chars(words.data(), words.data() + words.size(), seconds);
    const bool is_whole = error == std::errc{} && behind == words.data() + words.size();
    if (!is_whole || seconds < 1 || seconds > longest_without_end) return std::nullopt;
    return seconds;
}

std::string fault_of_words(std::string_view words) {
    if (words.empty()) {
        return "it does not say what it shows; write a comment 'shows: ...' at its beginning";
    }
    const bool after_crash = words.starts_with(crash_or);
    const std::string_view rest = after_crash ? words.substr(crash_or.size()) : words;
    if (rest == "an output") return {};
    if (rest.starts_with(other_than)) {
        if (printed_output(rest.substr(other_than.size()))) return {};
        return "its line 'shows: an output other than ...' has no shape and contents behind, as "
               "[2] 00ff";
    }
    if (rest.starts_with(output_like)) {
        if (Pattern(rest.substr(output_like.size())).is_good()) return {};
        return "its line 'shows: an output like ...' ends in no regular expression";
    }
    const bool is_known = words == "a crash" || words == "a description" ||
                          (words.starts_with(refused) && words.size() > refused.size()) ||
                          seconds_without_end(words);
    return is_known ? "" : "nobody knows the words of its line 'shows:'";
}

bool is_shown(std::string_view words, const ProgramEnd& end) {
    if (words.starts_with(no_end)) return !end.in_time;
    if (!end.in_time) return false;
    if (words.starts_with(crash_or)) {
        return is_fault(end.signal) || is_shown(words.substr(crash_or.size()), end);
    }
    if (words == "a crash") return is_fault(end.signal);
    if (!end.exit_code) return false;
    const Said said = said_in(end.output);
    if (words.starts_with(refused)) {
        const std::string_view text = words.substr(refused.size());
        if (*end.exit_code == 0) return said.is_rejected && holds_words(said.from_rejected, text);
        return !said.is_output && (holds_words(end.errors, text) || holds_words(end.output, text));
    }
    if (*end.exit_code != 0) return false;
    if (words == "a description") return said.is_output || said.is_declared;
    return shows_output(words, said);
}

std::string end_text(const ProgramEnd& end) {
    std::string text = !end.in_time    ? "it did not end"
                       : end.exit_code ? "it ended with code " + std::to_string(*end.exit_code)
                                       : "it was killed by " + end.signal;
    const std::string output = last_lines_of(end.output);
    const std::string errors = last_lines_of(end.errors);
    if (!output.empty()) text += "; its output ends: " + output;
    if (!errors.empty()) text += "; its stderr ends: " + errors;
    return output.empty() && errors.empty() ? text + "; it printed nothing" : text;
}

}  // namespace gathercheck
