// SPDX-License-Identifier: Apache-2.0
// Tests of what is said of calls that no case asks.
#include "tools/shared/specified.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "conformance/model/case.hpp"
#include "tools/tests/shipped.hpp"

using namespace gathercheck;

TEST_CASE("a call that breaks two rules is no precedent for one that breaks one of them") {
    // gather-two-rules-attribute-unknown-and-kind has attributes of these names, and must be
    // rejected: its axis is no integer.
    Case asked;
    asked.id = "asked";
    asked.attributes = {{"axis", std::int64_t{0}}, {"mode", std::int64_t{0}}};
    const std::vector<std::byte> zero(4);
    for (const auto& [name, type] :
         {std::pair{"data", ElementType::f32}, std::pair{"indices", ElementType::i32}}) {
        asked.inputs.push_back({name, {{type, {1}}, Tensor{type, {1}, zero, {}}}});
    }
    Specified specified(shipped());
    for (const OperatorVersion version :
         {OperatorVersion::onnx_gather_1, OperatorVersion::onnx_gather_13}) {
        const auto answer = specified.answer(asked, version);
        REQUIRE(std::holds_alternative<SpecifiedAnswer>(answer));
        CHECK(std::get<SpecifiedAnswer>(answer).says == Says::open);
    }
}

TEST_CASE("an unknown attribute, of which texts are silent, does not excuse another broken rule") {
    Specified specified(shipped());
    const auto answer_of = [&](std::int64_t axis) {
        Case asked;
        asked.id = "asked";
        asked.attributes = {{"axis", axis}, {"unknown", std::int64_t{0}}};
        const std::vector<std::byte> zero(4);
        for (const auto& [name, type] :
             {std::pair{"data", ElementType::f32}, std::pair{"indices", ElementType::i32}}) {
            asked.inputs.push_back({name, {{type, {1}}, Tensor{type, {1}, zero, {}}}});
        }
        const auto answer = specified.answer(asked, OperatorVersion::onnx_gather_13);
        REQUIRE(std::holds_alternative<SpecifiedAnswer>(answer));
        return std::get<SpecifiedAnswer>(answer);
    };
    CHECK(answer_of(0).says == Says::open);
    const SpecifiedAnswer of_bad_axis = answer_of(1);
    CHECK(of_bad_axis.says == Says::error);
    CHECK(of_bad_axis.broken == Check::axis_range);
    const auto allows = [&](Category category) {
        return std::ranges::any_of(of_bad_axis.alternatives, [&](const ResolvedAlternative& each) {
            const auto* error = std::get_if<ExpectedError>(&each);
            return error != nullptr && error->category == category;
        });
    };
    CHECK(allows(Category::axis_out_of_range));
    CHECK(allows(Category::unknown_attribute));
}

TEST_CASE("that a negative batch_dims is open says nothing of one that is too large") {
    // Of GatherND's nothing says whether -1 counts from the end; more cases have that one.
    Specified specified(shipped());
    const auto says = [&](std::int64_t batch_dims) {
        Case asked;
        asked.id = "asked";
        asked.attributes = {{"batch_dims", batch_dims}};
        const auto tensor = [](ElementType type, const Shape& shape, std::size_t bytes) {
            return TensorSpec{{type, shape},
                              Tensor{type, shape, std::vector<std::byte>(bytes), {}}};
        };
        asked.inputs.push_back({"data", tensor(ElementType::f32, {1, 2}, 8)});
        asked.inputs.push_back({"indices", tensor(ElementType::i64, {1}, 8)});
        const auto answer = specified.answer(asked, OperatorVersion::onnx_gather_nd_13);
        REQUIRE(std::holds_alternative<SpecifiedAnswer>(answer));
        return std::get<SpecifiedAnswer>(answer).says;
    };
    CHECK(says(-1) == Says::open);
    CHECK(says(1) == Says::error);
    CHECK(says(2) == Says::error);
}

TEST_CASE("packed start indices of StableHLO's gather are open, floats are not") {
    Specified specified(shipped());
    const auto says = [&](ElementType indices) {
        Case asked;
        asked.id = "asked";
        asked.attributes = {{"offset_dims", std::vector<std::int64_t>{}},
                            {"collapsed_slice_dims", std::vector<std::int64_t>{0}},
                            {"operand_batching_dims", std::vector<std::int64_t>{}},
                            {"start_indices_batching_dims", std::vector<std::int64_t>{}},
                            {"start_index_map", std::vector<std::int64_t>{}},
                            {"index_vector_dim", std::int64_t{1}},
                            {"slice_sizes", std::vector<std::int64_t>{1}}};
        asked.inputs.push_back({"data",
                                {{ElementType::i8, {1}},
                                 Tensor{ElementType::i8, {1}, std::vector<std::byte>(1), {}}}});
        asked.inputs.push_back({"indices", {{indices, {1, 0}}, Tensor{indices, {1, 0}, {}, {}}}});
        const auto answer = specified.answer(asked, OperatorVersion::stablehlo_gather);
        REQUIRE(std::holds_alternative<SpecifiedAnswer>(answer));
        return std::get<SpecifiedAnswer>(answer).says;
    };
    CHECK(says(ElementType::u2) == Says::open);
    CHECK(says(ElementType::i4) == Says::open);
    CHECK(says(ElementType::u8) == Says::output);
    CHECK(says(ElementType::f32) == Says::error);
}

