// SPDX-License-Identifier: Apache-2.0
// Whether a case may be asked in other element types, in which ones, and the case that it then is.
#include "conformance/model/retype.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/model/dimension_numbers.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

constexpr std::string_view data_part = "/data=";
constexpr std::string_view indices_part = "/indices=";

std::optional<ElementType> type_of(const Case& tested, std::string_view input) {
    const TensorSpec* tensor = tested.input(input);
    if (tensor == nullptr) return std::nullopt;
    return tensor->descriptor.type;
}

template <class Value>
bool contains(const std::vector<Value>& values, Value value) {
    return std::ranges::find(values, value) != values.end();
}

bool is_float(ElementType type) { return info(type).kind == ElementKind::floating; }

/// Integers of whole bytes.
bool holds_integers(ElementType type) { return is_integer(type) && !is_packed(type); }

/// The same, and floats that hold small integers.
bool holds_numbers(ElementType type) {
    return holds_integers(type) || (is_float(type) && bits(type) >= 16);
}

// ------------------------------------------------------------------------------------- numbers

/// The pattern of a floating type whose value is exactly `value`; nothing where there is none.
std::optional<std::uint64_t> exact_pattern(ElementType type, double value) {
    // The patterns of positive values are in the order of these, those of NaN behind them all.
    const std::uint64_t sign = std::uint64_t{1} << (bits(type) - 1);
    const double magnitude = std::fabs(value);
    std::uint64_t low = 0;
    std::uint64_t high = sign;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (float_value(type, middle) < magnitude) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == sign || float_value(type, low) != magnitude) return std::nullopt;
    return std::signbit(value) ? low | sign : low;
}

std::optional<std::uint64_t> exact_integer(ElementType type, double value) {
    constexpr double limit = 9223372036854775808.0;  // 2^63
    const bool minus_zero = value == 0 && std::signbit(value);
    if (!(value >= -limit && value < limit) || value != std::trunc(value) || minus_zero) {
        return std::nullopt;
    }
    const auto whole = static_cast<std::int64_t>(value);
    const auto magnitude =
        whole < 0 ? ~static_cast<std::uint64_t>(whole) + 1 : static_cast<std::uint64_t>(whole);
    const Pattern pattern = integer_pattern(type, whole < 0, magnitude);
    if (const auto* known = std::get_if<std::uint64_t>(&pattern)) return *known;
    return std::nullopt;
}

/// The pattern that element k has in another type; nothing where that cannot hold it.
std::optional<std::uint64_t> exact_element(const Tensor& from, std::int64_t k, ElementType to) {
    const std::uint64_t given = element_bits(from.type, from.contents.data(), k);
    if (is_float(from.type)) {
        const double value = float_value(from.type, given);
        return is_float(to) ? exact_pattern(to, value) : exact_integer(to, value);
    }
    const auto number = integer_element(from.type, from.contents.data(), k);
    if (is_float(to)) return number ? exact_float(to, *number) : std::nullopt;
    const bool negative = number && *number < 0;
    const Pattern pattern =
        integer_pattern(to, negative, negative ? ~static_cast<std::uint64_t>(*number) + 1 : given);
    if (const auto* known = std::get_if<std::uint64_t>(&pattern)) return *known;
    return std::nullopt;
}

/// The spec in another type, its contents written out; nothing where the type cannot hold them, or
/// where the bytes can be counted in one of the types only.
std::optional<TensorSpec> retyped(const TensorSpec& written, ElementType to) {
    const Descriptor descriptor{to, written.descriptor.shape};
    const auto size = byte_size(descriptor);
    if (size.has_value() != byte_size(written.descriptor).has_value()) return std::nullopt;
    if (!written.has_contents()) return TensorSpec{descriptor, {}};
    const Tensor from = materialise(written);
    Tensor tensor{to, descriptor.shape, {}, nullptr};
    tensor.contents.resize(static_cast<std::size_t>(*size));
    const std::int64_t count = *element_count(descriptor.shape);
    for (std::int64_t k = 0; k < count; ++k) {
        const auto pattern = exact_element(from, k, to);
        if (!pattern) return std::nullopt;
        set_element_bits(to, tensor.contents.data(), k, *pattern);
    }
    return TensorSpec{descriptor, std::move(tensor)};
}

