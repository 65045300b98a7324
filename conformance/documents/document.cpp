// SPDX-License-Identifier: Apache-2.0
// Cutting documents into units: blocks of lines, their text without markup, sentences.
#include "conformance/documents/document.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "conformance/util/json.hpp"
#include "conformance/util/sha256.hpp"

namespace gathercheck {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string_view>;

constexpr std::string_view no_break_space = "\xC2\xA0";
constexpr std::string_view bullet = "\xE2\x80\xA2";

/// The number of bytes of the white space that the text begins with; 0 where it begins with none.
std::size_t leading_space(std::string_view text) {
    if (text.empty()) return 0;
    if (std::string_view(" \t\r\n\f\v").find(text.front()) != std::string_view::npos) return 1;
    return text.starts_with(no_break_space) ? no_break_space.size() : 0;
}

std::string_view without_leading_space(std::string_view text) {
    while (const std::size_t width = leading_space(text)) text.remove_prefix(width);
    return text;
}

std::string_view without_trailing_space(std::string_view text) {
    while (!text.empty()) {
        if (text.ends_with(no_break_space)) {
            text.remove_suffix(no_break_space.size());
        } else if (leading_space(text.substr(text.size() - 1)) == 1) {
            text.remove_suffix(1);
        } else {
            break;
        }
    }
    return text;
}

std::string_view trimmed(std::string_view line) {
    return without_trailing_space(without_leading_space(line));
}

std::size_t indentation(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

std::string joined(const Lines& lines, std::string_view between) {
    std::string text;
    for (std::size_t k = 0; k < lines.size(); ++k) {
        if (k > 0) text += between;
        text += lines[k];
    }
    return text;
}

// --- 1. blocks

struct Block {
    std::string text;
    bool is_code = false;
};

/// A line of three or more of one of = ~ ^ - and nothing else.
bool is_underline(std::string_view line) {
    return line.size() >= 3 &&
           std::string_view("=~^-").find(line.front()) != std::string_view::npos &&
           line.find_first_not_of(line.front()) == std::string_view::npos;
}

/// The rest of a line after one to six # and a blank.
std::optional<std::string_view> heading(std::string_view line) {
    const std::size_t hashes = std::min(line.find_first_not_of('#'), line.size());
    if (hashes < 1 || hashes > 6 || hashes == line.size() || line[hashes] != ' ') {
        return std::nullopt;
    }
    return line.substr(hashes + 1);
}

/// The rest of a line after a bullet and blanks.
std::optional<std::string_view> list_item(std::string_view line) {
    if (line.starts_with(bullet)) {
        line.remove_prefix(bullet.size());
    } else if (!line.empty() && std::string_view("*-+").find(line.front()) != line.npos) {
        line.remove_prefix(1);
    } else {
        return std::nullopt;
    }
    if (!line.starts_with(' ')) return std::nullopt;
    return line.substr(indentation(line));
}

/// The name in ".. name::"; empty where there is none.
std::string_view directive(std::string_view line) {
    line.remove_prefix(3);
    const std::size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz-");
    if (end == std::string_view::npos || end == 0 || !line.substr(end).starts_with("::")) return {};
    return line.substr(0, end);
}

/// True for a line that is empty or reads ":name:" and anything.
bool is_option(std::string_view line) {
    line = trimmed(line);
    if (line.empty()) return true;
    if (line.front() != ':') return false;
    line.remove_prefix(1);
    const std::size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz-");
    return end != std::string_view::npos && end > 0 && line[end] == ':';
}

/// The cells of a table's row, joined; nothing for the row between head and body.
std::optional<std::string> table_row(std::string_view line) {
    const std::size_t first = std::min(line.find_first_not_of('|'), line.size());
    line = line.substr(first, line.find_last_not_of('|') + 1 - first);
    Lines cells;
    bool is_rule = true;
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find('|', begin), line.size());
        cells.push_back(line.substr(begin, end - begin));
        std::string_view dashes = trimmed(cells.back());
        if (dashes.starts_with(':')) dashes.remove_prefix(1);
        if (dashes.ends_with(':')) dashes.remove_suffix(1);
        is_rule =
            is_rule && !dashes.empty() && dashes.find_first_not_of('-') == std::string_view::npos;
        begin = end + 1;
    }
    if (is_rule) return std::nullopt;
    return joined(cells, " ");
}

