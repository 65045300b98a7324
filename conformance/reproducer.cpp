// SPDX-License-Identifier: Apache-2.0
// Names and heads of reproducers.
#include "conformance/reproducer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "conformance/sha256.hpp"

namespace gathercheck {
namespace {

struct Language {
    std::string_view name;
    std::string_view extension;
    std::string_view comment;
};

constexpr std::array<Language, 6> languages{{
    {"python", ".py", "# "},
    {"c++", ".cpp", "// "},
    {"c", ".c", "// "},
    {"rust", ".rs", "// "},
    {"javascript", ".js", "// "},
    {"shell", ".sh", "# "},
}};

/// The language of a worker that names it; without a comment for one that is not known.
Language language_of(std::string name) {
    std::ranges::transform(name, name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const auto found = std::ranges::find(languages, std::string_view(name), &Language::name);
    return found == languages.end() ? Language{{}, ".txt", {}} : *found;
}

/// `text` as a part of a file name. '/' becomes '_' as it is in ids of sweeps; whatever could make
/// two texts the same file is told apart by a hash.
std::string file_name_part(const std::string& text) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.=-";
    constexpr std::size_t longest = 160;
    constexpr std::size_t digits = 8;
    const bool has_both =
        text.find('/') != std::string::npos && text.find('_') != std::string::npos;
    bool is_plain = !has_both && text.size() <= longest && !text.starts_with('.');
    std::string part = text.substr(0, longest);
    for (char& c : part) {
        if (plain.find(c) != std::string_view::npos) continue;
        is_plain = is_plain && c == '/';
        c = '_';
    }
    if (part.starts_with('.')) part.front() = '_';
    return is_plain ? part : part + "-" + sha256_hex(text).substr(0, digits);
}

}  // namespace

std::filesystem::path reproducer_file(const ExecutionRecord& failed, const std::string& language) {
    std::string route = to_string(failed.route);
    std::ranges::replace(route, '/', '-');
    const std::string file = file_name_part(failed.case_id) + "." +
                             std::string(name(failed.operator_version)) + "." + route +
                             std::string(language_of(language).extension);
    return std::filesystem::path(file_name_part(failed.implementation)) / file;
}

std::string reproducer_text(const ExecutionRecord& failed, const std::string& language,
                            const std::string& source) {
    const std::string_view comment = language_of(language).comment;
    if (comment.empty()) return source;
    std::string head = "Case " + failed.case_id + ", " +
                       std::string(name(failed.operator_version)) + ", " + to_string(failed.route) +
                       ", on " + failed.implementation + " " + failed.version + ".\n" +
                       wrong_outcome(failed);
    if (!failed.detail.empty()) head += ": " + failed.detail;
    std::string text(comment);
    for (const char c : head) {
        // What others printed may hold anything; a comment ends at the end of its line.
        const bool is_control = static_cast<unsigned char>(c) < 0x20 && c != '\n';
        text += is_control ? ' ' : c;
        if (c == '\n') text += comment;
    }
    return text + "\n" + source;
}

}  // namespace gathercheck