// ---------------------------------------------------------------------------- what may be changed

/// Some of the two element types of a case.
struct Parts {
    bool data = false;
    bool indices = false;
};

bool is_type_error(const Alternative& alternative) {
    const auto* error = std::get_if<ExpectedError>(&alternative);
    return error != nullptr && error->category == Category::unsupported_type;
}

bool is_size_error(const Alternative& alternative) {
    const auto* error = std::get_if<ExpectedError>(&alternative);
    return error != nullptr && error->category == Category::too_large;
}

/// "types.T" of "onnx.gather-13.types.T".
std::string_view topic_of(std::string_view rule) {
    for (int k = 0; k < 2; ++k) rule.remove_prefix(std::min(rule.find('.'), rule.size() - 1) + 1);
    return rule;
}

/// The types that a case is about, by its rules and by what is refused.
Parts is_about(const Case& written) {
    Parts about;
    for (const Expectation& expectation : written.expect) {
        if (std::ranges::any_of(expectation.alternatives, is_type_error)) return {true, true};
        for (const std::string& rule : expectation.rules) {
            const std::string_view topic = topic_of(rule);
            if (topic == "types.T" || topic == "types.data" || topic == "output.too-large") {
                about.data = true;  // how large an output is depends on the width of its elements
            } else if (topic == "types.Tind" || topic == "types.T_IND" ||
                       topic == "types.indices") {
                about.indices = true;
            } else if (topic == "types" || topic == "history.types") {
                about.data = true;
                about.indices = about.indices || type_of(written, "data") == ElementType::i32;
            }
        }
    }
    return about;
}

/// Which types may be changed, as far as that does not depend on the new ones.
Parts changeable(const Case& written) {
    if (written.from_sweep) return {};
    const auto data = type_of(written, "data");
    const auto indices = type_of(written, "indices");
    const Parts about = is_about(written);
    return {data && holds_numbers(*data) && !about.data,
            indices && holds_integers(*indices) && !about.indices};
}

/// True where the version allows the element types of data and indices that the case has.
bool allows_types(OperatorVersion version, const Case& tested) {
    const OperatorInfo& op = info(version);
    const auto data = type_of(tested, "data");
    const auto indices = type_of(tested, "indices");
    return (!data || op.data_types.contains(*data)) &&
           (!indices || op.indices_types.contains(*indices));
}

/// An expected output for data of another type; false where it cannot be known.
bool retype_output(ExpectedOutput& expected, ElementType written, ElementType to) {
    auto* spec = std::get_if<TensorSpec>(&expected.output);
    if (spec == nullptr) return true;  // the equations know
    if (!expected.sha256.empty() || spec->descriptor.type != written) return false;
    auto output = retyped(*spec, to);
    if (!output) return false;
    *spec = std::move(*output);
    return true;
}

/// False where an expected output cannot be known.
bool retype_outputs(Expectation& expectation, ElementType written, ElementType to) {
    return std::ranges::all_of(expectation.alternatives, [&](Alternative& alternative) {
        auto* output = std::get_if<ExpectedOutput>(&alternative);
        return output == nullptr || retype_output(*output, written, to);
    });
}

/// Leaves the expectations for the versions that `keep` says.
template <class Keep>
void keep_versions(Case& tested, Keep keep) {
    for (Expectation& expectation : tested.expect) {
        std::erase_if(expectation.versions, [&](OperatorVersion each) { return !keep(each); });
    }
    std::erase_if(tested.expect, [](const Expectation& each) { return each.versions.empty(); });
}

