// SPDX-License-Identifier: Apache-2.0
// The table of operator versions less what an implementation claims.
#include "conformance/records/unclaimed.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "conformance/records/unclaimed_json.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

TypeSet operator&(TypeSet a, TypeSet b) {
    TypeSet both;
    both.members = a.members & b.members;
    return both;
}

TypeSet without(TypeSet a, TypeSet b) {
    TypeSet rest;
    rest.members = a.members & ~b.members;
    return rest;
}

int size_of(TypeSet types) { return static_cast<int>(names_of(types).size()); }

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
    return std::ranges::find(list, value) != list.end();
}

/// Pairs of element types: those of indices by that of data.
using Pairs = std::map<ElementType, TypeSet>;

Pairs pairs_of(TypeSet data, TypeSet indices) {
    Pairs pairs;
    if (indices.members == 0) return pairs;
    for (const ElementTypeInfo& row : element_types()) {
        if (data.contains(row.type)) pairs[row.type] = indices;
    }
    return pairs;
}

void add(Pairs& pairs, TypeSet data, TypeSet indices) {
    for (const auto& [type, of_it] : pairs_of(data, indices)) pairs[type] = pairs[type] | of_it;
}

Pairs without(const Pairs& pairs, const Pairs& others) {
    Pairs rest;
    for (const auto& [type, indices] : pairs) {
        const auto found = others.find(type);
        const TypeSet left = found == others.end() ? indices : without(indices, found->second);
        if (left.members != 0) rest[type] = left;
    }
    return rest;
}

Pairs both(const Pairs& pairs, const Pairs& others) {
    return without(pairs, without(pairs, others));
}

/// The pairs as few products: types of data with all indices, then types of indices with all other
/// data, then the rest.
std::vector<std::pair<TypeSet, TypeSet>> products(const Pairs& pairs, const OperatorInfo& version) {
    TypeSet whole;
    for (const auto& [type, indices] : pairs) {
        if (indices.members == version.indices_types.members) whole = whole | TypeSet{type};
    }
    std::vector<std::pair<TypeSet, TypeSet>> result;
    if (whole.members != 0) result.emplace_back(whole, version.indices_types);
    const TypeSet other_data = without(version.data_types, whole);
    TypeSet column = other_data.members == 0 ? TypeSet{} : version.indices_types;
    for (const ElementTypeInfo& row : element_types()) {
        if (!other_data.contains(row.type)) continue;
        const auto found = pairs.find(row.type);
        column = found == pairs.end() ? TypeSet{} : column & found->second;
    }
    if (column.members != 0) result.emplace_back(other_data, column);
    std::map<std::uint64_t, TypeSet> rest;  // types of data by those of indices
    for (const auto& [type, indices] : pairs) {
        const TypeSet left = without(indices, column);
        if (!whole.contains(type) && left.members != 0) {
            rest[left.members] = rest[left.members] | TypeSet{type};
        }
    }
    for (const auto& [members, data] : rest) {
        TypeSet indices;
        indices.members = members;
        result.emplace_back(data, indices);
    }
    return result;
}

bool takes(const Claim& claim, OperatorVersion version, const Route& route) {
    return contains(claim.versions, version) && contains(claim.operands, route.operands) &&
           contains(claim.shapes, route.shapes) && contains(claim.axes, route.axis);
}

std::vector<Route> routes_of(const Claim& claim, const OperatorInfo& version) {
    std::vector<Route> routes;
    for (const Operands operands : claim.operands) {
        for (const Shapes shapes : claim.shapes) {
            for (const AxisOperand axis : claim.axes) {
                if (axis == AxisOperand::runtime && version.axis != AxisSource::input) continue;
                routes.push_back({operands, shapes, axis});
            }
        }
    }
    return routes;
}

/// Entries of one version.
class OfVersion {
public:
    OfVersion(const ImplementationRecord& implementation, const OperatorInfo& version)
        : implementation_(implementation), version_(version) {}

    /// What is claimed.
    std::vector<Unclaimed> claimed() {
        put(both(legal(), claimed_pairs()), {}, {});
        return std::move(entries_);
    }

