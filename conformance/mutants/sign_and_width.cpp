// SPDX-License-Identifier: Apache-2.0
// Mutants that misread the sign or the width of index values.
#include <cmath>
#include <utility>

#include "conformance/mutants/bug.hpp"

namespace gathercheck::mutant {
namespace {

using enum ElementType;

/// The low `width` bits of a value as a signed or an unsigned number.
std::int64_t low_bits(std::int64_t value, int width, bool is_signed) {
    const auto pattern = static_cast<std::uint64_t>(value) << (64 - width);
    if (is_signed) return static_cast<std::int64_t>(pattern) >> (64 - width);
    return static_cast<std::int64_t>(pattern >> (64 - width));
}

std::int64_t pattern_of(const IndexPlace& place) {
    const TensorView& indices = place.call.indices;
    return static_cast<std::int64_t>(element_bits(indices.type, indices.contents, place.k));
}

void add_sign(Theme& theme) {
    const Versions negative = versions_where(takes_negative);
    theme.add("negative-refused", "negative indices are out of bounds", negative,
              {.index = [](std::int64_t index, const IndexPlace&) {
                  return index < 0 ? beyond : index;
              }});
    theme.add("negative-accepted", "negative indices count from the end where they are not allowed",
              {OperatorVersion::openvino_gather_elements_6},
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  return -place.s <= index && index < 0 ? index + place.s : index;
              }});
    theme.add("negative-off-by-one", "-1 is the last element but one", negative,
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  if (index >= 0 || index < -place.s) return index;
                  return index == -place.s ? place.s - 1 : index + place.s - 1;
              }});
    theme.add("negative-mirrored", "the sign of an index is lost", negative,
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  if (index >= 0 || index < -place.s) return index;
                  return -index % place.s;
              }});
    theme.add("negative-takes-first",
              "negative indices are not wrapped: they take the first element", negative,
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  return -place.s <= index && index < 0 ? 0 : index;
              }});
    theme.add("negative-clamped-to-0",
              "negative indices take the first element, also those out of range", all_versions(),
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  return index < 0 && place.s > 0 ? 0 : index;
              }});
    theme.add("only-minus-one", "of the negative indices only -1 is understood", negative,
              {.index = [](std::int64_t index, const IndexPlace&) {
                  return index < -1 ? beyond : index;
              }});
    theme.add(
        "negative-counts-from-first-dimension",
        "a negative index counts from the end of the first dimension",
        versions_where([](const OperatorInfo& op) { return takes_negative(op) && has_axis(op); }),
        {.index = [](std::int64_t index, const IndexPlace& place) {
            if (index >= 0 || index < -place.s) return index;
            return ((index + place.call.data.shape[0]) % place.s + place.s) % place.s;
        }});
    theme.add("negative-sign-by-first", "all indices are negative or none, as the first is",
              negative, {.index = [](std::int64_t index, const IndexPlace& place) {
                  const TensorView& indices = place.call.indices;
                  const auto first = integer_element(indices.type, indices.contents, 0);
                  return index < 0 && first && *first >= 0 ? beyond : index;
              }});
}

/// How many indices, or tuples, a call must have for a bug to show.
struct Many {
    std::string name;                  ///< put before the mutant's name
    std::string what;                  ///< "a scalar index"
    bool (*holds)(const IndexPlace&);  ///< whether a call has so many
    bool no_elements = false;          ///< GatherElements cannot have so many
};

/// Indices without the last dimension of tuples: one for each slice or element that is picked.
Shape picks_of(const CheckedCall& call) {
    const Shape& shape = call.indices.shape;
    return is_gather_nd(info(call.version)) ? shape.slice(0, shape.rank() - 1) : shape;
}

const Many any_many{"", "indices", [](const IndexPlace&) { return true; }};
const Many scalar{"scalar-", "scalar indices, and tuples that are no list's,",
                  [](const IndexPlace& place) { return picks_of(place.call).rank() == 0; }, true};
const Many single{"single-", "lists of one index or tuple", [](const IndexPlace& place) {
                      const Shape picks = picks_of(place.call);
                      return picks.rank() > 0 && elements(picks) == 1;
                  }};

