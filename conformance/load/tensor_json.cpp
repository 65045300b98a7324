// SPDX-License-Identifier: Apache-2.0
// Tensors in case files: type, shape, and contents as values, bits, fill or digest.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <utility>

#include "conformance/load/load_json.hpp"
#include "conformance/model/fill.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

/// Why a literal is refused, as a clause; nothing where it was stored.
using Refusal = std::optional<std::string>;

constexpr std::uint64_t all_readers_exact = std::uint64_t{1} << 53;

Pattern integer_literal(ElementType type, const Json& literal) {
    std::uint64_t magnitude = 0;
    bool negative = false;
    if (literal.is_number_unsigned()) {
        magnitude = literal.get<std::uint64_t>();
    } else if (literal.is_number_integer()) {
        negative = true;
        magnitude = ~static_cast<std::uint64_t>(literal.get<std::int64_t>()) + 1;
    } else if (literal.is_string() && bits(type) == 64) {
        const Pattern pattern = integer_pattern(type, literal.get_ref<const std::string&>());
        if (const auto* bit_pattern = std::get_if<std::uint64_t>(&pattern)) {
            const bool below_zero = info(type).kind == ElementKind::signed_integer &&
                                    static_cast<std::int64_t>(*bit_pattern) < 0;
            if ((below_zero ? ~*bit_pattern + 1 : *bit_pattern) <= all_readers_exact) {
                return "is a string, which is for integers beyond 2^53; write a plain integer";
            }
        }
        return pattern;
    } else {
        return "is " + describe_json(literal) + ", not an integer; write an integer of " +
               std::string(name(type));
    }
    const Pattern pattern = integer_pattern(type, negative, magnitude);
    if (std::holds_alternative<std::uint64_t>(pattern) && magnitude > all_readers_exact) {
        return "is beyond 2^53, where readers of JSON may round; write it as a string";
    }
    return pattern;
}

Pattern float_literal(ElementType type, const Json& literal) {
    if (bits(type) <= 8) {
        return "is a literal of " + std::string(name(type)) +
               ", which has none; give the tensor's \"bits\"";
    }
    if (literal.is_number_float()) return float_pattern(type, literal.get<double>());
    if (is_odd_number(literal)) return float_pattern(type, odd_number_text(literal));
    if (const auto integer = as_integer(literal)) {
        constexpr std::int64_t enough = std::int64_t{1} << 32;
        if (*integer > -enough && *integer < enough && *integer != 0) {
            return float_pattern(type, static_cast<double>(*integer));
        }
        return float_pattern(type, std::to_string(*integer));
    }
    if (literal.is_number_unsigned()) return float_pattern(type, canonical_json(literal));
    return "is " + describe_json(literal) +
           ", not a number; write a number, or give the tensor's " + "\"bits\" where it is none";
}

/// Where elements are put one after the other.
class Elements {
public:
    Elements(ElementType type, const Shape& shape) : type_(type), shape_(shape) {
        const std::int64_t count = *element_count(shape);
        if (type == ElementType::string) {
            strings_.reserve(static_cast<std::size_t>(count));
        } else {
            contents_.resize(static_cast<std::size_t>(*byte_size(type, count)));
        }
    }

    Refusal put_literal(const Json& literal) {
        switch (info(type_).kind) {
            case ElementKind::boolean:
                if (!literal.is_boolean()) {
                    return "is " + describe_json(literal) + "; write true or false";
                }
                return put(std::uint64_t{literal.get<bool>()});
            case ElementKind::unsigned_integer:
            case ElementKind::signed_integer:
                return put(integer_literal(type_, literal));
            case ElementKind::floating:
                return put(float_literal(type_, literal));
            case ElementKind::complex:
                return put_complex(literal);
            case ElementKind::string:
                if (!literal.is_string())
                    return "is " + describe_json(literal) + "; write a string";
                strings_.push_back(literal.get<std::string>());
                return std::nullopt;
        }
        return std::nullopt;
    }

    /// Not for strings.
    Refusal put_bits(const Json& word) {
        if (!word.is_string())
            return "is " + describe_json(word) + "; write a string of hex digits";
        const auto& text = word.get_ref<const std::string&>();
        if (type_ != ElementType::c128) return put(bits_pattern(type_, text));
        if (text.size() != 32) {
            return "is not 32 lower-case hex digits; write all 128 bits of c128";
        }
        const Refusal low = put(bits_pattern(ElementType::u64, std::string_view(text).substr(16)));
        if (low) return low;
        return put(bits_pattern(ElementType::u64, std::string_view(text).substr(0, 16)));
    }

