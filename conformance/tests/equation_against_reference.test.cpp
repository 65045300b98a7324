// SPDX-License-Identifier: Apache-2.0
// The equation oracle and the reference, which share no code, agree on random legal calls.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "conformance/oracle/equation.hpp"
#include "conformance/tests/equations.hpp"
#include "reference/reference.hpp"
#include "reference/tests/calls.hpp"

namespace gathercheck {
namespace {

/// Random numbers that are the same everywhere: the standard fixes the engine, not distributions.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    std::int64_t between(std::int64_t low, std::int64_t high) {
        const auto width = static_cast<std::uint64_t>(high - low) + 1;
        return low + static_cast<std::int64_t>(engine_() % width);
    }
    bool one_in(std::int64_t n) { return between(1, n) == 1; }

private:
    std::mt19937_64 engine_;
};

/// A dimension; now and then 0.
std::int64_t dimension(Dice& dice) { return dice.one_in(12) ? 0 : dice.between(1, 4); }

Shape random_shape(Dice& dice, std::int64_t rank) {
    Shape shape;
    for (std::int64_t k = 0; k < rank; ++k) shape.push_back(dimension(dice));
    return shape;
}

/// A legal call, but some index may be outside the version's range.
struct RandomCall {
    Tensor data;
    Tensor indices;
    Tensor axis;
    Call call;
};

Tensor random_data(Dice& dice, const Shape& shape) {
    constexpr std::array<ElementType, 4> types{ElementType::u8, ElementType::f16, ElementType::i32,
                                               ElementType::f64};
    Tensor data;
    data.type = types[static_cast<std::size_t>(dice.between(0, 3))];
    data.shape = shape;
    data.contents.resize(static_cast<std::size_t>(*byte_size({data.type, shape})));
    for (std::byte& byte : data.contents) byte = static_cast<std::byte>(dice.between(0, 255));
    return data;
}

/// Values for the sizes in turn, each within the version's range; one in fifty calls has strays.
std::vector<std::int64_t> random_values(Dice& dice, const OperatorInfo& op, std::int64_t count,
                                        const std::vector<std::int64_t>& sizes) {
    const bool strays = dice.one_in(op.out_of_bounds == OutOfBounds::zero ? 3 : 10);
    std::vector<std::int64_t> values;
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t s = sizes[static_cast<std::size_t>(k) % sizes.size()];
        const std::int64_t lowest = op.negative_indices ? -s : 0;
        const bool stray = strays && dice.one_in(5);
        values.push_back(stray || s == 0 ? dice.between(lowest - 2, s + 1)
                                         : dice.between(lowest, s - 1));
    }
    return values;
}

