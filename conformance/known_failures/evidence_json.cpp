// SPDX-License-Identifier: Apache-2.0
// Readers of what findings and known failures share.
#include "conformance/known_failures/evidence_json.hpp"

#include <system_error>

#include "conformance/judge/judge.hpp"

namespace gathercheck {

bool is_wrong_outcome(std::string_view word) {
    if (word == name(Verdict::crash) || word == name(Verdict::timeout)) return true;
    const auto kind = failure(word);
    return kind && *kind != Failure::none;
}

std::optional<Route> read_route(const Json& value, const Place& at, Problems& problems) {
    if (!check_keys(value, at, {"operands", "shapes"}, {"axis"}, problems)) return std::nullopt;
    const std::string* operands_name = string_at(value, at, "operands", problems);
    const std::string* shapes_name = string_at(value, at, "shapes", problems);
    const std::string* axis_name = string_at(value, at, "axis", problems);
    if (operands_name == nullptr || shapes_name == nullptr) return std::nullopt;
    const auto of_operands = operands(*operands_name);
    const auto of_shapes = shapes(*shapes_name);
    const auto of_axis =
        axis_name != nullptr ? axis_operand(*axis_name) : std::optional(AxisOperand::constant);
    if (!of_operands || !of_shapes || !of_axis) {
        problems.add(at,
                     "unknown route; operands is runtime, constant or folded, shapes is static or "
                     "dynamic, axis is constant or runtime");
        return std::nullopt;
    }
    return Route{*of_operands, *of_shapes, *of_axis};
}

std::vector<const Rule*> read_rules(const Json& object, const Place& at, std::string_view key,
                                    const RuleCatalogue& catalogue, Problems& problems) {
    const Json* given = find_member(object, key);
    if (given == nullptr) return {};
    const Place here = at.child(key);
    std::vector<std::string> ids;
    if (given->is_array()) {
        ids = strings_of(*given, here, problems);
    } else if (const std::string* id = string_at(object, at, key, problems)) {
        ids.push_back(*id);
    }
    std::vector<const Rule*> rules;
    for (const std::string& id : ids) {
        if (const Rule* rule = catalogue.find(id)) {
            rules.push_back(rule);
            continue;
        }
        problems.add(here, in_quotes(id) +
                               " is no rule of the catalogue; `gathercheck list rules` shows "
                               "them all");
    }
    return rules;
}

std::string read_evidence_file(const Json& object, const Place& at, std::string_view key,
                               const std::filesystem::path& folder, Problems& problems) {
    const std::string* given = string_at(object, at, key, problems);
    if (given == nullptr) return {};
    const Place here = at.child(key);
    const std::filesystem::path path = std::filesystem::path(*given).lexically_normal();
    if (path.is_absolute() || *path.begin() == "..") {
        problems.add(here, in_quotes(*given) + " does not lie below the folder " +
                               in_quotes(folder.generic_string()) +
                               "; put it there, and write its path from there");
        return {};
    }
    const std::filesystem::path found = folder / path;
    std::error_code error;
    if (!std::filesystem::is_regular_file(found, error)) {
        problems.add(here, in_quotes(*given) +
                               " is no file; make it with `gathercheck run --reproducers`, or "
                               "remove the key");
    }
    return found.generic_string();
}

}  // namespace gathercheck
