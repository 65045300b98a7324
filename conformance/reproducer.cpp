// SPDX-License-Identifier: Apache-2.0
// Names and heads of reproducers.
#include "conformance/reproducer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "conformance/json.hpp"
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

/// A tensor as the programs print it: its shape, and its bytes in hex or its strings in a list.
std::string printed(const Tensor& tensor) {
    std::string text = to_string(tensor.shape) + " ";
    if (tensor.type == ElementType::string) {
        Json list = Json::array();
        for (std::size_t k = 0; k < tensor.contents.size(); k += sizeof(StringElement)) {
            StringElement element;
            std::memcpy(&element, tensor.contents.data() + k, sizeof element);
            list.push_back(std::string(element.view()));
        }
        return text + list.dump(-1, ' ', true, Json::error_handler_t::replace);
    }
    constexpr std::string_view digits = "0123456789abcdef";
    for (const std::byte byte : tensor.contents) {
        const auto value = std::to_integer<unsigned>(byte);
        text += digits[value / 16];
        text += digits[value % 16];
    }
    return text;
}

/// The last line of a message, where engines say what they mean behind where they say it from; not
/// too long of it.
std::string last_line(std::string text) {
    constexpr std::size_t longest = 120;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text.substr(text.rfind('\n') + 1, longest);
}

struct Shows {
    std::span<const ResolvedAlternative> expected;

    std::string operator()(const ValueOutcome&) const { return an_output(); }
    std::string operator()(const DescriptorOutcome&) const { return "a description"; }
    std::string operator()(const Rejected& rejected) const {
        return "refused: " + last_line(rejected.message);
    }
    std::string operator()(const UnsafeMemory&) const { return an_output(); }
    std::string operator()(const NotDeterministic&) const { return an_output(); }
    std::string operator()(const Crash& crash) const {
        const auto by = [&](std::string_view signal) {
            return crash.what.find("killed by " + std::string(signal)) != std::string::npos;
        };
        if (!by("SIG") || by("SIGKILL")) return {};  // SIGKILL comes from outside
        // Where an access goes astray, the machine decides what lies there: a fault, which may be
        // another one, or bytes of others, which come out as values.
        const std::string output = by("SIGFPE") ? "" : an_output();
        return output.empty() ? "a crash" : "a crash or " + output;
    }
    std::string operator()(const Timeout&) const { return "no end in 10 seconds"; }
    std::string operator()(const Unsupported&) const { return {}; }
    std::string operator()(const Broken&) const { return {}; }
    std::string operator()(const NotRun&) const { return {}; }

    std::string an_output() const {
        constexpr std::int64_t longest = 4096;
        if (expected.empty()) return {};
        const auto* output = std::get_if<ResolvedOutput>(&expected.front());
        if (output == nullptr) return "an output";
        if (!output->contents || element_count(output->descriptor.shape).value_or(0) > longest) {
            return {};
        }
        return "an output other than " + printed(*output->contents);
    }
};

}  // namespace

std::filesystem::path reproducer_file(const ExecutionRecord& failed, const std::string& language) {
    std::string route = to_string(failed.route);
    std::ranges::replace(route, '/', '-');
    const std::string file = file_name_part(failed.case_id) + "." +
                             std::string(name(failed.operator_version)) + "." + route +
                             std::string(language_of(language).extension);
    return std::filesystem::path(file_name_part(failed.implementation)) / file;
}

std::string shows(std::span<const ResolvedAlternative> expected, const Outcome& outcome) {
    return std::visit(Shows{expected}, outcome);
}

std::string reproducer_text(const ExecutionRecord& failed, const Reproducer& reproducer,
                            const RuleCatalogue& rules) {
    const std::string_view comment = language_of(reproducer.language).comment;
    if (comment.empty()) return reproducer.source;
    std::string head = "Case " + failed.case_id + ", " +
                       std::string(name(failed.operator_version)) + ", " + to_string(failed.route) +
                       ", on " + failed.implementation + " " + failed.version + ".\n" +
                       wrong_outcome(failed);
    // What a process left behind when it died speaks of the adapter.
    const bool died = wrong_outcome(failed) == name(Verdict::crash);
    const std::size_t told = died ? failed.detail.find(';') : std::string::npos;
    if (!failed.detail.empty()) head += ": " + failed.detail.substr(0, told);
    for (const std::string& id : reproducer.rules) {
        head += "\nRule " + id;
        if (const Rule* rule = rules.find(id)) {
            head += " (" + rule->document + ", " + rule->section + "): " + rule->statement;
        }
    }
    if (!reproducer.shows.empty()) head += "\nshows: " + reproducer.shows;
    std::string text(comment);
    for (const char c : head) {
        // What others printed may hold anything; a comment ends at the end of its line.
        const bool is_control = static_cast<unsigned char>(c) < 0x20 && c != '\n';
        text += is_control ? ' ' : c;
        if (c == '\n') text += comment;
    }
    return text + "\n" + reproducer.source;
}

}  // namespace gathercheck