    Tensor take() && {
        if (type_ == ElementType::string) return string_tensor(shape_, std::move(strings_));
        return {type_, shape_, std::move(contents_), nullptr};
    }

private:
    Refusal put(const Pattern& pattern) {
        if (const auto* why = std::get_if<std::string>(&pattern)) return *why;
        const ElementType stored = type_ == ElementType::c128 ? ElementType::u64 : type_;
        set_element_bits(stored, contents_.data(), next_++, std::get<std::uint64_t>(pattern));
        return std::nullopt;
    }

    Refusal put_complex(const Json& literal) {
        if (!literal.is_array() || literal.size() != 2) {
            return "is " + describe_json(literal) + "; write [real, imaginary]";
        }
        const ElementType part = type_ == ElementType::c128 ? ElementType::f64 : ElementType::f32;
        std::array<std::uint64_t, 2> patterns{};
        for (std::size_t k = 0; k < 2; ++k) {
            const Pattern pattern = float_literal(part, literal[k]);
            if (const auto* why = std::get_if<std::string>(&pattern)) {
                return (k == 0 ? "has a real part that " : "has an imaginary part that ") + *why;
            }
            patterns[k] = std::get<std::uint64_t>(pattern);
        }
        if (type_ == ElementType::c64) return put(patterns[1] << 32U | patterns[0]);
        put(patterns[0]);
        return put(patterns[1]);
    }

    ElementType type_;
    Shape shape_;
    std::vector<std::byte> contents_;
    std::vector<std::string> strings_;
    std::int64_t next_ = 0;  // elements stored; of c128 halves
};

std::optional<ElementType> read_type(const Json& object, const Place& at, Problems& problems) {
    const std::string* text = string_at(object, at, "type", problems);
    if (text == nullptr) return std::nullopt;
    const auto type = element_type(*text);
    if (!type) {
        std::string known;
        for (const ElementTypeInfo& row : element_types()) {
            if (!known.empty()) known += ", ";
            known += row.name;
        }
        problems.add(at.child("type"),
                     in_quotes(*text) + " is no element type; write one of " + known);
    }
    return type;
}

std::optional<Shape> read_shape(const Json& object, const Place& at, Problems& problems) {
    const Json* list = array_at(object, at, "shape", problems);
    if (list == nullptr) return std::nullopt;
    const Place here = at.child("shape");
    if (list->size() > static_cast<std::size_t>(max_rank)) {
        problems.add(here, "has " + std::to_string(list->size()) + " dimensions; write at most " +
                               std::to_string(max_rank));
        return std::nullopt;
    }
    Shape shape;
    for (std::size_t k = 0; k < list->size(); ++k) {
        const auto dim = as_integer((*list)[k]);
        if (!dim || *dim < 0) {
            problems.add(here.child(k), "is " + describe_json((*list)[k]) +
                                            "; write a dimension, an integer from 0 to 2^63 - 1");
            return std::nullopt;
        }
        shape.push_back(*dim);
    }
    return shape;
}

std::optional<Descriptor> read_descriptor(const Json& object, const Place& at, Problems& problems) {
    const auto type = read_type(object, at, problems);
    const auto shape = read_shape(object, at, problems);
    if (!type || !shape) return std::nullopt;
    return Descriptor{*type, *shape};
}

/// The elements of a list of literals, or of hex words.
std::optional<Tensor> read_elements(const Json& list, const Place& at, ElementType type,
                                    const Shape& shape, bool hex_words, Problems& problems) {
    Elements elements(type, shape);
    bool good = true;
    for (std::size_t k = 0; k < list.size(); ++k) {
        const Json& each = list[k];
        const Refusal refusal = hex_words ? elements.put_bits(each) : elements.put_literal(each);
        if (!refusal) continue;
        const bool shown =
            refusal->starts_with("is ") && refusal->find(describe_json(each)) != std::string::npos;
        problems.add(at.child(k), shown ? *refusal : describe_json(each) + " " + *refusal);
        good = false;
        if (problems.full()) break;
    }
    if (!good) return std::nullopt;
    return std::move(elements).take();
}

std::optional<Tensor> read_listed(const Json& object, const Place& at, std::string_view key,
                                  const Descriptor& descriptor, Problems& problems) {
    const Json* list = array_at(object, at, key, problems);
    if (list == nullptr) return std::nullopt;
    const Place here = at.child(key);
    const bool hex_words = key == "bits";
    if (hex_words && descriptor.type == ElementType::string) {
        problems.add(here, "strings have no bits; write \"values\"");
        return std::nullopt;
    }
    const std::int64_t count = *element_count(descriptor.shape);
    if (list->size() != static_cast<std::size_t>(count)) {
        problems.add(here, "has " + std::to_string(list->size()) + " elements, but the shape " +
                               to_string(descriptor.shape) + " has " + std::to_string(count) +
                               "; make the two agree");
        return std::nullopt;
    }
    return read_elements(*list, here, descriptor.type, descriptor.shape, hex_words, problems);
}

