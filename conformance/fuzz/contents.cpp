// SPDX-License-Identifier: Apache-2.0
// Contents of inputs: elements that tell where they are from, and indices in patterns that kernels
// look for.
#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/fuzz/draft.hpp"
#include "conformance/model/fill.hpp"

namespace gathercheck {
namespace {

Tensor zeros(ElementType type, const Dims& dims) {
    Tensor tensor{type, Shape(dims), {}, nullptr};
    tensor.contents.resize(static_cast<std::size_t>(byte_size({type, tensor.shape}).value_or(0)));
    return tensor;
}

/// Sets an element to the low bits of a pattern.
void set_low_bits(Tensor& tensor, std::int64_t position, std::uint64_t pattern) {
    const int width = bits(tensor.type);
    const std::uint64_t mask = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    set_element_bits(tensor.type, tensor.contents.data(), position, pattern & mask);
}

/// Patterns that conversions, comparisons and flushes to zero do not leave as they are: quiet and
/// signalling NaNs, infinities, -0, the least and the greatest, of each width.
std::uint64_t special_pattern(std::uint64_t mixed, int width) {
    const std::uint64_t all = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    const std::uint64_t top = std::uint64_t{1} << (width - 1);
    const std::uint64_t shifted = mixed >> 8U;
    switch (mixed % 7) {
        case 0:
            return all & shifted;
        case 1:
            return top;
        case 2:
            return all - (shifted % 8);
        case 3:
            return top - 1 - (shifted % 8 & (top - 1));
        case 4:
            return all & (1 + shifted % 8);
        case 5:
            // All bits but one: of some bits it is a NaN that signals.
            return all ^ (std::uint64_t{1} << (shifted % static_cast<unsigned>(width)));
        default:
            // Exponent bits of whatever format all set, and some of the fraction.
            return all & ((all << static_cast<unsigned>(width / 2)) | (shifted % 4));
    }
}

/// Raw patterns, for types of whole or part bytes.
Tensor draw_patterns(Choices& choices, const Draft& draft) {
    Tensor data = zeros(draft.data_type, draft.data);
    const std::uint64_t seed = choices.below(std::uint64_t{1} << 16);
    if (draft.data_type == ElementType::c128) {
        for (std::size_t at = 0; at + 8 <= data.contents.size(); at += 8) {
            set_element_bits(ElementType::u64, data.contents.data(),
                             static_cast<std::int64_t>(at / 8),
                             special_pattern(seed_of_call(seed, at), 64));
        }
        return data;
    }
    const std::int64_t count = element_count(data.shape).value_or(0);
    const int width = bits(draft.data_type);
    for (std::int64_t k = 0; k < count; ++k) {
        set_low_bits(data, k,
                     special_pattern(seed_of_call(seed, static_cast<std::uint64_t>(k)), width));
    }
    return data;
}

/// Strings around what small ones are kept in, and with characters that some take for their end.
Tensor draw_strings(Choices& choices, const Draft& draft) {
    using namespace std::string_literals;
    static const std::array several{""s,
                                    "a"s,
                                    " b "s,
                                    "c\0d"s,
                                    "\xC3\xA9"s,
                                    std::string(15, 'e'),
                                    std::string(16, 'f'),
                                    std::string(22, 'g'),
                                    std::string(23, 'h'),
                                    std::string(40, 'i'),
                                    "j\0"s,
                                    "\0"s};
    const std::size_t count = draft.open_contents ? several.size() : several.size() - 2;
    const std::size_t first = choices.below(count);
    const Shape shape(draft.data);
    const auto elements = static_cast<std::size_t>(element_count(shape).value_or(0));
    std::vector<std::string> strings;
    strings.reserve(elements);
    for (std::size_t k = 0; k < elements; ++k) strings.push_back(several[(first + k) % count]);
    return string_tensor(shape, std::move(strings));
}

/// Mostly every element another, as far as the type can tell them apart, and none of the first ones
/// 0, which is what a bad index may give.
Tensor draw_data(Choices& choices, const Draft& draft) {
    const bool has_patterns = draft.data_type != ElementType::string &&
                              (draft.data_type != ElementType::boolean || draft.open_contents);
    if (draft.data_type == ElementType::string && choices.one_in(3)) {
        return draw_strings(choices, draft);
    }
    if (has_patterns && choices.one_in(4)) return draw_patterns(choices, draft);
    const Descriptor descriptor{draft.data_type, Shape(draft.data)};
    const auto start = static_cast<std::int64_t>(1 + choices.below(100));
    return filled(Fill{MarkFill{start}}, descriptor);
}

/// The largest value of an integer type, as far as std::int64_t has it.
std::int64_t largest_of(ElementType type) {
    const int width = bits(type);
    const bool is_signed = info(type).kind == ElementKind::signed_integer;
    if (width >= 64 || (width == 63 && !is_signed)) return std::numeric_limits<std::int64_t>::max();
    return (std::int64_t{1} << (is_signed ? width - 1 : width)) - 1;
}

void set_index(Tensor& indices, std::int64_t position, std::int64_t value) {
    set_low_bits(indices, position, static_cast<std::uint64_t>(value));
}

/// Index values of a tensor, position by position.
class IndexPattern {
public:
    IndexPattern(Choices& choices, const Draft& draft, std::int64_t count)
        : choices_(choices),
          draft_(draft),
          count_(count),
          largest_(largest_of(draft.indices_type)) {
        kind_ = Kind{choices.below(kinds)};
        // As many that each is a choice of its own would make sequences long.
        if (kind_ == Kind::each && count > 16) kind_ = Kind::random;
        if (kind_ != Kind::each) seed_ = choices.below(std::uint64_t{1} << 16);
        const bool can_be_negative = draft.op.negative_indices &&
                                     info(draft.indices_type).kind == ElementKind::signed_integer;
        constexpr std::array<Negative, 6> shares{Negative::none, Negative::all,  Negative::some,
                                                 Negative::none, Negative::none, Negative::none};
        if (can_be_negative) negative_ = choices.one_of(std::span<const Negative>(shares));
    }

