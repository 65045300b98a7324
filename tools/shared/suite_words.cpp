// SPDX-License-Identifier: Apache-2.0
#include "tools/shared/suite_words.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/shared/answer_text.hpp"

namespace gathercheck {
namespace {

/// A file of cases as a URI: that of the shipped data by its path in a checkout, others by theirs
/// from here where they lie below.
std::string uri_of(const std::string& file, const LoadedSuite& loaded) {
    const std::filesystem::path path(file);
    const std::filesystem::path relative =
        path.lexically_proximate(std::filesystem::current_path());
    std::string text = "spec_cases/cases/" + path.filename().generic_string();
    if (!loaded.shipped) {
        const bool is_below = relative.is_relative() && *relative.begin() != "..";
        text = is_below ? relative.generic_string() : path.generic_string();
    }
    std::string uri = text.starts_with('/') ? "file://" : "";
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    for (const char c : text) {
        constexpr std::string_view digits = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        if (plain.find(c) != std::string_view::npos) {
            uri += c;
        } else {
            uri += {'%', digits[byte / digits.size()], digits[byte % digits.size()]};
        }
    }
    return uri;
}

/// The lines of a file in which the ids of its cases stand.
std::map<std::string, std::int64_t> lines_of(const std::string& file) {
    std::map<std::string, std::int64_t> lines;
    std::ifstream stream(file);
    std::int64_t number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        constexpr std::string_view key = "\"id\"";
        const std::size_t at = line.find(key);
        if (at == std::string::npos) continue;
        const std::size_t begin = line.find('"', at + key.size());
        const std::size_t end = begin == std::string::npos ? begin : line.find('"', begin + 1);
        if (end != std::string::npos) {
            lines.try_emplace(line.substr(begin + 1, end - begin - 1), number);
        }
    }
    return lines;
}

}  // namespace

SuiteWords words_of(const LoadedSuite& loaded) {
    const auto cases = std::make_shared<const CasesById>(loaded.suite.cases);
    const auto find = [&loaded, cases](const std::string& id) {
        return loaded.suite.retyped.find(*cases, id);
    };
    SuiteWords words;
    words.call = [find](const ExecutionRecord& record) {
        std::vector<std::string> operands;
        const Case* tested = find(record.case_id);
        const bool is_same = tested != nullptr && !record.case_hash.empty() &&
                             tested->hash.starts_with(record.case_hash);
        if (!is_same) return operands;
        for (const auto& [label, value] : call_rows(*tested)) {
            operands.push_back(label + ": " + value);
        }
        return operands;
    };
    words.rule = [&loaded](const std::string& id) { return loaded.rules.find(id); };
    words.address = [&loaded](const std::string& document) {
        return loaded.rules.address(document);
    };
    const auto lines =
        std::make_shared<std::map<std::string, std::map<std::string, std::int64_t>>>();
    words.place = [&loaded, find, lines](const std::string& id) -> std::optional<CasePlace> {
        const Case* tested = find(id);
        if (tested == nullptr) return std::nullopt;
        const auto [of_file, is_new] = lines->try_emplace(tested->file);
        if (is_new) of_file->second = lines_of(tested->file);
        const std::string written = tested->written.empty() ? id : tested->written;
        const auto line = of_file->second.find(written.substr(0, written.find('/')));
        return CasePlace{uri_of(tested->file, loaded),
                         line == of_file->second.end() ? 1 : line->second};
    };
    return words;
}

}  // namespace gathercheck