std::optional<std::int64_t> read_start(const Json& value, const Place& at, Problems& problems) {
    const auto start = as_integer(value);
    if (!start) {
        problems.add(at, "is " + describe_json(value) + "; write an integer that fits 64 bits");
    }
    return start;
}

std::optional<Fill> read_fill(const Json& value, const Place& at, ElementType type,
                              Problems& problems);

std::optional<Fill> read_cycle(const Json& value, const Place& at, ElementType type,
                               Problems& problems) {
    if (!value.is_array() || value.empty()) {
        const std::string what = value.is_array() ? "an empty list" : describe_json(value);
        problems.add(at, "is " + what + "; write a list of at least one value");
        return std::nullopt;
    }
    const Shape shape{static_cast<std::int64_t>(value.size())};
    auto entries = read_elements(value, at, type, shape, false, problems);
    if (!entries) return std::nullopt;
    return Fill{CycleFill{std::move(*entries)}};
}

std::optional<Fill> read_affine(const Json& value, const Place& at, Problems& problems) {
    if (!check_keys(value, at, {"start", "step"}, {"modulo"}, problems)) return std::nullopt;
    const auto start = integer_at(value, at, "start", problems);
    const auto step = integer_at(value, at, "step", problems);
    const bool reduced = find_member(value, "modulo") != nullptr;
    const auto modulo = integer_at(value, at, "modulo", problems);
    if (!start || !step || (reduced && !modulo)) return std::nullopt;
    if (reduced && *modulo < 1) {
        problems.add(at.child("modulo"), "is " + std::to_string(*modulo) +
                                             "; write a positive integer, or leave it out");
        return std::nullopt;
    }
    return Fill{AffineFill{*start, *step, modulo.value_or(0)}};
}

std::optional<Fill> read_except(const Json& value, const Place& at, ElementType type,
                                Problems& problems) {
    if (!check_keys(value, at, {"fill", "at"}, {}, problems)) return std::nullopt;
    const Place inner_place = at.child("fill");
    const auto inner = read_fill(*find_member(value, "fill"), inner_place, type, problems);
    const Json* exceptions = object_at(value, at, "at", problems);
    if (exceptions == nullptr) return std::nullopt;
    const Place here = at.child("at");
    if (exceptions->empty()) {
        problems.add(here, "is an empty object; name at least one position, or use the inner fill");
        return std::nullopt;
    }
    ExceptFill fill;
    Elements elements(type, {static_cast<std::int64_t>(exceptions->size())});
    bool good = inner.has_value();
    for (const auto& [key, literal] : exceptions->get_ref<const Json::object_t&>()) {
        const Place place = here.child(key);
        const Pattern position = integer_pattern(ElementType::i64, key);
        if (const auto* why = std::get_if<std::string>(&position)) {
            problems.add(place, "the position " + in_quotes(key) + " " + *why);
            good = false;
            continue;
        }
        fill.positions.push_back(static_cast<std::int64_t>(std::get<std::uint64_t>(position)));
        if (const Refusal refusal = elements.put_literal(literal)) {
            problems.add(place, *refusal);
            good = false;
        }
    }
    if (!good) return std::nullopt;
    fill.fill = std::make_shared<const Fill>(*inner);
    fill.entries = std::move(elements).take();
    return Fill{std::move(fill)};
}

std::optional<Fill> read_fill(const Json& value, const Place& at, ElementType type,
                              Problems& problems) {
    if (!value.is_object() || value.size() != 1) {
        const std::string what = value.is_object()
                                     ? "an object of " + std::to_string(value.size()) + " members"
                                     : describe_json(value);
        problems.add(at, "is " + what +
                             "; write an object with one of \"address\", \"cycle\", \"affine\", "
                             "\"except\", \"mark\"");
        return std::nullopt;
    }
    const auto& [key, recipe] = value.get_ref<const Json::object_t&>().front();
    const Place here = at.child(key);
    if (key == "address" || key == "mark") {
        const auto start = read_start(recipe, here, problems);
        if (!start) return std::nullopt;
        return key == "mark" ? Fill{MarkFill{*start}} : Fill{AddressFill{*start}};
    }
    if (key == "cycle") return read_cycle(recipe, here, type, problems);
    if (key == "affine") return read_affine(recipe, here, problems);
    if (key == "except") return read_except(recipe, here, type, problems);
    problems.add(here, in_quotes(key) +
                           " is no fill; write one of \"address\", \"cycle\", \"affine\", "
                           "\"except\", \"mark\"");
    return std::nullopt;
}

