// SPDX-License-Identifier: Apache-2.0
// Filters, samples of sweeps, shards and claims.
#include "conformance/select/select.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "conformance/model/routes.hpp"
#include "conformance/select/policy_questions.hpp"
#include "conformance/select/sequence.hpp"
#include "conformance/util/sha256.hpp"

namespace gathercheck {
namespace {

bool any_matches(const std::vector<std::string>& patterns, std::string_view text) {
    return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
               return matches_pattern(pattern, text);
           });
}

/// The values that an expanded id carries: "gather-types/type=f16/axis=-1" has "type=f16" and
/// "axis=-1".
std::vector<std::string_view> sweep_values(std::string_view id) {
    std::vector<std::string_view> values;
    std::size_t slash = id.find('/');
    while (slash != std::string_view::npos) {
        const std::size_t next = id.find('/', slash + 1);
        values.push_back(id.substr(slash + 1, next - slash - 1));
        slash = next;
    }
    return values;
}

}  // namespace

std::set<const Case*> sample_of_sweeps(std::span<const Case> cases) {
    std::map<std::string_view, std::vector<std::pair<std::string, const Case*>>> sweeps;
    for (const Case& tested : cases) {
        if (!tested.from_sweep) continue;
        const std::string_view id = tested.id;
        sweeps[id.substr(0, id.find('/'))].emplace_back(sha256_hex(id), &tested);
    }
    std::set<const Case*> kept;
    for (auto& [sweep, members] : sweeps) {
        std::ranges::sort(members);
        std::set<std::string_view> seen;
        for (const auto& [hash, tested] : members) {
            bool fresh = false;
            for (const std::string_view value : sweep_values(tested->id)) {
                fresh = seen.insert(value).second || fresh;
            }
            if (fresh) kept.insert(tested);
        }
    }
    return kept;
}

