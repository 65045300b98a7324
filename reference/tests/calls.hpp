// SPDX-License-Identifier: Apache-2.0
// Short ways to write calls and read answers in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "reference/reference.hpp"

namespace gathercheck::test {

/// An integer (or bit pattern) tensor.
inline Tensor tensor(ElementType type, const Shape& shape,
                     const std::vector<std::int64_t>& values) {
    Tensor result;
    result.type = type;
    result.shape = shape;
    result.contents.resize(
        static_cast<std::size_t>(*byte_size(type, static_cast<std::int64_t>(values.size()))));
    const std::uint64_t mask =
        bits(type) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits(type)) - 1;
    for (std::size_t k = 0; k < values.size(); ++k) {
        set_element_bits(type, result.contents.data(), static_cast<std::int64_t>(k),
                         static_cast<std::uint64_t>(values[k]) & mask);
    }
    return result;
}

inline Tensor i32(const Shape& shape, const std::vector<std::int64_t>& values) {
    return tensor(ElementType::i32, shape, values);
}

inline Tensor i64(const Shape& shape, const std::vector<std::int64_t>& values) {
    return tensor(ElementType::i64, shape, values);
}

/// A call that borrows the tensors.
inline Call call(OperatorVersion version, const Tensor& data, const Tensor& indices,
                 std::vector<Attribute> attributes = {}) {
    return {version, std::move(attributes), {{"data", data.view()}, {"indices", indices.view()}}};
}

inline Call call(OperatorVersion version, const Tensor& data, const Tensor& indices,
                 const Tensor& axis, std::vector<Attribute> attributes = {}) {
    return {version,
            std::move(attributes),
            {{"data", data.view()}, {"indices", indices.view()}, {"axis", axis.view()}}};
}

/// What the reference answers: shape and values, or the category and rule of the error.
struct Answer {
    std::string error;
    Shape shape;
    std::vector<std::uint64_t> values;

    friend bool operator==(const Answer&, const Answer&) = default;
};

inline Answer answer(const Call& call) {
    const auto failed = [](const Error& error) {
        return Answer{std::string(name(error.category)) + " " + error.rule, {}, {}};
    };
    const Result<Descriptor> output = reference::output_descriptor(call);
    if (!output) return failed(output.error());
    std::vector<std::byte> contents(static_cast<std::size_t>(*byte_size(*output)), std::byte{0xA5});
    const Result<void> done = reference::run(call, contents);
    if (!done) return failed(done.error());
    Answer result{{}, output->shape, {}};
    for (std::int64_t k = 0; k < *element_count(output->shape); ++k) {
        result.values.push_back(element_bits(output->type, contents.data(), k));
    }
    return result;
}

}  // namespace gathercheck::test
