// SPDX-License-Identifier: Apache-2.0
// Meanings: the operator versions that the table defines by what they say.
#include "conformance/load/meaning.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <span>

namespace gathercheck {
namespace {

// The words, each kind in the order of its enumerators (negatives: false, true).
constexpr std::array<std::string_view, 3> families{"gather", "gather_elements", "gather_nd"};
constexpr std::array<std::string_view, 3> negatives{"from_zero", "wraps", "*"};
constexpr std::array<std::string_view, 4> outsides{"rejects", "zeros", "clamps", "*"};

/// "a, b or c".
std::string one_of(std::span<const std::string_view> words) {
    std::string text(words.front());
    for (const std::string_view word : words.subspan(1, words.size() - 2)) {
        text += ", " + std::string(word);
    }
    return text + " or " + std::string(words.back());
}

bool is_meaning(std::string_view entry) { return entry.find('/') != std::string_view::npos; }

/// family/negative/outside.
struct Meaning {
    std::array<std::string_view, 3> words;

    bool has(const OperatorInfo& op) const {
        const auto is = [](std::string_view word, std::string_view of) {
            return word == "*" || word == of;
        };
        const auto family = static_cast<std::size_t>(op.family);
        if (family >= families.size()) return false;  // of one version, which is named
        return words[0] == families[family] &&
               is(words[1], negatives[op.negative_indices ? 1 : 0]) &&
               is(words[2], outsides[static_cast<std::size_t>(op.out_of_bounds)]);
    }
};

std::optional<Meaning> read_meaning(std::string_view text, const Place& at, Problems& problems) {
    Meaning meaning;
    std::string_view rest = text;
    for (std::string_view& word : meaning.words) {
        word = rest.substr(0, rest.find('/'));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    if (std::ranges::count(text, '/') != 2) {
        problems.add(at, in_quotes(text) +
                             " is no meaning; write family/negative/outside, like "
                             "gather/wraps/rejects");
        return std::nullopt;
    }
    const std::array<std::span<const std::string_view>, 3> known{families, negatives, outsides};
    for (std::size_t k = 0; k < known.size(); ++k) {
        if (std::ranges::find(known[k], meaning.words[k]) != known[k].end()) continue;
        problems.add(at, "the word " + in_quotes(meaning.words[k]) + " of the meaning " +
                             in_quotes(text) + " is unknown; write " + one_of(known[k]));
        return std::nullopt;
    }
    return meaning;
}

/// What "for" of one expectation says.
struct Entries {
    std::vector<std::string> texts;
    bool all_read = true;  ///< else entries that were refused have shifted the others
    std::set<OperatorVersion> named;
};

class VersionsReader {
public:
    VersionsReader(const Json& expectations, const Place& at, Problems& problems)
        : at_(at), problems_(problems), entries_(expectations.size()), versions_(entries_.size()) {
        for (std::size_t k = 0; k < entries_.size(); ++k) read_names(expectations[k], k);
        for (std::size_t k = 0; k < entries_.size(); ++k) read_meanings(k);
    }

    std::vector<std::vector<OperatorVersion>> take() && { return std::move(versions_); }

private:
    template <typename Read>
    void at_entry(std::size_t expectation, std::size_t entry, const Read& read) {
        const Place each = at_.child(expectation);
        const Place list = each.child("for");
        if (entries_[expectation].all_read) {
            const Place place = list.child(entry);
            read(place);
        } else {
            read(list);
        }
    }

    void read_names(const Json& expectation, std::size_t k) {
        const Json* list = find_member(expectation, "for");
        if (list == nullptr) return;
        Entries& entries = entries_[k];
        const Place each = at_.child(k);
        const Place here = each.child("for");
        const std::size_t before = problems_.added();
        entries.texts = strings_of(*list, here, problems_);
        entries.all_read = problems_.added() == before;
        for (std::size_t j = 0; j < entries.texts.size(); ++j) {
            const std::string& text = entries.texts[j];
            if (is_meaning(text)) continue;
            if (const auto version = operator_version(text)) {
                versions_[k].push_back(*version);
                entries.named.insert(*version);
                continue;
            }
            std::string known;
            for (const OperatorInfo& row : operator_versions()) {
                known += (known.empty() ? "" : ", ") + std::string(row.name);
            }
            at_entry(k, j, [&](const Place& place) {
                problems_.add(place,
                              in_quotes(text) + " is no operator version; write one of " + known);
            });
        }
    }

    void read_meanings(std::size_t k) {
        const std::vector<std::string>& texts = entries_[k].texts;
        for (std::size_t j = 0; j < texts.size(); ++j) {
            if (!is_meaning(texts[j])) continue;
            at_entry(k, j, [&](const Place& place) { add_meant(texts[j], k, place); });
        }
    }

    void add_meant(std::string_view text, std::size_t k, const Place& at) {
        const auto meaning = read_meaning(text, at, problems_);
        if (!meaning) return;
        std::vector<OperatorVersion>& versions = versions_[k];
        bool any = false;
        for (const OperatorInfo& op : operator_versions().first(enumerated_version_count)) {
            if (!meaning->has(op) || is_named_elsewhere(op.version, k)) continue;
            any = true;
            if (std::ranges::find(versions, op.version) == versions.end()) {
                versions.push_back(op.version);
            } else {
                problems_.add(at, in_quotes(text) + " means " + std::string(op.name) +
                                      ", which this list has already; remove one of the two, or "
                                      "write a narrower meaning");
            }
        }
        if (!any) {
            problems_.add(at, in_quotes(text) +
                                  " means no operator version that the other expectations of this "
                                  "case do not name; remove it, or write another meaning");
        }
    }

    bool is_named_elsewhere(OperatorVersion version, std::size_t k) const {
        for (std::size_t other = 0; other < entries_.size(); ++other) {
            if (other != k && entries_[other].named.contains(version)) return true;
        }
        return false;
    }

    const Place& at_;
    Problems& problems_;
    std::vector<Entries> entries_;
    std::vector<std::vector<OperatorVersion>> versions_;
};

bool names_all(const Json& expectation) {
    const auto none = [&](std::string_view key, const auto& is_short) {
        return std::ranges::none_of(*find_member(expectation, key), [&](const Json& entry) {
            return is_short(entry.get_ref<const std::string&>());
        });
    };
    return none("for", is_meaning) && none("rules", stands_for_each);
}

}  // namespace

std::vector<std::vector<OperatorVersion>> read_versions(const Json& expectations, const Place& at,
                                                        Problems& problems) {
    return VersionsReader(expectations, at, problems).take();
}

std::vector<std::string> rule_ids(std::string_view entry,
                                  const std::vector<OperatorVersion>& versions) {
    if (!stands_for_each(entry)) return {std::string(entry)};
    const std::string ending(entry.substr(1));
    std::vector<std::string> ids;
    for (const OperatorVersion version : versions) {
        ids.push_back(std::string(info(version).rules) + ending);
    }
    return ids;
}

void append_one_by_one(std::string& text, const Json& value, const Case& read) {
    const Json& expectations = *find_member(value, "expect");
    if (std::ranges::all_of(expectations, names_all)) {
        append_canonical_json(text, value);
        return;
    }
    Json written = value;
    for (std::size_t k = 0; k < read.expect.size(); ++k) {
        Json& expectation = written["expect"][k];
        Json names = Json::array();
        for (const OperatorVersion version : read.expect[k].versions)
            names.push_back(name(version));
        expectation["for"] = std::move(names);
        expectation["rules"] = read.expect[k].rules;
    }
    append_canonical_json(text, written);
}

}  // namespace gathercheck