    /// What is not.
    std::vector<Unclaimed> unclaimed() {
        const Pairs claimed = claimed_pairs();
        const Pairs lacking = without(legal(), claimed);
        Pairs refused;
        std::vector<std::pair<std::string, Pairs>> by_reason;
        for (const NotImplemented& one : implementation_.not_implemented) {
            if (!contains(one.what.versions, version_.version)) continue;
            const Pairs of_it = both(lacking, pairs_of(one.what.data, one.what.indices));
            const Pairs fresh = without(of_it, refused);
            for (const auto& [type, indices] : fresh) refused[type] = refused[type] | indices;
            add_to(by_reason, one.why, fresh);
        }
        for (const auto& [why, pairs] : by_reason) put(pairs, {}, why);
        put_by_routes(claimed);
        put(without(lacking, refused), {}, {});
        return std::move(entries_);
    }

private:
    Pairs legal() const { return pairs_of(version_.data_types, version_.indices_types); }

    Pairs claimed_pairs() const {
        Pairs claimed;
        for (const Claim& claim : *implementation_.claims) {
            const bool any_route = !routes_of(claim, version_).empty();
            if (!contains(claim.versions, version_.version) || !any_route) continue;
            add(claimed, claim.data, claim.indices);
        }
        return claimed;
    }

    static void add_to(std::vector<std::pair<std::string, Pairs>>& by_reason,
                       const std::string& why, const Pairs& pairs) {
        auto found = std::ranges::find(by_reason, why, &std::pair<std::string, Pairs>::first);
        if (found == by_reason.end()) found = by_reason.insert(found, {why, {}});
        for (const auto& [type, indices] : pairs) add(found->second, TypeSet{type}, indices);
    }

    void put(const Pairs& pairs, const std::vector<Route>& routes, const std::string& why) {
        for (const auto& product : products(pairs, version_)) {
            const TypeSet& data = product.first;
            const TypeSet& indices = product.second;
            const auto same = std::ranges::find_if(entries_, [&](const Unclaimed& one) {
                return !routes.empty() && !one.routes.empty() && one.why == why &&
                       one.data.members == data.members && one.indices.members == indices.members;
            });
            if (same == entries_.end()) {
                entries_.push_back({version_.version, data, indices, routes, why});
            } else {
                same->routes.insert(same->routes.end(), routes.begin(), routes.end());
            }
        }
    }

    /// What is refused by some routes, of pairs that are claimed by others.
    void put_by_routes(const Pairs& claimed) {
        for (const NotImplemented& one : implementation_.not_implemented) {
            if (!contains(one.what.versions, version_.version)) continue;
            for (const Route& route : routes_of(one.what, version_)) {
                Pairs by_route;
                for (const Claim& claim : *implementation_.claims) {
                    if (takes(claim, version_.version, route)) {
                        add(by_route, claim.data, claim.indices);
                    }
                }
                const Pairs refused = both(claimed, pairs_of(one.what.data, one.what.indices));
                put(both(without(refused, by_route),
                         pairs_of(version_.data_types, version_.indices_types)),
                    {route}, one.why);
            }
        }
    }

    const ImplementationRecord& implementation_;
    const OperatorInfo& version_;
    std::vector<Unclaimed> entries_;
};

/// "c64, c128", or "other than f32" where that is shorter.
std::string list(TypeSet types, TypeSet all) {
    const TypeSet others = without(all, types);
    if (size_of(others) * 2 >= size_of(types) || others.members == 0)
        return joined(names_of(types));
    return "other than " + joined(names_of(others));
}

std::string types_text(const Unclaimed& one) {
    const OperatorInfo& version = info(one.version);
    const bool all_data = one.data.members == version.data_types.members;
    const bool all_indices = one.indices.members == version.indices_types.members;
    std::string text;
    if (all_data && all_indices) {
        text = "all element types";
    } else if (all_indices) {
        text = "data " + list(one.data, version.data_types);
    } else if (all_data) {
        text = "indices " + list(one.indices, version.indices_types);
    } else {
        text = "data " + list(one.data, version.data_types) + " with indices " +
               list(one.indices, version.indices_types);
    }
    for (std::size_t k = 0; k < one.routes.size(); ++k) {
        text += (k == 0 ? " by " : ", ") + to_string(one.routes[k]);
    }
    return text;
}