    std::int64_t value(std::int64_t position) {
        const std::int64_t size = draft_.picked_from(position);
        const std::int64_t reach = std::min(size - 1, largest_) + 1;
        if (reach <= 0) return 0;
        const std::int64_t picked = in_range(position, reach);
        const bool this_one =
            negative_ == Negative::all || (negative_ == Negative::some && mixed(position) % 2 == 0);
        const std::int64_t lowest = -largest_ - 1;
        return this_one && picked - size >= lowest ? picked - size : picked;
    }

private:
    enum class Kind : std::uint64_t { rising, constant, falling, random, runs, far, last, each };
    static constexpr std::uint64_t kinds = 8;
    enum class Negative : std::uint8_t { none, all, some };

    std::int64_t in_range(std::int64_t position, std::int64_t reach) {
        const auto range = static_cast<std::uint64_t>(reach);
        const auto seed = static_cast<std::int64_t>(seed_);
        switch (kind_) {
            case Kind::each:
                return static_cast<std::int64_t>(choices_.below(range));
            case Kind::constant:
                return seed % reach;
            case Kind::rising:
                return (seed + position) % reach;
            case Kind::falling:
                return (count_ - 1 - position + seed) % reach;
            case Kind::random:
                return static_cast<std::int64_t>(mixed(position) % range);
            case Kind::runs:
                return static_cast<std::int64_t>(mixed(position / (1 + seed % 9)) % range);
            case Kind::far:
                return position * (seed + 1) % reach;
            case Kind::last:
                return reach - 1 - seed % std::min<std::int64_t>(reach, 3);
        }
        return 0;
    }

    std::uint64_t mixed(std::int64_t position) const {
        return seed_of_call(seed_, static_cast<std::uint64_t>(position));
    }