TEST_CASE("packed indices are open where the text says any integer, whatever the type of data") {
    // Precedents have data of i32; of GatherND's tuples only those of u1 have one.
    Specified specified(shipped());
    const auto says = [&](OperatorVersion version, ElementType indices) {
        Case asked;
        asked.id = "asked";
        const std::vector<std::byte> zero(8);
        const auto tensor = [&](ElementType type) {
            const auto bytes = static_cast<std::size_t>(*byte_size(type, 1));
            return Tensor{type, {1}, {zero.begin(), zero.begin() + std::ptrdiff_t(bytes)}, {}};
        };
        asked.inputs.push_back({"data", {{ElementType::f32, {1}}, tensor(ElementType::f32)}});
        asked.inputs.push_back({"indices", {{indices, {1}}, tensor(indices)}});
        if (info(version).axis == AxisSource::input) {
            Tensor axis = tensor(ElementType::i64);
            axis.shape = {};
            asked.inputs.push_back({"axis", {{ElementType::i64, {}}, std::move(axis)}});
        }
        const auto answer = specified.answer(asked, version);
        REQUIRE(std::holds_alternative<SpecifiedAnswer>(answer));
        return std::get<SpecifiedAnswer>(answer).says;
    };
    for (const ElementType packed : {ElementType::u4, ElementType::i4, ElementType::u2}) {
        CAPTURE(name(packed));
        CHECK(says(OperatorVersion::openvino_gather_7, packed) == Says::open);
        CHECK(says(OperatorVersion::openvino_gather_nd_8, packed) == Says::open);
        CHECK(says(OperatorVersion::openvino_gather_elements_6, packed) == Says::error);
        CHECK(says(OperatorVersion::onnx_gather_nd_13, packed) == Says::error);
    }
    CHECK(says(OperatorVersion::openvino_gather_7, ElementType::f32) == Says::error);
    CHECK(says(OperatorVersion::openvino_gather_nd_8, ElementType::f32) == Says::error);
}

TEST_CASE("where the type has no zero of its own, an index out of range may give another one") {
    // Beyond the case that shows it: other indices, other shapes.
    Specified specified(shipped());
    const auto said = [&](ElementType type, Tensor data) {
        Case asked;
        asked.id = "asked";
        asked.axis = 0;
        asked.inputs.push_back({"data", {{type, {1}}, std::move(data)}});
        std::vector<std::byte> indices(16);  // 1 and 0, of i64
        indices[0] = std::byte{1};
        asked.inputs.push_back(
            {"indices",
             {{ElementType::i64, {2}}, Tensor{ElementType::i64, {2}, std::move(indices), {}}}});
        const auto answer = specified.answer(asked, OperatorVersion::openvino_gather_8);
        REQUIRE(std::holds_alternative<SpecifiedAnswer>(answer));
        return std::get<SpecifiedAnswer>(answer);
    };
    const auto of_bits = [&](ElementType type) {
        return said(type, Tensor{type, {1}, {std::byte{5}}, {}});
    };
    const SpecifiedAnswer strings = said(ElementType::string, string_tensor({1}, {"a"}));
    REQUIRE(strings.alternatives.size() == 2);
    const auto expected = [&](std::size_t place) {
        return *std::get<ResolvedOutput>(strings.alternatives[place]).contents;
    };
    CHECK(same_tensor(expected(0), string_tensor({2}, {"", "a"})));
    CHECK(same_tensor(expected(1), string_tensor({2}, {std::string(1, '\0'), "a"})));

    const SpecifiedAnswer codes = of_bits(ElementType::nf4);
    REQUIRE(codes.alternatives.size() == 2);
    const auto code = [&](std::size_t place, std::int64_t k) {
        const auto& output = std::get<ResolvedOutput>(codes.alternatives[place]);
        return element_bits(ElementType::nf4, output.contents->contents.data(), k);
    };
    CHECK(code(0, 0) == 0);
    CHECK(code(1, 0) == 7);
    CHECK(code(0, 1) == 5);
    CHECK(code(1, 1) == 5);

    CHECK(of_bits(ElementType::f8e8m0).says == Says::open);
    CHECK(of_bits(ElementType::u8).alternatives.size() == 1);
}
