// SPDX-License-Identifier: Apache-2.0
// Names and heads of reproducers.
#include "conformance/reproducers/reproducer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "conformance/implementations/worker/protocol.hpp"
#include "conformance/util/bounded_lines.hpp"
#include "conformance/util/capped.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/sha256.hpp"
#include "reference/byte_order.hpp"

namespace gathercheck {
namespace {

struct Language {
    std::string_view name;
    std::string_view extension;
    std::string_view comment;
};

constexpr std::array<Language, 7> languages{{
    {"python", ".py", "# "},
    {"c++", ".cpp", "// "},
    {"c", ".c", "// "},
    {"rust", ".rs", "// "},
    {"go", ".go", "// "},
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
    const LittleEndian sent(tensor.type, tensor.contents);
    for (const std::byte byte : sent.bytes()) {
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
    return std::string(start_of(std::string_view(text).substr(text.rfind('\n') + 1), longest));
}

/// Texts of others in a head: what they hold begins no line of it.
std::string inside_head(std::string_view text) {
    std::string result;
    for (const char c : text) {
        result += c;
        if (c == '\n') result += "  ";
    }
    return result;
}

/// A line of a head behind its comment sign; nothing where the line is no comment.
std::optional<std::string_view> commented(std::string_view line) {
    for (const std::string_view sign : {"#", "//"}) {
        if (!line.starts_with(sign)) continue;
        line.remove_prefix(sign.size());
        if (line.starts_with(' ')) line.remove_prefix(1);
        return line;
    }
    return std::nullopt;
}

/// "openvino" of "Case gather-x, openvino.Gather-8, runtime/static, on openvino 2026.4.1.", if it
/// is one of those known.
std::string implementation_in(std::string_view line, std::span<const std::string> known) {
    constexpr std::string_view on = ", on ";
    const std::size_t place = line.rfind(on);
    if (!line.starts_with("Case ") || place == std::string_view::npos) return {};
    const std::string_view name = line.substr(place + on.size());
    for (const std::string& one : known) {
        if (name.starts_with(one + " ")) return one;
    }
    return {};
}

/// The command that a head's line holds, or why it cannot be one.
std::variant<std::vector<std::string>, std::string> command_in(std::string_view text) {
    const JsonResult parsed = parse_json(text, "command");
    const Json* list = std::get_if<Json>(&parsed);
    std::vector<std::string> command;
    const bool is_list = list != nullptr && list->is_array();
    if (is_list) {
        for (const Json& word : *list) {
            if (word.is_string()) command.push_back(word.get<std::string>());
        }
    }
    if (!is_list || command.size() != list->size()) {
        return "its \"command:\" is no JSON list of strings, as [\"python3\",\"{file}\"] is one";
    }
    const std::string fault = fault_of_command(command);
    if (!fault.empty()) return "its \"command:\" " + fault;
    return command;
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
                       ", on " + inside_head(failed.implementation) + " " +
                       inside_head(failed.version) + ".\n" + wrong_outcome(failed);
    // What a process left behind when it died speaks of the adapter.
    const bool died = wrong_outcome(failed) == name(Verdict::crash);
    const std::size_t told = died ? failed.detail.find(';') : std::string::npos;
    if (!failed.detail.empty()) head += ": " + inside_head(failed.detail.substr(0, told));
    for (const std::string& id : reproducer.rules) {
        head += "\nRule " + id;
        if (const Rule* rule = rules.find(id)) {
            head += " (" + rule->document + ", " + rule->section + "): " + rule->statement;
        }
    }
    if (!reproducer.command.empty()) {
        head += "\ncommand: " +
                Json(reproducer.command).dump(-1, ' ', true, Json::error_handler_t::replace);
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

ReproducerHead read_reproducer_head(const std::filesystem::path& file,
                                    std::span<const std::string> known) {
    constexpr std::size_t longest = std::size_t{1} << 24;
    constexpr std::string_view shows_key = "shows: ";
    constexpr std::string_view command_key = "command: ";
    ReproducerHead head;
    BoundedLines lines(file, longest);
    if (!lines.is_open()) return {{}, {}, {}, "it cannot be read"};
    for (std::string line; lines.next(line);) {
        if (line.ends_with('\r')) line.pop_back();
        const auto said = commented(line);
        if (!said && !line.empty()) break;
        if (!said) continue;
        if (head.implementation.empty()) head.implementation = implementation_in(*said, known);
        // What comes behind is the program's own comment.
        if (head.shows.empty() && said->starts_with(shows_key)) {
            head.shows = said->substr(shows_key.size());
        }
        if (head.command.empty() && head.shows.empty() && said->starts_with(command_key)) {
            auto command = command_in(said->substr(command_key.size()));
            if (auto* fault = std::get_if<std::string>(&command)) {
                head.fault = std::move(*fault);
                return head;
            }
            head.command = std::move(std::get<0>(command));
        }
    }
    return head;
}

std::string_view language_of_reproducer(const std::filesystem::path& file) {
    const auto found =
        std::ranges::find(languages, file.extension().string(), &Language::extension);
    return found == languages.end() ? std::string_view{} : found->name;
}

}  // namespace gathercheck