Lines lines_of(std::string_view text) {
    Lines lines;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        if (line.ends_with('\r') && end < text.size()) line.remove_suffix(1);
        lines.push_back(line);
        begin = end + 1;
    }
    return lines;
}

class BlockReader {
public:
    explicit BlockReader(std::string_view text) : lines_(lines_of(text)) {}

    std::vector<Block> read() {
        while (next_ < lines_.size()) {
            const std::string_view whole = lines_[next_++];
            const std::string_view line = trimmed(whole);
            if (line.empty()) {
                end_block();
            } else if (line.starts_with("```")) {
                end_block();
                fenced_code();
            } else if (line.starts_with(".. ")) {
                end_block();
                directive_body(directive(line), indentation(whole));
            } else if (is_underline(line)) {
                end_block();
            } else if (const auto title = heading(line)) {
                end_block();
                blocks_.push_back({std::string(*title), false});
            } else if (line.front() == '|') {
                end_block();
                if (auto row = table_row(line)) blocks_.push_back({std::move(*row), true});
            } else if (const auto item = list_item(line)) {
                end_block();
                current_.push_back(*item);
            } else {
                current_.push_back(whole);
            }
        }
        end_block();
        return std::move(blocks_);
    }

private:
    void end_block() {
        if (!current_.empty()) blocks_.push_back({joined(current_, "\n"), false});
        current_.clear();
    }

    void fenced_code() {
        Lines code;
        while (next_ < lines_.size() && !trimmed(lines_[next_]).starts_with("```")) {
            code.push_back(lines_[next_++]);
        }
        ++next_;
        blocks_.push_back({joined(code, "\n"), true});
    }

    /// Of ".. code::" the indented lines are a block; those of a comment, a label or ".. meta::"
    /// are dropped; those of any other directive are text.
    void directive_body(std::string_view name, std::size_t indent) {
        const bool is_code = name == "code" || name == "code-block";
        if (!is_code && name != "meta" && !name.empty()) return;
        Lines body;
        while (next_ < lines_.size() &&
               (trimmed(lines_[next_]).empty() || indentation(lines_[next_]) > indent)) {
            body.push_back(lines_[next_++]);
        }
        if (!is_code) return;
        body.erase(body.begin(), std::ranges::find_if_not(body, is_option));
        blocks_.push_back({joined(body, "\n"), true});
    }

    Lines lines_;
    std::size_t next_ = 0;
    Lines current_;
    std::vector<Block> blocks_;
};

// --- 2. text of a block

/// What stands at the beginning of a text: `width` bytes that become `text`.
struct Replacement {
    std::size_t width = 0;
    std::string_view text;
};

/// `words <target>`_ and `words <target>`__
std::optional<Replacement> rst_link(std::string_view text) {
    if (!text.starts_with('`')) return std::nullopt;
    const std::size_t open = text.find_first_of("`<>", 1);
    if (open == text.npos || text[open] != '<') return std::nullopt;
    const std::size_t close = text.find_first_of("`<>", open + 1);
    if (close == text.npos || !text.substr(close).starts_with(">`_")) return std::nullopt;
    const std::size_t end = close + 3;
    return Replacement{end + (text.substr(end).starts_with('_') ? 1 : 0),
                       without_trailing_space(text.substr(1, open - 1))};
}