/// A sign bit that is overlooked, or seen where there is none.
void add_sign_bit(Theme& theme) {
    for (const Many& many : {any_many, scalar, single}) {
        for (const ElementType type : {u8, u16, u32, u64}) {
            // No dimension reaches 2^63: where bad indices may do anything, a u64 shows nothing.
            // Nor does a u32 where it would, as a negative number, count from the end of a
            // dimension of 2^31 and more.
            Versions versions{OperatorVersion::openvino_gather_8};
            if (type != u64) versions = all_versions();
            if (type == u32) std::erase(versions, OperatorVersion::openvino_gather_nd_8);
            theme.add_in_each(
                many.name + "signed-" + std::string(name(type)),
                many.what + " of type " + std::string(name(type)) + " are read as signed",
                with_index_type(std::move(versions), type),
                {.index = [=](std::int64_t index, const IndexPlace& place) {
                    if (place.type() != type || !many.holds(place)) return index;
                    return low_bits(pattern_of(place), bits(type), true);
                }});
        }
        for (const ElementType type : {i8, i16, i32, i64}) {
            Versions versions = with_index_type(versions_where(takes_negative), type);
            if (many.no_elements) {
                std::erase_if(versions, [](OperatorVersion version) {
                    return is_gather_elements(info(version));
                });
            }
            theme.add_in_each(
                many.name + "unsigned-" + std::string(name(type)),
                many.what + " of type " + std::string(name(type)) + " are read as unsigned",
                std::move(versions), {.index = [=](std::int64_t index, const IndexPlace& place) {
                    if (place.type() != type || index >= 0 || !many.holds(place)) return index;
                    return bits(type) == 64 ? beyond : low_bits(index, bits(type), false);
                }});
        }
    }
}

void add_width(Theme& theme) {
    for (const int width : {8, 16, 32}) {
        const std::string text = std::to_string(width);
        theme.add("indices-cut-to-" + text + "-bits",
                  "indices are cut to " + text + " bits before they are checked", all_versions(),
                  {.index = [width](std::int64_t index, const IndexPlace& place) {
                      return bits(place.type()) <= width ? index
                                                         : low_bits(pattern_of(place), width, true);
                  }});
    }
    theme.add("u64-index-cut", "only the low 32 bits of u64 indices are read",
              {OperatorVersion::openvino_gather_7, OperatorVersion::openvino_gather_8,
               OperatorVersion::openvino_gather_nd_8},
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  return place.type() == u64 ? low_bits(pattern_of(place), 32, false) : index;
              }});
    theme.add("u32-index-cut", "only the low 16 bits of u32 indices are read",
              {OperatorVersion::openvino_gather_7, OperatorVersion::openvino_gather_8,
               OperatorVersion::openvino_gather_nd_8},
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  return place.type() == u32 ? low_bits(pattern_of(place), 16, false) : index;
              }});
    theme.add("i32-index-cut", "only the low 16 bits of i32 indices are read", all_versions(),
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  return place.type() == i32 ? low_bits(index, 16, true) : index;
              }});
    for (const ElementType type : {i32, i64}) {
        theme.add("lowest-" + std::string(name(type)) + "-accepted",
                  "the lowest " + std::string(name(type)) +
                      " passes the check, because its negation overflows",
                  versions_where(takes_negative),
                  {.index = [type](std::int64_t index, const IndexPlace& place) {
                      const std::int64_t lowest = std::int64_t{-1} << (bits(type) - 1);
                      return place.type() == type && index == lowest && place.s > 0 ? 0 : index;
                  }});
    }
    theme.add("axis-size-in-index-type",
              "the size of the axis is narrowed to the signed type of indices, e.g. 200 to -56",
              {OperatorVersion::openvino_gather_7, OperatorVersion::openvino_gather_8,
               OperatorVersion::openvino_gather_nd_8},
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  const int width = bits(place.type());
                  return index >= low_bits(place.s, width, width == 64) ? beyond : index;
              }});
    theme.add("negative-added-in-index-type",
              "a negative index and the size of the axis are added in the type of indices",
              {OperatorVersion::openvino_gather_8, OperatorVersion::openvino_gather_nd_8},
              {.index = [](std::int64_t index, const IndexPlace& place) {
                  if (index >= 0 || index < -place.s) return index;
                  const std::int64_t sum = low_bits(index + place.s, bits(place.type()), true);
                  return sum < 0 ? beyond : sum;
              }});
    theme.add("indices-through-f32", "indices pass through f32, which has 24 bits of precision",
              all_versions(), {.index = [](std::int64_t index, const IndexPlace&) {
                  if (std::abs(static_cast<double>(index)) >= 9e18) return index;
                  return static_cast<std::int64_t>(static_cast<float>(index));
              }});
}

}  // namespace

std::vector<Mutant> sign_and_width_mutants() {
    Theme theme("sign and width");
    add_sign(theme);
    add_sign_bit(theme);
    add_width(theme);
    return theme.take();
}

}  // namespace gathercheck::mutant
