// SPDX-License-Identifier: Apache-2.0
// The rule catalogue: one entry for each numbered statement of a specification.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/util/problem.hpp"
#include "reference/error.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

/// Where a sentence stands, and the digest of its normalised text.
struct Sentence {
    std::string document;
    std::string section;
    std::string sha256;
};

struct Rule {
    std::string id;
    OperatorVersion version;
    std::string statement;
    std::string level;  ///< "stated", "derived" or "reading"
    std::string document;
    std::string section;
    std::string sha256;            ///< of the normalised sentence; empty where there is none
    std::string no_sentence;       ///< why there is none
    std::vector<Sentence> also;    ///< further sentences that it rests on, of any document
    std::vector<Category> errors;  ///< the categories that breaking it can produce
    std::optional<Phase> phase;    ///< with errors
    std::string positive;          ///< what a case that keeps it must show
    std::string negative;    ///< what a case that breaks it must show; empty: cannot be broken
    std::string same_check;  ///< the primary rule of the check that this one rests on too
    std::string untestable;  ///< why no case can test it; empty otherwise
};

/// Every sentence that a rule rests on.
std::vector<Sentence> sentences(const Rule& rule);

/// What a level means: "a sentence says it".
std::string_view level_meaning(std::string_view level);

class RuleCatalogue {
public:
    void add(Rule rule) { rules_.emplace(rule.id, std::move(rule)); }
    const Rule* find(std::string_view id) const {
        const auto found = rules_.find(id);
        return found == rules_.end() ? nullptr : &found->second;
    }
    const std::map<std::string, Rule, std::less<>>& rules() const { return rules_; }

    void add_address(std::string document, std::string address) {
        addresses_.emplace(std::move(document), std::move(address));
    }
    /// Where a document can be read: an https address; empty where none is known.
    std::string address(std::string_view document) const {
        const auto found = addresses_.find(document);
        return found == addresses_.end() ? std::string() : found->second;
    }

private:
    std::map<std::string, Rule, std::less<>> rules_;
    std::map<std::string, std::string, std::less<>> addresses_;
};

/// The file beside the rules that says where each document can be read.
inline constexpr std::string_view addresses_file = "addresses.json";

/// Loads every <operator version>.json of a folder, and the addresses if it has them (other names
/// are skipped); all problems found otherwise.
std::variant<RuleCatalogue, std::vector<Problem>> load_rules(const std::filesystem::path& folder);

}  // namespace gathercheck
