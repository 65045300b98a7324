// SPDX-License-Identifier: Apache-2.0
// Documents: a specification's text cut into normalised units, as spec_cases/rules/README.md says,
// and the documents of a folder told apart by the units they share with the catalogue.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/model/rules.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {

/// A sentence, a table row or a code block, without markup and with single blanks.
struct Unit {
    std::string text;
    std::string sha256;  ///< of the text, lower-case hex
};

/// The units of a text in plain form, reStructuredText or Markdown, in their order.
std::vector<Unit> document_units(std::string_view text);

/// A unit that states no rule.
struct InformativeUnit {
    std::string document;
    std::string sha256;
    std::string reason;
};

std::variant<std::vector<InformativeUnit>, std::vector<Problem>> load_informative(
    const std::filesystem::path& file);

/// What the catalogue knows of each document by name: digests of units, and the rules that rest on
/// each (none for an informative one).
using KnownUnits =
    std::map<std::string, std::map<std::string, std::vector<const Rule*>, std::less<>>,
             std::less<>>;

KnownUnits known_units(const RuleCatalogue& rules, const std::vector<InformativeUnit>& informative);

/// One file of a folder of documents.
struct DocumentFile {
    std::string path;      ///< relative to the folder
    std::string document;  ///< empty: shares no unit with any document of the catalogue
    std::vector<Unit> units;
};

/// Reads every file under the folder, sorted by path; hidden ones are left out.
std::variant<std::vector<DocumentFile>, std::vector<Problem>> read_documents(
    const std::filesystem::path& folder, const KnownUnits& known);

}  // namespace gathercheck