RandomCall random_call(Dice& dice, const OperatorInfo& op) {
    const std::int64_t n_dims = dice.between(1, 4);
    Shape data = random_shape(dice, n_dims);
    Shape indices;
    std::int64_t axis = dice.between(0, n_dims - 1);
    std::int64_t batch_dims = 0;
    std::int64_t given_batch_dims = 0;
    std::vector<std::int64_t> sizes;
    switch (op.family) {
        case Family::gather:
            indices = random_shape(dice, dice.between(0, 3));
            if (op.batch_dims == BatchDims::negative_too) {
                batch_dims = dice.between(0, std::min(axis, indices.rank()));
                const std::int64_t negative = batch_dims - indices.rank();
                given_batch_dims =
                    negative < 0 && -negative <= n_dims && dice.one_in(2) ? negative : batch_dims;
            }
            sizes = {data[axis]};
            break;
        case Family::gather_elements:
            indices = data;
            indices[axis] = dimension(dice);
            sizes = {data[axis]};
            break;
        case Family::gather_nd:
            indices = random_shape(dice, dice.between(1, 4));
            if (op.batch_dims == BatchDims::from_zero) {
                batch_dims = dice.between(0, std::min(n_dims, indices.rank()) - 1);
            }
            given_batch_dims = batch_dims;
            indices[indices.rank() - 1] = dice.between(1, n_dims - batch_dims);
            for (std::int64_t k = 0; k < indices[indices.rank() - 1]; ++k) {
                sizes.push_back(data[batch_dims + k]);
            }
            break;
    }
    for (std::int64_t k = 0; k < batch_dims; ++k) indices[k] = data[k];

    RandomCall made;
    made.data = random_data(dice, data);
    made.indices = test::i64(indices, random_values(dice, op, *element_count(indices), sizes));
    if (dice.one_in(2)) axis -= n_dims;
    made.axis = test::i64(dice.one_in(2) ? Shape{} : Shape{1}, {axis});
    made.call.version = op.version;
    made.call.inputs = {{"data", made.data.view()}, {"indices", made.indices.view()}};
    if (op.axis == AxisSource::input) made.call.inputs.push_back({"axis", made.axis.view()});
    if (op.axis == AxisSource::attribute && (axis != 0 || dice.one_in(2))) {
        made.call.attributes.push_back({"axis", axis});
    }
    if (op.batch_dims != BatchDims::none && (given_batch_dims != 0 || dice.one_in(2))) {
        made.call.attributes.push_back({"batch_dims", given_batch_dims});
    }
    return made;
}

std::string text_of(const RandomCall& made) {
    std::string text = "data " + to_string(made.data.shape) + " of type " +
                       std::string(name(made.data.type)) + ", indices " +
                       to_string(made.indices.shape) + ":";
    for (std::int64_t k = 0; k < *element_count(made.indices.shape); ++k) {
        text += k == 0 ? " " : ", ";
        text += integer_text(ElementType::i64, made.indices.contents.data(), k);
    }
    if (made.call.inputs.size() == 3) {
        text += "; axis " + integer_text(ElementType::i64, made.axis.contents.data(), 0);
    }
    for (const Attribute& attribute : made.call.attributes) {
        text +=
            "; " + attribute.name + " " + std::to_string(std::get<std::int64_t>(attribute.value));
    }
    return text;
}

struct Counts {
    int values = 0;
    int bad_indices = 0;
};

Counts compare(const OperatorInfo& op, int calls) {
    Counts counts;
    Dice dice(static_cast<std::uint64_t>(op.version) + 1);
    for (int k = 0; k < calls; ++k) {
        const RandomCall made = random_call(dice, op);
        INFO(op.name << ", call " << k << ": " << text_of(made));
        const auto answer = test::equations().evaluate(made.call);
        REQUIRE(test::reason(answer) == "");
        const auto& known = std::get<EquationAnswer>(answer);

        const Result<Descriptor> descriptor = reference::output_descriptor(made.call);
        REQUIRE(descriptor.ok());
        REQUIRE(known.output == *descriptor);
        std::vector<std::byte> contents(static_cast<std::size_t>(*byte_size(*descriptor)),
                                        std::byte{0xA5});
        const Result<void> done = reference::run(made.call, contents);
        if (!done) {
            REQUIRE(done.error().category == Category::index_out_of_bounds);
            REQUIRE(known.bad_index.has_value());
            ++counts.bad_indices;
        } else {
            REQUIRE_FALSE(known.bad_index.has_value());
            REQUIRE(assemble(known, made.data.view()).contents == contents);
            ++counts.values;
        }
    }
    return counts;
}

}  // namespace

TEST_CASE("the equations and the reference agree on random legal calls of every version") {
    constexpr int calls = 400;
    for (const OperatorInfo& op : operator_versions().first(enumerated_version_count)) {
        INFO(op.name);
        const Counts counts = compare(op, calls);
        CHECK(counts.values > calls / 2);
        if (op.out_of_bounds == OutOfBounds::reject) CHECK(counts.bad_indices > calls / 40);
    }
}

}  // namespace gathercheck