/// The one key of values, bits, fill and sha256 that the object has; empty where it has none.
std::optional<std::string_view> contents_key(const Json& object, const Place& at,
                                             Problems& problems) {
    std::string_view found;
    for (const std::string_view key : {"values", "bits", "fill", "sha256"}) {
        if (find_member(object, key) == nullptr) continue;
        if (!found.empty()) {
            problems.add(at.child(key), "the contents are given as " + in_quotes(found) +
                                            " already; keep one of the two");
            return std::nullopt;
        }
        found = key;
    }
    return found;
}

bool check_size(const Descriptor& descriptor, const Place& at, Problems& problems) {
    const auto bytes = byte_size(descriptor);
    if (bytes && *bytes <= max_contents_bytes) return true;
    problems.add(at, std::string(name(descriptor.type)) + " " + to_string(descriptor.shape) +
                         " has contents of " + (bytes ? std::to_string(*bytes) : "more than 2^63") +
                         " bytes, more than the " + std::to_string(max_contents_bytes) +
                         " that a case may have; leave the contents of all inputs and outputs out");
    return false;
}

/// The contents that the object gives under `key`; nothing, and a problem, where they are refused.
std::optional<std::variant<std::monostate, Tensor, Fill>> read_contents(
    const Json& object, const Place& at, std::string_view key, const Descriptor& descriptor,
    Problems& problems) {
    using Contents = std::variant<std::monostate, Tensor, Fill>;
    if (!check_size(descriptor, at, problems)) return std::nullopt;
    if (key == "fill") {
        const Place here = at.child(key);
        auto fill = read_fill(*find_member(object, key), here, descriptor.type, problems);
        if (!fill) return std::nullopt;
        if (const auto why = refused(*fill, descriptor)) {
            problems.add(here, *why);
            return std::nullopt;
        }
        return Contents(std::move(*fill));
    }
    auto tensor = read_listed(object, at, key, descriptor, problems);
    if (!tensor) return std::nullopt;
    return Contents(std::move(*tensor));
}

}  // namespace

std::optional<TensorSpec> read_input(const Json& value, const Place& at, Problems& problems) {
    const bool known =
        check_keys(value, at, {"type", "shape"}, {"values", "bits", "fill"}, problems);
    if (!value.is_object()) return std::nullopt;
    const auto descriptor = read_descriptor(value, at, problems);
    const auto key = contents_key(value, at, problems);
    if (!known || !descriptor || !key) return std::nullopt;
    TensorSpec spec{*descriptor, {}};
    if (key->empty()) return spec;
    auto contents = read_contents(value, at, *key, *descriptor, problems);
    if (!contents) return std::nullopt;
    spec.contents = std::move(*contents);
    return spec;
}

std::optional<ExpectedOutput> read_output(const Json& value, const Place& at, bool in_sweep,
                                          Problems& problems) {
    if (value.is_string() && value.get_ref<const std::string&>() == "equation") {
        if (in_sweep) return ExpectedOutput{FromEquation{}, {}};
        problems.add(at,
                     "\"equation\" is for sweeps only; write the output's type, shape and values");
        return std::nullopt;
    }
    const bool known =
        check_keys(value, at, {"type", "shape"}, {"values", "bits", "fill", "sha256"}, problems);
    if (!value.is_object()) return std::nullopt;
    const auto descriptor = read_descriptor(value, at, problems);
    const auto key = contents_key(value, at, problems);
    if (!known || !descriptor || !key) return std::nullopt;
    ExpectedOutput output{TensorSpec{*descriptor, {}}, {}};
    if (*key == "sha256") {
        const Place here = at.child("sha256");
        const std::string* digest = string_at(value, at, "sha256", problems);
        if (digest == nullptr || !check_size(*descriptor, at, problems)) return std::nullopt;
        if (descriptor->type == ElementType::string) {
            problems.add(here, "strings have no raw bytes to take a digest of; write \"values\"");
            return std::nullopt;
        }
        if (digest->size() != 64 ||
            digest->find_first_not_of("0123456789abcdef") != std::string::npos) {
            problems.add(here, in_quotes(*digest) + " is not 64 lower-case hex digits; write the " +
                                   "SHA-256 of the output's raw bytes");
            return std::nullopt;
        }
        output.sha256 = *digest;
    } else if (!key->empty()) {
        auto contents = read_contents(value, at, *key, *descriptor, problems);
        if (!contents) return std::nullopt;
        std::get<TensorSpec>(output.output).contents = std::move(*contents);
    }
    return output;
}

}  // namespace gathercheck