    Choices& choices_;
    const Draft& draft_;
    std::int64_t count_;
    std::int64_t largest_;
    Kind kind_ = Kind::rising;
    std::uint64_t seed_ = 0;
    Negative negative_ = Negative::none;  ///< how many count from the end
};

/// Of an unsigned type the greatest value, u64 too; of a signed one -1.
constexpr std::int64_t all_bits_set = std::numeric_limits<std::int64_t>::min() + 1;

/// An index outside the range of the version, as far as the type has one; or near that.
std::int64_t draw_bad_index(Choices& choices, const Draft& draft, std::int64_t size) {
    const std::int64_t largest = largest_of(draft.indices_type);
    const bool is_signed = info(draft.indices_type).kind == ElementKind::signed_integer;
    const std::int64_t smallest = is_signed ? -largest - 1 : 0;
    const std::int64_t lowest = draft.op.negative_indices ? -size : 0;
    // The last ones are in range for who reads their low bits alone, or their sign.
    const std::array<std::int64_t, 11> bad{
        size,        lowest - 1, size + 1, largest, smallest,
        2 * size,    lowest - 2, 256,      65536,   std::int64_t{1} << 32,
        all_bits_set};
    const std::int64_t value = choices.one_of(std::span<const std::int64_t>(bad));
    return value == all_bits_set ? -1 : std::clamp(value, smallest, largest);
}

Tensor draw_indices(Choices& choices, const Draft& draft) {
    if (!is_integer(draft.indices_type)) return zeros(draft.indices_type, draft.indices);
    Tensor indices = zeros(draft.indices_type, draft.indices);
    const std::int64_t count = element_count(indices.shape).value_or(0);
    IndexPattern pattern(choices, draft, count);
    for (std::int64_t k = 0; k < count; ++k) set_index(indices, k, pattern.value(k));
    for (std::int64_t bad = 0; bad < draft.bad_indices && count > 0; ++bad) {
        const auto at = static_cast<std::int64_t>(choices.below(static_cast<std::uint64_t>(count)));
        set_index(indices, at, draw_bad_index(choices, draft, draft.picked_from(at)));
    }
    return indices;
}

bool is_left_out(const Draft& draft, std::string_view name) {
    return std::ranges::find(draft.left_out, name) != draft.left_out.end();
}

}  // namespace

GeneratedCall::Inputs draw_inputs(Choices& choices, const Draft& draft) {
    GeneratedCall::Inputs inputs;
    inputs.reserve(4);
    const auto described = [](ElementType type, const Dims& dims) {
        return Tensor{type, Shape(dims), {}, nullptr};
    };
    inputs.emplace_back("data", draft.described ? described(draft.data_type, draft.data)
                                                : draw_data(choices, draft));
    if (!is_left_out(draft, "indices")) {
        inputs.emplace_back("indices", draft.described
                                           ? described(draft.indices_type, draft.indices)
                                           : draw_indices(choices, draft));
    }
    if (draft.op.axis == AxisSource::input && draft.written_axis) {
        Tensor axis = zeros(draft.axis_type, draft.axis_shape);
        const std::int64_t count = element_count(axis.shape).value_or(0);
        if (is_integer(draft.axis_type)) {
            for (std::int64_t k = 0; k < count; ++k) set_index(axis, k, *draft.written_axis);
        }
        inputs.emplace_back("axis", std::move(axis));
    }
    // In the place of one that is left out it would be that one, for engines that go by position.
    const std::size_t all = draft.op.axis == AxisSource::input ? 3 : 2;
    const bool is_surplus = draft.surplus_input && inputs.size() == all;
    if (is_surplus) inputs.emplace_back("surplus", zeros(ElementType::i64, {}));
    return inputs;
}

std::vector<Attribute> attributes_of(const Draft& draft) {
    std::vector<Attribute> attributes;
    if (draft.op.family == Family::stablehlo_gather) attributes = attributes_of(draft.numbers);
    if (draft.op.axis == AxisSource::attribute && draft.written_axis) {
        attributes.push_back({"axis", *draft.written_axis});
    }
    if (draft.op.batch_dims != BatchDims::none && draft.written_batch_dims) {
        attributes.push_back({"batch_dims", *draft.written_batch_dims});
    }
    attributes.insert(attributes.end(), draft.further.begin(), draft.further.end());
    for (Attribute& attribute : attributes) {
        const auto other = std::ranges::find(draft.other_kind, attribute.name, &Attribute::name);
        if (other != draft.other_kind.end()) attribute.value = other->value;
    }
    std::erase_if(attributes,
                  [&](const Attribute& attribute) { return is_left_out(draft, attribute.name); });
    return attributes;
}

}  // namespace gathercheck