/// [words](target), the target an address, an anchor or a relative path.
std::optional<Replacement> markdown_link(std::string_view text) {
    if (!text.starts_with('[')) return std::nullopt;
    const std::size_t close = text.find_first_of("[]", 1);
    if (close == text.npos || !text.substr(close).starts_with("](")) return std::nullopt;
    const std::string_view target = text.substr(close + 2);
    if (!target.starts_with("http:") && !target.starts_with("https:") && !target.starts_with('#') &&
        !target.starts_with('.')) {
        return std::nullopt;
    }
    std::size_t end = 0;
    while (end < target.size() && target[end] != '(' && target[end] != ')' &&
           leading_space(target.substr(end)) == 0) {
        ++end;
    }
    if (end == target.size() || target[end] != ')') return std::nullopt;
    return Replacement{close + 2 + end + 1, text.substr(1, close - 1)};
}

/// <a>, <a ...> and </a>
std::optional<Replacement> html_anchor(std::string_view text) {
    std::size_t begin = 0;
    if (text.starts_with("<a")) begin = 2;
    if (text.starts_with("</a")) begin = 3;
    if (begin == 0) return std::nullopt;
    const std::size_t end = text.find_first_of("<>", begin);
    if (end == text.npos || text[end] != '>') return std::nullopt;
    if (end != begin && leading_space(text.substr(begin)) == 0) return std::nullopt;
    return Replacement{end + 1, {}};
}

/// {#...}
std::optional<Replacement> heading_anchor(std::string_view text) {
    if (!text.starts_with("{#")) return std::nullopt;
    const std::size_t end = text.find_first_of("{}", 2);
    if (end == text.npos || text[end] != '}') return std::nullopt;
    return Replacement{end + 1, {}};
}

std::string replaced(std::string_view text,
                     std::optional<Replacement> (*find)(std::string_view text)) {
    std::string result;
    for (std::size_t k = 0; k < text.size();) {
        if (const auto found = find(text.substr(k))) {
            result += found->text;
            k += found->width;
        } else {
            result += text[k++];
        }
    }
    return result;
}

std::string normalised(std::string_view block) {
    std::string text(block);
    for (const auto find : {rst_link, markdown_link, html_anchor, heading_anchor}) {
        text = replaced(text, find);
    }
    std::string plain;
    bool space = false;
    for (std::string_view rest = text; !rest.empty();) {
        if (const std::size_t width = leading_space(rest)) {
            space = true;
            rest.remove_prefix(width);
            continue;
        }
        const char letter = rest.front();
        rest.remove_prefix(1);
        if (letter == '*' || letter == '`') continue;
        // " :" becomes ":".
        if (space && !plain.empty() && letter != ':') plain += ' ';
        space = false;
        plain += letter;
    }
    return plain;
}

// --- 3. units

/// True where the text ends with the point of an abbreviation or of an ellipsis.
bool ends_within_sentence(std::string_view text) {
    return text.ends_with("..") || text.ends_with("e.g.") || text.ends_with("i.e.");
}

std::vector<std::string> sentences(std::string_view text) {
    std::vector<std::string> result;
    const auto add = [&](std::string_view piece) {
        if (!result.empty() && piece.find(' ') == piece.npos) {
            result.back() += " ";
            result.back() += piece;
        } else {
            result.emplace_back(piece);
        }
    };
    std::size_t begin = 0;
    for (std::size_t k = 0; k + 1 < text.size(); ++k) {
        const bool ends = text[k] == '.' || text[k] == '?' || text[k] == '!';
        if (!ends || text[k + 1] != ' ') continue;
        if (text[k] == '.' && ends_within_sentence(text.substr(0, k + 1))) continue;
        add(text.substr(begin, k + 1 - begin));
        begin = k + 2;
    }
    add(text.substr(begin));
    return result;
}

/// The document that shares the most digests with the units; empty where none shares any.
std::string document_of(const std::vector<Unit>& units, const KnownUnits& known) {
    std::set<std::string_view> digests;
    for (const Unit& unit : units) digests.insert(unit.sha256);
    std::string best;
    std::ptrdiff_t most = 0;
    for (const auto& [document, of_document] : known) {
        const auto shared = std::ranges::count_if(
            of_document, [&](const auto& entry) { return digests.contains(entry.first); });
        if (shared > most) {
            most = shared;
            best = document;
        }
    }
    return best;
}

}  // namespace

