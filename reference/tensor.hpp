// SPDX-License-Identifier: Apache-2.0
// Tensors: element type, shape and row-major contents; views that borrow and
// values that own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/element_type.hpp"
#include "reference/shape.hpp"

namespace gathercheck {

/// One element of a string tensor: bytes that somebody else owns. All bits zero
/// is the empty string. Gather moves it like any other 16-byte element, so an
/// output borrows from its data tensor.
struct StringElement {
    const char* bytes = nullptr;
    std::int64_t length = 0;

    std::string_view view() const { return {bytes, static_cast<std::size_t>(length)}; }
};
static_assert(sizeof(StringElement) == 16);

/// Element type and shape of a tensor; no contents.
struct Descriptor {
    ElementType type = ElementType::f32;
    Shape shape;

    friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

/// A tensor that borrows its contents: row-major, contiguous, no alignment
/// needed. `contents` is null where only type and shape are known (a described
/// call); it may also be null for a tensor without elements.
struct TensorView {
    ElementType type = ElementType::f32;
    Shape shape;
    const std::byte* contents = nullptr;
};

/// A tensor that owns its contents. Copies share the characters of strings,
/// which never change.
struct Tensor {
    ElementType type = ElementType::f32;
    Shape shape;
    std::vector<std::byte> contents;  ///< for strings: StringElements
    std::shared_ptr<const std::vector<std::string>>
        strings;  ///< what the StringElements point into

    TensorView view() const { return {type, shape, contents.data()}; }
};

/// A string tensor; the number of strings must be the shape's.
Tensor string_tensor(const Shape& shape, std::vector<std::string> strings);

/// Bytes that a tensor of this type and shape occupies; nothing when that does
/// not fit 63 bits.
inline std::optional<std::int64_t> byte_size(const Descriptor& descriptor) {
    const auto count = element_count(descriptor.shape);
    if (!count) return std::nullopt;
    return byte_size(descriptor.type, *count);
}

/// Copies element `from` of `source` to element `to` of `target`, both of
/// element type `type`. Bits of a shared byte that belong to other elements
/// stay as they are.
void copy_element(ElementType type, const std::byte* source, std::int64_t from, std::byte* target,
                  std::int64_t to);

/// Sets element `to` of `target` to all-zero bits: 0, false, +0.0, "".
void zero_element(ElementType type, std::byte* target, std::int64_t to);

/// The pattern of element `k` as an unsigned number, for types of at most 64
/// bits.
std::uint64_t element_bits(ElementType type, const std::byte* contents, std::int64_t k);

/// Sets the pattern of element `k`; bits beyond the type's width must be zero.
void set_element_bits(ElementType type, std::byte* contents, std::int64_t k, std::uint64_t pattern);

/// The value of element `k` of an integer tensor; nothing for a u64 value
/// beyond the 63 bits of std::int64_t, which is outside every range of indices
/// and axes.
std::optional<std::int64_t> integer_element(ElementType type, const std::byte* contents,
                                            std::int64_t k);

/// Whether an integer tensor holds a negative element; false of any other, and without contents.
bool has_negative_element(const TensorView& tensor);

/// The decimal text of element `k` of an integer tensor, u64 values beyond 63
/// bits too.
std::string integer_text(ElementType type, const std::byte* contents, std::int64_t k);

}  // namespace gathercheck