std::optional<Case> make_retyped(const Case& written, Types to) {
    const auto data = type_of(written, "data");
    const auto indices = type_of(written, "indices");
    const Parts changed{data && *data != to.data, indices && *indices != to.indices};
    const Parts may = changeable(written);
    if (!changed.data && !changed.indices) return std::nullopt;
    if (changed.data && !(may.data && holds_numbers(to.data))) return std::nullopt;
    if (changed.indices && !(may.indices && holds_integers(to.indices))) return std::nullopt;

    Case made = written;
    made.written = written.id;
    if (changed.data) made.id += std::string(data_part) + std::string(name(to.data));
    if (changed.indices) made.id += std::string(indices_part) + std::string(name(to.indices));
    for (NamedTensorSpec& input : made.inputs) {
        const bool is_data = input.name == "data";
        if (is_data ? !changed.data : (input.name != "indices" || !changed.indices)) continue;
        auto tensor = retyped(input.tensor, is_data ? to.data : to.indices);
        if (!tensor) return std::nullopt;
        input.tensor = std::move(*tensor);
    }
    if (changed.data) {
        for (Expectation& expectation : made.expect) {
            if (std::ranges::any_of(expectation.alternatives, is_size_error)) {
                expectation.versions.clear();
            } else if (!retype_outputs(expectation, *data, to.data)) {
                return std::nullopt;
            }
        }
    }
    made.earlier.clear();
    for (std::size_t k = 0; k < written.earlier.size(); ++k) {
        auto earlier = make_retyped(*written.earlier[k], to);
        if (!earlier) return std::nullopt;
        made.after[k] = earlier->id;
        made.earlier.push_back(std::make_shared<const Case>(std::move(*earlier)));
    }
    keep_versions(made, [&](OperatorVersion version) {
        return allows_types(version, written) && allows_types(version, made) &&
               std::ranges::all_of(made.earlier, [&](const auto& each) {
                   return each->expectation(version) != nullptr;
               });
    });
    if (borrowed_family(made) != borrowed_family(written)) {
        keep_versions(made, [](OperatorVersion version) {
            return info(version).family != Family::stablehlo_gather;
        });
    }
    if (made.expect.empty()) return std::nullopt;
    return made;
}

// ------------------------------------------------------------------------------------- nearness

/// How far a type is from the written one: less is nearer.
auto distance(ElementType written, ElementType to) {
    const auto is_unsigned = [](ElementType type) {
        return info(type).kind == ElementKind::unsigned_integer;
    };
    return std::tuple(is_float(written) != is_float(to), is_unsigned(written) != is_unsigned(to),
                      bits(to) < bits(written), std::abs(bits(to) - bits(written)), to);
}

struct Nearness {
    ElementType data;
    ElementType indices;

    auto operator()(const Types& types) const {
        const int changes = (types.data != data) + (types.indices != indices);
        return std::tuple(changes, distance(data, types.data), distance(indices, types.indices));
    }
};

/// The types that an operand may have: the given one, and where that may be changed all that are
/// claimed and allowed.
std::vector<ElementType> choices(ElementType given, bool may_change, TypeSet claimed,
                                 TypeSet allowed) {
    std::vector<ElementType> types;
    for (const ElementTypeInfo& row : element_types()) {
        if (row.type == given ||
            (may_change && claimed.contains(row.type) && allowed.contains(row.type))) {
            types.push_back(row.type);
        }
    }
    return types;
}

/// The type behind "/data=" or "/indices=" at the end of an id, taken off it.
std::optional<ElementType> take_part(std::string_view& id, std::string_view part) {
    const std::size_t place = id.rfind(part);
    if (place == std::string_view::npos) return std::nullopt;
    const auto type = element_type(id.substr(place + part.size()));
    if (type) id = id.substr(0, place);
    return type;
}

}  // namespace

bool covers(const Claim& claim, OperatorVersion version, const Route& route) {
    return contains(claim.versions, version) && contains(claim.operands, route.operands) &&
           contains(claim.shapes, route.shapes) && contains(claim.axes, route.axis);
}

bool covers_types(const Claim& claim, const Case& tested, OperatorVersion version) {
    const bool rejected = tested.expectation(version)->must_be_rejected();
    return std::ranges::all_of(tested.inputs, [&](const NamedTensorSpec& input) {
        const ElementType type = input.tensor.descriptor.type;
        if (input.name == "data") return claim.data.contains(type);
        if (input.name == "indices") return claim.indices.contains(type);
        return !rejected || input.name != "axis" || claim.data.contains(type) ||
               claim.indices.contains(type);
    });
}