std::vector<Unit> document_units(std::string_view text) {
    std::vector<Unit> units;
    for (const Block& block : BlockReader(text).read()) {
        const std::string plain = normalised(block.text);
        if (plain.empty()) continue;
        auto pieces = block.is_code ? std::vector<std::string>{plain} : sentences(plain);
        for (std::string& piece : pieces) {
            std::string digest = sha256_hex(piece);
            units.push_back({std::move(piece), std::move(digest)});
        }
    }
    return units;
}

std::variant<std::vector<InformativeUnit>, std::vector<Problem>> load_informative(
    const fs::path& file) {
    const JsonResult document = read_json(file);
    if (const auto* refused = std::get_if<std::vector<Problem>>(&document)) return *refused;
    const Json& root = std::get<Json>(document);
    Problems problems(file.generic_string());
    std::vector<InformativeUnit> units;
    const Place top;
    const Json* list = check_keys(root, top, {"informative"}, {}, problems)
                           ? array_at(root, top, "informative", problems)
                           : nullptr;
    const Place here = top.child("informative");
    for (std::size_t k = 0; list != nullptr && k < list->size(); ++k) {
        const Json& value = (*list)[k];
        const Place at = here.child(k);
        if (!check_keys(value, at, {"document", "sha256", "reason"}, {}, problems)) continue;
        const std::string* name = string_at(value, at, "document", problems);
        const std::string* digest = string_at(value, at, "sha256", problems);
        const std::string* reason = string_at(value, at, "reason", problems);
        if (name == nullptr || digest == nullptr || reason == nullptr) continue;
        if (digest->size() != 64 ||
            digest->find_first_not_of("0123456789abcdef") != std::string::npos) {
            problems.add(at.child("sha256"), in_quotes(*digest) +
                                                 " is not 64 lower-case hex digits; write the "
                                                 "SHA-256 of the normalised unit");
        }
        units.push_back({*name, *digest, *reason});
    }
    if (!problems.empty()) return std::move(problems).take();
    return units;
}

KnownUnits known_units(const RuleCatalogue& rules,
                       const std::vector<InformativeUnit>& informative) {
    KnownUnits known;
    for (const auto& [id, rule] : rules.rules()) {
        for (const Sentence& sentence : sentences(rule)) {
            known[sentence.document][sentence.sha256].push_back(&rule);
        }
    }
    for (const InformativeUnit& unit : informative) known[unit.document][unit.sha256];
    return known;
}

std::variant<std::vector<DocumentFile>, std::vector<Problem>> read_documents(
    const fs::path& folder, const KnownUnits& known) {
    constexpr std::size_t limit = std::size_t{16} << 20;
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const bool hidden = entry->path().filename().string().starts_with('.');
        if (hidden && entry->is_directory()) entry.disable_recursion_pending();
        if (!hidden && entry->is_regular_file()) paths.push_back(entry->path());
    }
    if (error) {
        return std::vector<Problem>{{folder.generic_string(), "",
                                     "the folder of documents cannot be searched: " +
                                         error.message() + "; check the path and its permissions"}};
    }
    std::ranges::sort(paths);
    std::vector<DocumentFile> files;
    std::vector<Problem> problems;
    for (const fs::path& path : paths) {
        const auto content = read_file(path, limit);
        if (const auto* problem = std::get_if<Problem>(&content)) {
            problems.push_back(*problem);
            continue;
        }
        DocumentFile file;
        file.path = path.lexically_relative(folder).generic_string();
        file.units = document_units(std::get<std::string>(content));
        file.document = document_of(file.units, known);
        files.push_back(std::move(file));
    }
    if (!problems.empty()) return problems;
    return files;
}

}  // namespace gathercheck