/// What either function of OfVersion says of each operator version, in their order.
std::vector<Unclaimed> of_all_versions(const ImplementationRecord& implementation,
                                       std::vector<Unclaimed> (OfVersion::*entries)()) {
    std::vector<Unclaimed> all;
    if (!implementation.claims) return all;
    for (const OperatorInfo& version : operator_versions()) {
        OfVersion of_version(implementation, version);
        std::ranges::move((of_version.*entries)(), std::back_inserter(all));
    }
    return all;
}

}  // namespace

std::vector<std::string> names_of(const TypeSet& types) {
    std::vector<std::string> names;
    for (const ElementTypeInfo& row : element_types()) {
        if (types.contains(row.type)) names.emplace_back(row.name);
    }
    return names;
}

std::vector<Unclaimed> unclaimed(const ImplementationRecord& implementation) {
    return of_all_versions(implementation, &OfVersion::unclaimed);
}

std::vector<Unclaimed> claimed(const ImplementationRecord& implementation) {
    return of_all_versions(implementation, &OfVersion::claimed);
}

Json unclaimed_json(const ImplementationRecord& implementation) {
    Json all = Json::array();
    for (const Unclaimed& one : unclaimed(implementation)) {
        Json entry{{"operator", name(one.version)},
                   {"data", names_of(one.data)},
                   {"indices", names_of(one.indices)}};
        for (const Route& route : one.routes) entry["routes"].push_back(to_string(route));
        if (!one.why.empty()) entry["why"] = one.why;
        all.push_back(std::move(entry));
    }
    return all;
}

std::string UnclaimedText::operators() const {
    std::string text;
    std::string before;
    for (const OperatorInfo& one : operator_versions()) {
        if (!contains(versions, one.version)) continue;
        const auto of_specification = [&](const OperatorInfo& other) {
            return other.specification == one.specification;
        };
        const bool all = std::ranges::all_of(operator_versions(), [&](const OperatorInfo& other) {
            return !of_specification(other) || contains(versions, other.version);
        });
        const std::string type =
            all ? "all of " + std::string(one.specification)
                : std::string(one.specification) + "." + std::string(one.type) + "-";
        if (type != before) text += (text.empty() ? "" : ", ") + type;
        if (!all) text += (type == before ? "," : "") + std::to_string(one.number);
        before = type;
    }
    return text;
}

std::vector<UnclaimedText> folded(std::span<const Unclaimed> entries, bool with_reasons) {
    std::vector<UnclaimedText> texts;
    for (const Unclaimed& one : entries) {
        const std::string types = types_text(one);
        const auto same = std::ranges::find_if(texts, [&](const UnclaimedText& text) {
            return text.types == types && text.why.empty() == one.why.empty() &&
                   (!with_reasons || text.why == one.why);
        });
        if (same == texts.end()) {
            texts.push_back({{one.version}, types, one.why});
        } else if (!contains(same->versions, one.version)) {
            same->versions.push_back(one.version);
        }
    }
    return texts;
}

std::vector<std::string> unclaimed_lines(const ImplementationRecord& implementation) {
    std::vector<std::string> lines;
    if (!implementation.claims) return lines;
    const auto is_claimed = [&](const Unclaimed& one) {
        return std::ranges::any_of(*implementation.claims, [&](const Claim& claim) {
            return std::ranges::any_of(claim.versions, [&](OperatorVersion version) {
                return info(version).specification == info(one.version).specification;
            });
        });
    };
    ImplementationRecord without_reasons = implementation;
    for (NotImplemented& one : without_reasons.not_implemented) one.why = "refused";
    std::vector<Unclaimed> entries = unclaimed(without_reasons);
    std::erase_if(entries,
                  [&](const Unclaimed& one) { return one.why.empty() && !is_claimed(one); });
    const std::vector<UnclaimedText> texts = folded(entries, false);
    for (const bool refused : {true, false}) {
        std::string line;
        for (const UnclaimedText& text : texts) {
            if (text.why.empty() == refused) continue;
            line += (line.empty() ? "" : "; ") + text.operators() + ": " + text.types;
        }
        if (line.empty()) continue;
        lines.push_back((refused ? "not implemented by " : "not claimed by ") +
                        implementation.name + ": " + line);
    }
    return lines;
}

}  // namespace gathercheck