namespace {

/// What must be rejected, or may be answered in any way, is worth asking whatever element types and
/// values of attributes are claimed. Of who follows the suite, the first alternative is demanded.
bool is_for_all_types(const Expectation& expectation, const Introduction& introduction) {
    return expectation.must_be_rejected() || expectation.is_unspecified() ||
           (introduction.follows_suite && expectation.may_be_rejected());
}

bool matches_types(const Filter& filter, const Case& tested) {
    if (filter.types.empty()) return true;
    return std::ranges::any_of(tested.inputs, [&](const NamedTensorSpec& input) {
        return input.name == "data" && filter.matches(input.tensor.descriptor.type);
    });
}

/// A number that is always the same for a text, and spreads.
std::size_t digest(std::string_view text) {
    return std::stoul(sha256_hex(text).substr(0, 8), nullptr, 16);
}

/// Whether a rule is about what an engine can only do once it knows the axis: choose a dimension,
/// and with it the range of indices; compare it with batch_dims; or check the rank of data, which
/// it may do with the axis.
bool rests_on_axis(const Expectation& expectation) {
    return std::ranges::any_of(expectation.rules, [](const std::string& rule) {
        return std::ranges::any_of(
            std::array{".axis.", ".le-axis", ".indices.", ".data.rank", ".output.too-large"},
            [&](std::string_view part) { return rule.find(part) != std::string::npos; });
    });
}

/// Whether a sequence is asked by a route. Where no model is kept, each call is one by itself, as
/// good by the first route as by any.
bool takes(const Introduction& introduction, const Case& tested, OperatorVersion version,
           const Route& route) {
    if (tested.after.empty()) return true;
    if (!introduction.runs_sequences) return false;
    if (!introduction.keeps_models) return route == Route{};
    return one_model_serves(tested, version, route);
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
    // Greedy with one place to come back to: the last *.
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::variant<Filter, std::string> parse_filter(std::span<const std::string> terms) {
    Filter filter;
    for (const std::string& term : terms) {
        const std::size_t equals = term.find('=');
        const std::string key = term.substr(0, equals);
        // The id of an expanded sweep case has '=' in it too, after a '/'.
        if (equals == std::string::npos || key.find('/') != std::string::npos) {
            if (term.empty()) return "an empty filter term; give a case id, or key=PATTERN";
            filter.cases.push_back(term.find_first_of("*?") == std::string::npos ? "*" + term + "*"
                                                                                 : term);
            continue;
        }
        const std::string value = term.substr(equals + 1);
        const std::map<std::string_view, std::vector<std::string>*> keys{
            {"case", &filter.cases}, {"operator", &filter.operators}, {"route", &filter.routes},
            {"type", &filter.types}, {"rule", &filter.rules},
        };
        const auto found = keys.find(key);
        if (found == keys.end()) {
            return "unknown filter key '" + key +
                   "'; the keys are case, operator, route, type and rule, e.g. "
                   "operator=onnx.Gather-*";
        }
        if (value.empty()) return "filter '" + term + "' has no pattern after the =";
        found->second->push_back(value);
    }
    return filter;
}

bool Filter::matches(const Case& tested) const {
    const bool by_id = any_matches(cases, tested.id) ||
                       (!tested.written.empty() && any_matches(cases, tested.written));
    return by_id && matches_types(*this, tested);
}

bool Filter::may_match(const Case& written) const {
    if (matches(written)) return true;
    const auto names_retyped = [&](const std::string& pattern) {
        const std::size_t part = std::min(pattern.find("/data="), pattern.find("/indices="));
        return part != std::string::npos && matches_pattern(pattern.substr(0, part), written.id);
    };
    return !written.from_sweep && std::ranges::any_of(cases, names_retyped) &&
           matches_types(*this, written);
}

bool Filter::matches(const Case& tested, OperatorVersion version) const {
    if (!matches(version)) return false;
    if (rules.empty()) return true;
    const Expectation* expectation = tested.expectation(version);
    const std::string prefix = std::string(info(version).rules) + ".";
    return expectation != nullptr &&
           std::ranges::any_of(expectation->rules, [&](const std::string& rule) {
               return rule.starts_with(prefix) && any_matches(rules, rule);
           });
}

bool Filter::matches(OperatorVersion version) const {
    return any_matches(operators, name(version));
}

bool Filter::matches(ElementType data) const { return any_matches(types, name(data)); }

bool Filter::matches(const Route& route) const { return any_matches(routes, to_string(route)); }

std::optional<Sweeps> sweeps(std::string_view name) {
    if (name == "all") return Sweeps::all;
    if (name == "written") return Sweeps::written;
    if (name == "sample") return Sweeps::sample;
    if (name == "none") return Sweeps::none;
    return std::nullopt;
}

std::optional<Shard> parse_shard(std::string_view text) {
    if (text.empty()) return Shard{};
    Shard shard;
    const char* end = text.data() + text.size();
    const auto [slash, first] = std::from_chars(text.data(), end, shard.index);
    if (first != std::errc{} || slash == end || *slash != '/') return std::nullopt;
    const auto [rest, second] = std::from_chars(slash + 1, end, shard.count);
    if (second != std::errc{} || rest != end) return std::nullopt;
    if (shard.index < 1 || shard.count < shard.index) return std::nullopt;
    return shard;
}

std::vector<const Case*> select_cases(const std::vector<Case>& cases, const Filter& filter,
                                      Sweeps sweeps, const Shard& shard) {
    std::vector<const Case*> selected;
    // A case that is asked for by its whole id is run, whatever the choice of sweeps.
    const std::set<const Case*> sampled =
        sweeps == Sweeps::sample ? sample_of_sweeps(cases) : std::set<const Case*>{};
    std::int64_t place = 0;
    for (const Case& tested : cases) {
        if (!filter.may_match(tested)) continue;
        const bool all = sweeps == Sweeps::all || sweeps == Sweeps::written;
        if (tested.from_sweep && !all && !sampled.contains(&tested) &&
            std::ranges::find(filter.cases, tested.id) == filter.cases.end()) {
            continue;
        }
        if (place++ % shard.count != shard.index - 1) continue;
        selected.push_back(&tested);
    }
    return selected;
}

std::vector<Execution> select_executions(std::span<const Case* const> cases, const Filter& filter,
                                         Sweeps sweeps, const Introduction& introduction,
                                         RetypedCases* retyped) {
    std::vector<Execution> executions;
    const auto matches_route = [&](const Execution& execution) {
        return filter.matches(execution.route);
    };
    for (const Case* tested : cases) {
        const bool described = tested->is_described();
        if (described ? !introduction.describes : !introduction.runs) continue;
        for (const Expectation& expectation : tested->expect) {
            if (sweeps == Sweeps::written && !expectation.in_sample) continue;
            for (const OperatorVersion version : expectation.versions) {
                if (!filter.matches(*tested, version)) continue;
                std::vector<Execution> by_routes;
                for (const Route& route : routes(version)) {
                    // What is described is asked once: without contents no operand is constant.
                    if (described && route != Route{}) continue;
                    if (!takes(introduction, *tested, version, route)) continue;
                    const Route axis_known{route.operands, route.shapes};
                    if (route.axis == AxisOperand::runtime && sweeps != Sweeps::all &&
                        sweeps != Sweeps::written &&
                        (tested->from_sweep || (!rests_on_axis(expectation) &&
                                                one_model_serves(*tested, version, axis_known)))) {
                        continue;
                    }
                    bool by_this_route = false;
                    bool claimed = false;
                    for (const Claim& claim : introduction.claims) {
                        if (!covers(claim, version, route)) continue;
                        by_this_route = true;
                        claimed = claimed || covers_call(claim, *tested, version);
                    }
                    if (!by_this_route) continue;
                    // A probe of the map that is refused for its types would tell nothing.
                    const bool asked = claimed || (is_for_all_types(expectation, introduction) &&
                                                   !is_policy_case(tested->id));
                    if (asked && filter.matches(*tested)) {
                        by_routes.push_back({tested, version, route, claimed});
                    }
                    if (claimed || retyped == nullptr) continue;
                    const Case* nearest =
                        retyped->claimed(*tested, version, route, introduction.claims);
                    if (nearest != nullptr && filter.matches(*nearest)) {
                        by_routes.push_back({nearest, version, route, true});
                    }
                }
                if (sweeps == Sweeps::sample && tested->from_sweep && by_routes.size() > 1) {
                    by_routes = {by_routes[digest(tested->id) % by_routes.size()]};
                }
                std::ranges::copy_if(by_routes, std::back_inserter(executions), matches_route);
            }
        }
    }
    return executions;
}

}  // namespace gathercheck
