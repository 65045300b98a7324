// SPDX-License-Identifier: Apache-2.0
// Updates of known-failure files, and the one form in which they are written.
#include "conformance/known_failures/known_failures_update.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "conformance/known_failures/version_pattern.hpp"
#include "conformance/records/record_json.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {
namespace {

constexpr std::size_t most_columns = 148;

using Key = std::tuple<std::string, OperatorVersion, Route>;

/// Executions that are a product of three lists.
struct Product {
    std::vector<std::string> cases;
    std::vector<OperatorVersion> versions;
    std::vector<Route> routes;
};

/// The group of a list of pairs with that key; made where there is none yet.
template <class Groups, class GroupKey>
auto& group_of(Groups& groups, const GroupKey& key) {
    const auto found =
        std::ranges::find_if(groups, [&](const auto& group) { return group.first == key; });
    if (found != groups.end()) return found->second;
    return groups.emplace_back(key, typename Groups::value_type::second_type{}).second;
}

/// Few products that hold exactly those executions, in the order in which they are given.
std::vector<Product> products_of(std::span<const Key> executions) {
    using Routes = std::vector<Route>;
    using Versions = std::vector<OperatorVersion>;
    std::map<std::string, std::size_t> places;
    std::vector<std::pair<std::string, std::vector<std::pair<OperatorVersion, Routes>>>> by_case;
    for (const auto& [id, version, route] : executions) {
        const auto [place, is_new] = places.emplace(id, by_case.size());
        if (is_new) by_case.emplace_back(id, std::vector<std::pair<OperatorVersion, Routes>>{});
        group_of(by_case[place->second].second, version).push_back(route);
    }
    std::vector<std::pair<std::pair<Versions, Routes>, std::vector<std::string>>> products;
    for (const auto& [id, routes_of] : by_case) {
        std::vector<std::pair<Routes, Versions>> by_routes;
        for (const auto& [version, routes] : routes_of) {
            group_of(by_routes, routes).push_back(version);
        }
        for (const auto& [routes, versions] : by_routes) {
            group_of(products, std::pair(versions, routes)).push_back(id);
        }
    }
    std::vector<Product> result;
    for (auto& [key, cases] : products) {
        result.push_back({std::move(cases), key.first, key.second});
    }
    return result;
}

/// One thing as it is, more as a list.
template <class Item, class ToJson>
Json one_or_list(const std::vector<Item>& items, ToJson to_json) {
    if (items.size() == 1) return to_json(items.front());
    Json list = Json::array();
    for (const Item& item : items) list.push_back(to_json(item));
    return list;
}

std::vector<Json> one_or_many(const Json& value) {
    if (!value.is_array()) return {value};
    return {value.begin(), value.end()};
}

/// Writes the executions of a product into an entry, and takes rules of other operator versions out
/// of it.
void put_product(Json& entry, const Product& product, const RuleCatalogue& rules) {
    entry["case"] = one_or_list(product.cases, [](const std::string& id) { return Json(id); });
    entry["operator"] =
        one_or_list(product.versions, [](OperatorVersion version) { return Json(name(version)); });
    entry["route"] = one_or_list(product.routes, route_json);
    if (find_member(entry, "rule") == nullptr) return;
    std::vector<std::string> cited;
    for (const Json& id : one_or_many(entry.at("rule"))) {
        const Rule* rule = rules.find(id.get_ref<const std::string&>());
        if (rule == nullptr ||
            std::ranges::find(product.versions, rule->version) == product.versions.end()) {
            continue;
        }
        cited.push_back(rule->id);
    }
    entry["rule"] = one_or_list(cited, [](const std::string& id) { return Json(id); });
}

/// The rules of that version that a case names; none where there is no such case.
std::vector<std::string> rules_of(const Case* tested, OperatorVersion version,
                                  const RuleCatalogue& catalogue) {
    const Expectation* expectation = tested == nullptr ? nullptr : tested->expectation(version);
    if (expectation == nullptr) return {};
    std::vector<std::string> rules;
    for (const std::string& id : expectation->rules) {
        const Rule* rule = catalogue.find(id);
        if (rule != nullptr && rule->version == version) rules.push_back(id);
    }
    return rules;
}

/// Precondition: the loader accepts the route.
Route route_of(const Json& value) {
    Route route;
    route.operands = *operands(value.at("operands").get_ref<const std::string&>());
    route.shapes = *shapes(value.at("shapes").get_ref<const std::string&>());
    if (const Json* axis = find_member(value, "axis")) {
        route.axis = *axis_operand(axis->get_ref<const std::string&>());
    }
    return route;
}

/// The executions of an entry that the loader accepts.
std::vector<Key> executions_of(const Json& entry) {
    std::vector<Key> executions;
    for (const Json& id : one_or_many(entry.at("case"))) {
        for (const Json& version : one_or_many(entry.at("operator"))) {
            for (const Json& route : one_or_many(entry.at("route"))) {
                executions.emplace_back(id.get<std::string>(),
                                        *operator_version(version.get_ref<const std::string&>()),
                                        route_of(route));
            }
        }
    }
    return executions;
}

/// On one line, with a space behind each comma and colon.
std::string on_one_line(const Json& value) {
    if (!value.is_structured()) return value.dump();
    std::string text;
    for (const auto& [key, member] : value.items()) {
        if (!text.empty()) text += ", ";
        if (value.is_object()) text += Json(key).dump() + ": ";
        text += on_one_line(member);
    }
    return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

/// A member of an entry: on one line where it fits, else an item a line.
std::string member_text(const std::string& key, const Json& value, bool is_last) {
    const std::string indent(6, ' ');
    const std::string head = indent + Json(key).dump() + ": ";
    const std::string tail = is_last ? "" : ",";
    const std::string line = head + on_one_line(value) + tail;
    if (!value.is_array() || line.size() <= most_columns) return line + "\n";
    std::string text = head + "[\n";
    for (std::size_t k = 0; k < value.size(); ++k) {
        text += indent + "  " + on_one_line(value[k]) + (k + 1 < value.size() ? ",\n" : "\n");
    }
    return text + indent + "]" + tail + "\n";
}

std::string entry_text(const Json& entry) {
    std::string text = "    {\n";
    std::size_t left = entry.size();
    for (const auto& [key, value] : entry.items()) text += member_text(key, value, --left == 0);
    return text + "    }";
}

std::string file_text(const std::string& implementation, const Json& versions, bool witness,
                      const std::vector<Json>& entries) {
    std::string text = "{\n  \"implementation\": " + Json(implementation).dump() +
                       ",\n  \"versions\": " + on_one_line(versions) +
                       (witness ? ",\n  \"witness\": true" : "") + ",\n  \"failures\": [";
    for (std::size_t k = 0; k < entries.size(); ++k) {
        text += (k == 0 ? "\n" : ",\n") + entry_text(entries[k]);
    }
    return text + (entries.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace

void KnownFailuresUpdate::add(const Record& record) {
    if (const auto* implementation = std::get_if<ImplementationRecord>(&record)) {
        if (implementation->name == implementation_) {
            version_ = implementation->version;
            witness_ = implementation->witness;
        }
    }
    const auto* execution = std::get_if<ExecutionRecord>(&record);
    if (execution == nullptr || execution->implementation != implementation_) return;
    if (!says_something(*execution)) return;
    seen_[{execution->case_id, execution->operator_version, execution->route}] = {
        wrong_outcome(*execution), execution_key(*execution)};
}

void KnownFailuresUpdate::drop(const KnownFailure& entry) {
    gone_.emplace(entry.case_id, entry.version, entry.route);
}

bool KnownFailuresUpdate::saw_failures() const {
    return std::ranges::any_of(seen_, [](const auto& one) { return !one.second.wrong.empty(); });
}

bool KnownFailuresUpdate::holds(const Key& key, const std::vector<std::string>& outcomes) const {
    if (gone_.contains(key)) return false;
    const auto seen = seen_.find(key);
    if (seen == seen_.end()) return true;
    const std::string& wrong = seen->second.wrong;
    return expects(outcomes, wrong.empty() ? "pass" : wrong);
}

std::map<KnownFailuresUpdate::Key, KnownFailuresUpdate::Cause> KnownFailuresUpdate::new_failures(
    const std::set<Key>& listed, const NewEntries& added, UpdatedKnownFailures& updated) const {
    std::map<Key, Cause> fresh;
    std::set<std::string> causes;
    for (const auto& [key, seen] : seen_) {
        if (seen.wrong.empty() || listed.contains(key)) continue;
        const auto found = added.causes.find(seen.key);
        const std::string cause = found == added.causes.end() ? std::string() : found->second;
        causes.insert(cause);
        fresh[key] = {seen.wrong, cause};
        updated.added_versions.insert(std::get<OperatorVersion>(key));
        ++updated.added;
    }
    const bool has_one_cause = causes.size() <= 1;
    // What the diagnosis tells apart keeps its words: one reason is not true of several causes.
    updated.is_reason_used = added.reason.empty() || has_one_cause || causes.contains("");
    for (auto& [key, cause] : fresh) {
        std::string& reason = cause.second;
        if (added.has_finding) {
            reason.clear();
        } else if (!added.reason.empty() && (has_one_cause || reason.empty())) {
            reason = added.reason;
        } else {
            ++(reason.empty() ? updated.blank : updated.diagnosed);
        }
    }
    return fresh;
}

namespace {

/// Keeps of entries the executions that hold, and returns these.
std::set<Key> keep(const Json& before,
                   const std::function<bool(const Key&, const std::vector<std::string>&)>& holds,
                   const RuleCatalogue& rules, UpdatedKnownFailures& updated,
                   std::vector<Json>& entries) {
    std::set<Key> listed;
    for (const Json& entry : before) {
        const auto outcomes = entry.at("outcomes").get<std::vector<std::string>>();
        const std::vector<Key> executions = executions_of(entry);
        std::vector<Key> kept;
        std::ranges::copy_if(executions, std::back_inserter(kept),
                             [&](const Key& key) { return holds(key, outcomes); });
        listed.insert(kept.begin(), kept.end());
        updated.dropped += static_cast<std::int64_t>(executions.size() - kept.size());
        if (kept.size() == executions.size()) {
            entries.push_back(entry);
            continue;
        }
        for (const Product& product : products_of(kept)) {
            put_product(entries.emplace_back(entry), product, rules);
        }
    }
    return listed;
}

/// The rules that a case cites, by operator version.
using Cited = std::map<OperatorVersion, std::vector<std::string>>;

/// Adds the entries of executions that fail in one way, for one reason, against the same rules.
void add_entries(const std::pair<std::string, std::string>& cause, const Cited& cited,
                 std::vector<Key> executions, const RuleCatalogue& rules, const NewEntries& added,
                 std::vector<Json>& entries) {
    std::ranges::sort(executions, {}, [](const Key& key) {
        const auto& [id, version, route] = key;
        return std::tuple(id, version, to_string(route));
    });
    const auto& [wrong, reason] = cause;
    for (const Product& product : products_of(executions)) {
        Json& entry = entries.emplace_back(Json::object());
        put_product(entry, product, rules);
        entry["outcomes"] = Json::array({wrong});
        if (added.has_finding) {
            entry["finding"] = added.finding;
            continue;
        }
        entry["reason"] = reason;
        std::vector<std::string> ids;
        for (const OperatorVersion version : product.versions) {
            std::ranges::copy(cited.at(version), std::back_inserter(ids));
        }
        if (!ids.empty()) {
            entry["rule"] = one_or_list(ids, [](const std::string& id) { return Json(id); });
        }
    }
}

}  // namespace

std::variant<UpdatedKnownFailures, std::vector<Problem>> KnownFailuresUpdate::update(
    const std::filesystem::path& file, const Suite& suite, const RuleCatalogue& rules,
    const FindingCatalogue& findings, const NewEntries& added) const {
    Json versions = pattern_of(version_);
    bool witness = witness_;
    Json before = Json::array();
    if (!file.empty()) {
        auto loaded = load_known_failures(file, rules, findings);
        if (auto* problems = std::get_if<std::vector<Problem>>(&loaded)) {
            return std::move(*problems);
        }
        const auto& known = std::get<KnownFailures>(loaded);
        const auto document = std::get<Json>(read_json(file));
        if (known.covers(version_)) versions = document.at("versions");
        before = document.at("failures");
        witness = witness || known.witness;
    }
    UpdatedKnownFailures updated;
    std::vector<Json> entries;
    const std::set<Key> listed = keep(
        before,
        [this](const Key& key, const std::vector<std::string>& outcomes) {
            return holds(key, outcomes);
        },
        rules, updated, entries);
    const std::map<Key, Cause> fresh = new_failures(listed, added, updated);

    // The cases of an entry name the same rules.
    const CasesById cases(suite.cases);
    std::map<std::pair<Cause, std::string>, Cited> rules_of_case;
    for (const auto& [key, cause] : fresh) {
        const auto& [id, version, route] = key;
        Cited& cited = rules_of_case[{cause, id}];
        if (added.has_finding) continue;
        cited.emplace(version, rules_of(suite.retyped.find(cases, id), version, rules));
    }
    std::map<std::pair<Cause, Cited>, std::vector<Key>> unlisted;
    for (const auto& [key, cause] : fresh) {
        unlisted[{cause, rules_of_case.at({cause, std::get<std::string>(key)})}].push_back(key);
    }
    for (const auto& [kind, executions] : unlisted) {
        add_entries(kind.first, kind.second, executions, rules, added, entries);
    }
    updated.text = file_text(written_as_, versions, witness, entries);
    return updated;
}

}  // namespace gathercheck