bool has_attribute(OperatorVersion version, std::string_view name) {
    const OperatorInfo& op = info(version);
    return (name == "axis" && op.axis == AxisSource::attribute) ||
           (name == "batch_dims" && op.batch_dims != BatchDims::none);
}

bool covers_call(const Claim& claim, const Case& tested, OperatorVersion version) {
    const auto is_covered = [&](const auto& claimed) {
        const auto& [name, values] = claimed;
        if (!has_attribute(version, name)) return true;
        if (name == "axis" && tested.axis) return contains(values, *tested.axis);
        const auto given = std::ranges::find(tested.attributes, name, &Attribute::name);
        if (given == tested.attributes.end()) return contains(values, std::int64_t{0});
        const auto* integer = std::get_if<std::int64_t>(&given->value);
        return integer != nullptr && contains(values, *integer);
    };
    return covers_types(claim, tested, version) &&
           std::ranges::all_of(claim.attributes, is_covered);
}

const Case* RetypedCases::in_types(const Case& written, Types types) {
    const auto data = type_of(written, "data").value_or(types.data);
    const auto indices = type_of(written, "indices").value_or(types.indices);
    if (data == types.data && indices == types.indices) return &written;
    const auto [place, is_new] =
        made_.try_emplace(Key(written.id, types.data, types.indices), nullptr);
    if (is_new) {
        auto made = make_retyped(written, types);
        if (made) place->second = std::make_unique<const Case>(std::move(*made));
    }
    return place->second.get();
}

const Case* RetypedCases::claimed(const Case& written, OperatorVersion version, const Route& route,
                                  std::span<const Claim> claims) {
    const auto data = type_of(written, "data");
    const auto indices = type_of(written, "indices");
    const Types given{data.value_or(ElementType::f32), indices.value_or(ElementType::i64)};
    if (written.expectation(version) == nullptr) return nullptr;
    std::vector<const Claim*> by_route;
    for (const Claim& claim : claims) {
        if (!covers(claim, version, route)) continue;
        if (covers_call(claim, written, version)) return &written;
        by_route.push_back(&claim);
    }
    if (by_route.empty() || !allows_types(version, written)) return nullptr;
    const OperatorInfo& op = info(version);
    const Parts may = changeable(written);
    std::vector<Types> pairs;
    for (const Claim* claim : by_route) {
        for (const ElementType a : choices(given.data, may.data, claim->data, op.data_types)) {
            for (const ElementType b :
                 choices(given.indices, may.indices, claim->indices, op.indices_types)) {
                pairs.push_back({a, b});
            }
        }
    }
    std::ranges::sort(pairs, {}, Nearness{given.data, given.indices});
    for (const Types& types : pairs) {
        const Case* made = in_types(written, types);
        if (made == nullptr || made->expectation(version) == nullptr) continue;
        const bool is_claimed = std::ranges::any_of(
            by_route, [&](const Claim* claim) { return covers_call(*claim, *made, version); });
        if (is_claimed) return made;
    }
    return nullptr;
}

const Case* RetypedCases::find(const CasesById& cases, std::string_view id) {
    if (const Case* found = cases.find(id)) return found;
    std::string_view rest = id;
    const auto indices = take_part(rest, indices_part);
    const auto data = take_part(rest, data_part);
    const Case* written = cases.find(rest);
    if (written == nullptr || (!data && !indices)) return nullptr;
    const auto type = [&](std::optional<ElementType> given, std::string_view input) {
        return given ? *given : type_of(*written, input).value_or(ElementType::f32);
    };
    const Case* made = in_types(*written, {type(data, "data"), type(indices, "indices")});
    return made != nullptr && made->id == id ? made : nullptr;  // each id is written in one way
}

std::string_view id_as_written(std::string_view id) {
    take_part(id, indices_part);
    take_part(id, data_part);
    return id;
}

}  // namespace gathercheck
