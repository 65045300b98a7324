// SPDX-License-Identifier: Apache-2.0
// What reads, one target a kind: an input is taken or refused with a reason. For every driver.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace gathercheck::fuzz {

/// What an input makes: nothing, or what is wrong with that.
using Target = std::function<std::string(const std::string&)>;

/// Folders that a target reads once.
struct Places {
    std::filesystem::path spec;    ///< spec_cases
    std::filesystem::path corpus;  ///< tools/fuzz/corpus
};

std::string content_of(const std::filesystem::path& file);

/// The target of a kind: cases, records, answers, known_failures, import. Nothing where this build
/// has none; the text is what is wrong with the folders.
std::variant<std::optional<Target>, std::string> target_of(const std::string& kind,
                                                           const Places& places);

}  // namespace gathercheck::fuzz
