// SPDX-License-Identifier: Apache-2.0
// Mutants that do arithmetic on what must only be moved, or misplace packed elements and strings.
#include <algorithm>
#include <array>
#include <cstring>

#include "conformance/mutants/bug.hpp"

namespace gathercheck::mutant {
namespace {

using enum ElementType;
using Bits = std::uint64_t;

/// The layout of a binary floating-point type.
struct Float {
    ElementType type;
    int fraction;  ///< bits of the fraction
    int exponent;  ///< bits of the exponent

    Bits sign() const { return Bits{1} << (fraction + exponent); }
    Bits fraction_mask() const { return (Bits{1} << fraction) - 1; }
    Bits exponent_mask() const { return ((Bits{1} << exponent) - 1) << fraction; }
};

constexpr std::array<Float, 4> floats{Float{f16, 10, 5}, Float{bf16, 7, 8}, Float{f32, 23, 8},
                                      Float{f64, 52, 11}};

bool is_nan(const Float& format, Bits bits) {
    return (bits & format.exponent_mask()) == format.exponent_mask() &&
           (bits & format.fraction_mask()) != 0;
}

void add_floats(Theme& theme) {
    for (const Float& format : floats) {
        const std::string type(name(format.type));
        theme.add("nan-quieted-" + type, "signalling NaNs of " + type + " become quiet",
                  newest_versions(), {.types = {format.type}, .bits = [format](Bits bits) {
                                          const Bits quiet = Bits{1} << (format.fraction - 1);
                                          return is_nan(format, bits) ? bits | quiet : bits;
                                      }});
        theme.add("nan-payload-lost-" + type, "quiet NaNs of " + type + " lose sign and payload",
                  newest_versions(), {.types = {format.type}, .bits = [format](Bits bits) {
                                          const Bits quiet = Bits{1} << (format.fraction - 1);
                                          const bool is_quiet =
                                              is_nan(format, bits) && (bits & quiet) != 0;
                                          return is_quiet ? format.exponent_mask() | quiet : bits;
                                      }});
        theme.add("minus-zero-lost-" + type, "-0.0 of " + type + " becomes 0.0", newest_versions(),
                  {.types = {format.type},
                   .bits = [format](Bits bits) { return bits == format.sign() ? Bits{0} : bits; }});
        theme.add("denormals-flushed-" + type, "denormal numbers of " + type + " become zero",
                  newest_versions(), {.types = {format.type}, .bits = [format](Bits bits) {
                                          const bool tiny = (bits & format.exponent_mask()) == 0;
                                          return tiny ? bits & format.sign() : bits;
                                      }});
    }
    theme.add("f8-zero-sign-lost", "the sign of zero of the 8-bit floats is lost",
              newest_versions(), {.types = {f8e4m3, f8e5m2}, .bits = [](Bits bits) {
                                      return bits == 0x80 ? Bits{0} : bits;
                                  }});
    theme.add("f8-nan-made-zero", "NaN of f8e8m0, 0xFF, is made zero", newest_versions(),
              {.types = {f8e8m0}, .bits = [](Bits bits) { return bits == 0xFF ? Bits{0} : bits; }});
}

void add_integers(Theme& theme) {
    theme.add("boolean-normalised", "a boolean byte other than 0 becomes 1", newest_versions(),
              {.types = {boolean}, .bits = [](Bits bits) { return Bits{bits != 0}; }});
    theme.add("boolean-low-bit", "of a boolean only the lowest bit is kept", newest_versions(),
              {.types = {boolean}, .bits = [](Bits bits) { return bits & 1; }});
    theme.add("unsigned-data-saturated", "u8, u16, u32 and u64 data stop at the signed maximum",
              newest_versions(), {.types = {u8, u16, u32, u64}, .bits = [](Bits bits) {
                                      for (const int width : {8, 16, 32, 64}) {
                                          const Bits top = Bits{1} << (width - 1);
                                          if (bits == (top | (top - 1))) return top - 1;
                                      }
                                      return bits;
                                  }});
    // An element that is moved at half its width.
    for (const ElementType type : {u16, u32, u64, i16, i32, i64, f16, bf16, f32, f64}) {
        const int half = bits(type) / 2;
        theme.add("upper-half-lost-" + std::string(name(type)),
                  "the upper half of elements of type " + std::string(name(type)) + " is lost",
                  newest_versions(), {.types = {type}, .bits = [half](Bits bits) {
                                          return bits & ((Bits{1} << half) - 1);
                                      }});
    }
    theme.add("f32-taken-for-f16-pairs", "the halves of 32-bit elements change places",
              newest_versions(), {.types = {f32, i32, u32}, .bits = [](Bits bits) {
                                      return (bits >> 16 | bits << 16) & 0xFFFFFFFF;
                                  }});
}

/// Calls `change` with the pattern of the two halves of every complex element.
template <class Change>
Bug complex_changed(ElementType type, Change change) {
    return {.contents = [type, change](const Finished& finished) {
        if (finished.call.output.type != type) return;
        const auto half = static_cast<std::size_t>(bits(type) / 16);
        for (std::size_t at = 0; at < finished.contents.size(); at += 2 * half) {
            change(finished.contents.subspan(at, half), finished.contents.subspan(at + half, half));
        }
    }};
}

void add_complex(Theme& theme) {
    const Versions onnx{OperatorVersion::onnx_gather_1, OperatorVersion::onnx_gather_11,
                        OperatorVersion::onnx_gather_13, OperatorVersion::onnx_gather_elements_13,
                        OperatorVersion::onnx_gather_nd_13};
    for (const ElementType type : {c64, c128}) {
        const std::string text(name(type));
        theme.add("imaginary-lost-" + text, "the imaginary part of " + text + " is lost", onnx,
                  complex_changed(type, [](auto, auto imaginary) {
                      std::ranges::fill(imaginary, std::byte{});
                  }));
        theme.add("parts-swapped-" + text, "the parts of " + text + " change places", onnx,
                  complex_changed(type, [](auto real, auto imaginary) {
                      std::ranges::swap_ranges(real, imaginary);
                  }));
    }
}

/// Moves the fields of a byte: the low one to the top.
template <int Width>
std::byte fields_reversed(std::byte byte) {
    unsigned reversed = 0;
    for (int at = 0; at < 8; at += Width) {
        const unsigned field = std::to_integer<unsigned>(byte) >> at & ((1U << Width) - 1);
        reversed |= field << (8 - Width - at);
    }
    return static_cast<std::byte>(reversed);
}

template <int Width>
Bug packed_from_the_top(TypeSet types) {
    return {.contents = [types](const Finished& finished) {
        if (!types.contains(finished.call.output.type)) return;
        std::ranges::transform(finished.contents, finished.contents.begin(),
                               fields_reversed<Width>);
    }};
}

/// A bug in where packed elements are read from.
template <class Place>
Bug packed_source(TypeSet types, Place place) {
    return {.source = [types, place](std::int64_t source, const SourcePlace& at) {
        return types.contains(at.call.data.type) && source != nowhere ? place(source, at) : source;
    }};
}

void add_packed(Theme& theme) {
    const Versions openvino{OperatorVersion::openvino_gather_8,
                            OperatorVersion::openvino_gather_elements_6,
                            OperatorVersion::openvino_gather_nd_8};
    const TypeSet nibbles{u4, i4, f4e2m1, nf4};
    const TypeSet packed = nibbles | TypeSet{u1, u2, u3, u6};
    theme.add("u1-high-bit-first", "u1 is written from the highest bit of a byte down", openvino,
              packed_from_the_top<1>({u1}));
    theme.add("u2-high-part-first", "u2 is written from the highest bits of a byte down", openvino,
              packed_from_the_top<2>({u2}));
    theme.add("nibbles-high-first", "4-bit elements are written with the high half first", openvino,
              packed_from_the_top<4>(nibbles));
    theme.add("packed-whole-bytes", "packed elements are read from the start of their byte",
              openvino, packed_source(packed, [](std::int64_t source, const SourcePlace& at) {
                  const int in_a_byte = std::max(8 / bits(at.call.data.type), 1);
                  return source / in_a_byte * in_a_byte;
              }));
    theme.add("packed-odd-slices", "a slice of packed elements begins at a byte", openvino,
              packed_source(packed, [](std::int64_t source, const SourcePlace& at) {
                  const std::int64_t within = at.k % slice_elements(at.call);
                  const int in_a_byte = std::max(8 / bits(at.call.data.type), 1);
                  return (source - within) / in_a_byte * in_a_byte + within;
              }));
    theme.add("packed-odd-tail", "packed elements that do not fill a byte are dropped", openvino,
              packed_source(packed, [](std::int64_t source, const SourcePlace& at) {
                  const auto count = static_cast<std::int64_t>(at.sources.size());
                  const int in_a_byte = std::max(8 / bits(at.call.data.type), 1);
                  const std::int64_t whole = count / in_a_byte * in_a_byte;
                  return at.k < whole ? source : nowhere;
              }));
    theme.add("u3-in-nibbles", "u3 data is read as if two elements shared a byte", openvino,
              packed_source(
                  {u3}, [](std::int64_t source, const SourcePlace&) { return source * 4 / 3; }));
    theme.add("u6-in-bytes", "u6 data is read as if each element had a byte", openvino,
              packed_source(
                  {u6}, [](std::int64_t source, const SourcePlace&) { return source * 8 / 6; }));
    for (const ElementType type : {u1, u2, u3, u4, u6, i4, f4e2m1, nf4}) {
        theme.add("top-bit-lost-" + std::string(name(type)),
                  "the highest bit of " + std::string(name(type)) + " is lost", openvino,
                  {.types = {type}, .bits = [type](Bits pattern) {
                       return pattern & ((Bits{1} << (bits(type) - 1)) - 1);
                   }});
    }
    theme.add("i4-clamped", "-8, the lowest i4, becomes -7", openvino,
              {.types = {i4}, .bits = [](Bits bits) { return bits == 8 ? Bits{9} : bits; }});
}

/// Changes every string of the output to a part of it.
template <class Change>
Bug strings_changed(Change change) {
    return {.contents = [change](const Finished& finished) {
        if (finished.call.output.type != ElementType::string) return;
        for (std::size_t at = 0; at < finished.contents.size(); at += sizeof(StringElement)) {
            StringElement element;
            std::memcpy(&element, finished.contents.data() + at, sizeof element);
            const std::string_view part = change(element.view());
            element = {part.data(), static_cast<std::int64_t>(part.size())};
            std::memcpy(finished.contents.data() + at, &element, sizeof element);
        }
    }};
}

void add_strings(Theme& theme) {
    using View = std::string_view;
    theme.add("string-cut-at-nul", "strings end at their first NUL", newest_versions(),
              strings_changed([](View text) { return text.substr(0, text.find('\0')); }));
    theme.add("string-trailing-nul-dropped", "NULs at the end of a string are dropped",
              newest_versions(), strings_changed([](View text) {
                  const std::size_t last = text.find_last_not_of('\0');
                  return last == View::npos ? text.substr(0, 0) : text.substr(0, last + 1);
              }));
    theme.add("string-cut-at-non-ascii", "strings end at their first character outside ASCII",
              newest_versions(), strings_changed([](View text) {
                  const auto end =
                      std::ranges::find_if(text, [](char c) { return (c & 0x80) != 0; });
                  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
              }));
    for (const std::size_t length : {15U, 22U}) {
        theme.add("string-cut-to-" + std::to_string(length),
                  "strings are cut to the " + std::to_string(length) +
                      " characters that fit without an allocation",
                  newest_versions(),
                  strings_changed([length](View text) { return text.substr(0, length); }));
    }
    theme.add("string-trimmed", "spaces around a string are dropped", newest_versions(),
              strings_changed([](View text) {
                  const std::size_t first = text.find_first_not_of(" \t\n");
                  if (first == View::npos) return text.substr(0, 0);
                  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
              }));
    theme.add("empty-string-skipped", "an empty string is replaced by the one before it",
              newest_versions(), {.contents = [](const Finished& finished) {
                  if (finished.call.output.type != ElementType::string) return;
                  for (std::size_t at = 16; at < finished.contents.size(); at += 16) {
                      StringElement element;
                      std::memcpy(&element, finished.contents.data() + at, sizeof element);
                      if (element.length != 0) continue;
                      std::memcpy(finished.contents.data() + at, finished.contents.data() + at - 16,
                                  16);
                  }
              }});
    theme.add("string-slice-first-only", "of a slice of strings only the first is copied",
              newest_versions(), {.source = [](std::int64_t source, const SourcePlace& at) {
                  const bool first = at.k % slice_elements(at.call) == 0;
                  return at.call.data.type == ElementType::string && !first ? nowhere : source;
              }});
}

}  // namespace

std::vector<Mutant> element_mutants() {
    Theme theme("elements");
    add_floats(theme);
    add_integers(theme);
    add_complex(theme);
    add_packed(theme);
    add_strings(theme);
    return theme.take();
}

}  // namespace gathercheck::mutant
