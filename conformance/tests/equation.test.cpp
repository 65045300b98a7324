// SPDX-License-Identifier: Apache-2.0
// The equation oracle: range, policies, batches, empty and huge shapes, and refused texts.
#include "conformance/oracle/equation.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "conformance/tests/equations.hpp"
#include "reference/tests/calls.hpp"

namespace gathercheck {
namespace {

using test::i32;
using test::i64;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

EquationAnswer evaluated(const Call& call, OutOfRange policy = OutOfRange::as_stated) {
    const auto answer = test::equations().evaluate(call, policy);
    REQUIRE(test::reason(answer) == "");
    return std::get<EquationAnswer>(answer);
}

std::string reason_of(const Call& call) { return test::reason(test::equations().evaluate(call)); }

std::vector<std::int64_t> positions(const EquationAnswer& answer) {
    std::vector<std::int64_t> found;
    for (const Source& source : answer.sources) found.push_back(source.position);
    return found;
}

std::vector<std::int64_t> outside(const EquationAnswer& answer) {
    std::vector<std::int64_t> found;
    for (std::size_t k = 0; k < answer.sources.size(); ++k) {
        if (answer.sources[k].out_of_range) found.push_back(static_cast<std::int64_t>(k));
    }
    return found;
}

/// Positions that a policy gives for the indices {3, 10, -20, 0, -1} of data [5].
std::vector<std::int64_t> positions_under(OperatorVersion version, OutOfRange policy) {
    const Tensor data = i32({5}, {1, 2, 3, 4, 5});
    const Tensor indices = i64({5}, {3, 10, -20, 0, -1});
    const Tensor axis = i64({}, {0});
    return positions(evaluated(test::call(version, data, indices, axis), policy));
}

using Positions = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a negative index counts from the end where the version says so") {
    const Tensor data = i32({5}, {1, 2, 3, 4, 5});
    const Tensor indices = i64({3}, {0, -5, -1});
    const Tensor axis = i64({}, {0});
    const auto answer =
        evaluated(test::call(OperatorVersion::openvino_gather_8, data, indices, axis));
    CHECK(positions(answer) == Positions{0, 0, 4});
    CHECK(outside(answer).empty());
    for (const OperatorVersion version :
         {OperatorVersion::onnx_gather_1, OperatorVersion::onnx_gather_11,
          OperatorVersion::onnx_gather_13, OperatorVersion::onnx_gather_elements_11,
          OperatorVersion::onnx_gather_elements_13}) {
        CHECK(positions(evaluated(test::call(version, data, indices))) == Positions{0, 0, 4});
    }
}

TEST_CASE("each element of the output tells which index picks it") {
    using Version = OperatorVersion;
    const Tensor rows = i32({3, 2}, {1, 2, 3, 4, 5, 6});
    const auto picks = [](const Call& call) { return test::equations().picks(call); };
    CHECK(picks(test::call(Version::onnx_gather_13, rows, i64({2}, {2, 0}))) ==
          Positions{0, 0, 1, 1});
    CHECK(picks(test::call(Version::onnx_gather_elements_13, rows, i64({1, 2}, {2, 0}))) ==
          Positions{0, 1});
    // Of a tuple the first value counts.
    CHECK(picks(test::call(Version::onnx_gather_nd_13, rows, i64({2, 2}, {0, 1, 2, 0}))) ==
          Positions{0, 2});
    // Where no element is picked, nothing is told.
    CHECK(picks(test::call(Version::onnx_gather_13, rows, i64({0}, {}))).empty());
}

TEST_CASE("a negative index is outside the range where the version says so") {
    const Tensor data = i32({5}, {1, 2, 3, 4, 5});
    const Tensor indices = i64({3}, {4, 0, -1});
    const Tensor axis = i64({}, {0});
    for (const OperatorVersion version :
         {OperatorVersion::openvino_gather_1, OperatorVersion::openvino_gather_7}) {
        const auto answer = evaluated(test::call(version, data, indices, axis));
        CHECK(answer.bad_index == 2);
        CHECK(positions(answer) == Positions{4, 0, -1});
        CHECK(outside(answer) == Positions{2});
    }
    CHECK(evaluated(test::call(OperatorVersion::openvino_gather_elements_6, data, indices))
              .bad_index == 2);
    const Tensor tuples = i64({2, 1}, {4, -1});
    CHECK(evaluated(test::call(OperatorVersion::openvino_gather_nd_5, data, tuples)).bad_index ==
          1);
    CHECK_FALSE(
        evaluated(test::call(OperatorVersion::openvino_gather_nd_8, data, tuples)).bad_index);
}

TEST_CASE("the first index outside the range is reported, not the last") {
    const Tensor data = i32({3, 2}, {1, 2, 3, 4, 5, 6});
    const Tensor indices = i64({2, 2}, {2, 3, 0, -4});
    const auto answer = evaluated(test::call(OperatorVersion::onnx_gather_13, data, indices));
    CHECK(answer.bad_index == 1);
    CHECK(answer.output.shape == Shape{2, 2, 2});
    CHECK(positions(answer) == Positions{4, 5, -1, -1, 0, 1, -1, -1});
    CHECK(outside(answer) == Positions{2, 3, 6, 7});
}

TEST_CASE("an index outside the range is reported though the output is empty") {
    const Tensor data = i32({3, 0}, {});
    const Tensor indices = i64({1}, {3});
    const auto answer = evaluated(test::call(OperatorVersion::onnx_gather_13, data, indices));
    CHECK(answer.bad_index == 0);
    CHECK(answer.output.shape == Shape{1, 0});
    CHECK(answer.sources.empty());
}

TEST_CASE("Gather-8 gives zeros for a slice whose index is outside, and has no bad index") {
    const Tensor data = i32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Tensor indices = i64({2, 3}, {1, 2, -3, least, 0, greatest});
    const Tensor axis = i64({}, {1});
    const auto answer = evaluated(test::call(OperatorVersion::openvino_gather_8, data, indices,
                                             axis, {{"batch_dims", std::int64_t{1}}}));
    CHECK_FALSE(answer.bad_index.has_value());
    CHECK(positions(answer) == Positions{2, 3, -1, -1, -1, -1, -1, -1, 4, 5, -1, -1});
    CHECK(outside(answer) == Positions{2, 3, 4, 5, 6, 7, 10, 11});
    CHECK(assemble(answer, data.view()).contents ==
          i32({2, 3, 2}, {3, 4, 0, 0, 0, 0, 0, 0, 5, 6, 0, 0}).contents);
}

TEST_CASE("each policy puts its own position where an index is outside the range") {
    const OperatorVersion gather_7 = OperatorVersion::openvino_gather_7;
    CHECK(positions_under(gather_7, OutOfRange::as_stated) == Positions{3, -1, -1, 0, -1});
    CHECK(positions_under(gather_7, OutOfRange::zero) == Positions{3, -1, -1, 0, -1});
    CHECK(positions_under(gather_7, OutOfRange::clamp) == Positions{3, 4, 0, 0, 0});
    CHECK(positions_under(gather_7, OutOfRange::wrap) == Positions{3, 0, 0, 0, 4});
    CHECK(positions_under(gather_7, OutOfRange::first_element) == Positions{3, 0, 0, 0, 0});
    const OperatorVersion gather_8 = OperatorVersion::openvino_gather_8;
    CHECK(positions_under(gather_8, OutOfRange::as_stated) == Positions{3, -1, -1, 0, 4});
    CHECK(positions_under(gather_8, OutOfRange::clamp) == Positions{3, 4, 0, 0, 4});
    CHECK(positions_under(gather_8, OutOfRange::wrap) == Positions{3, 0, 0, 0, 4});
}

TEST_CASE("a policy changes the position, not what is reported as outside the range") {
    const Tensor data = i32({5}, {1, 2, 3, 4, 5});
    const Tensor indices = i64({3}, {4, 7, -6});
    const auto answer =
        evaluated(test::call(OperatorVersion::onnx_gather_13, data, indices), OutOfRange::wrap);
    CHECK(positions(answer) == Positions{4, 2, 4});
    CHECK(outside(answer) == Positions{1, 2});
    CHECK(answer.bad_index == 1);
}

TEST_CASE("policies apply to each component of a tuple") {
    const Tensor data = i32({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor indices = i64({3, 2}, {1, 3, 2, 0, -1, -1});
    const Call call = test::call(OperatorVersion::openvino_gather_nd_5, data, indices);
    const auto stated = evaluated(call);
    CHECK(stated.bad_index == 1);
    CHECK(positions(stated) == Positions{-1, -1, -1});
    CHECK(outside(stated) == Positions{0, 1, 2});
    CHECK(positions(evaluated(call, OutOfRange::clamp)) == Positions{5, 3, 0});
    CHECK(positions(evaluated(call, OutOfRange::wrap)) == Positions{3, 0, 5});
    CHECK(positions(evaluated(call, OutOfRange::first_element)) == Positions{3, 0, 0});
}

TEST_CASE("an unsigned value beyond 63 bits is outside the range, and wraps as itself") {
    const Tensor data = i32({5}, {1, 2, 3, 4, 5});
    const Tensor indices = test::tensor(ElementType::u64, {2}, {3, -4});  // 2^64 - 4
    const Tensor axis = i64({}, {0});
    const Call call = test::call(OperatorVersion::openvino_gather_7, data, indices, axis);
    CHECK(evaluated(call).bad_index == 1);
    CHECK(positions(evaluated(call, OutOfRange::clamp)) == Positions{3, 4});
    CHECK(positions(evaluated(call, OutOfRange::wrap)) == Positions{3, 2});
}

TEST_CASE("where the axis has size 0 no index is legal and no policy finds an element") {
    const Tensor data = i32({0, 2}, {});
    const Tensor indices = i64({1}, {0});
    const Call call = test::call(OperatorVersion::onnx_gather_13, data, indices);
    for (const OutOfRange policy : {OutOfRange::as_stated, OutOfRange::zero, OutOfRange::clamp,
                                    OutOfRange::wrap, OutOfRange::first_element}) {
        const auto answer = evaluated(call, policy);
        CHECK(answer.bad_index == 0);
        CHECK(positions(answer) == Positions{-1, -1});
    }
    CHECK(assemble(evaluated(call), data.view()).contents == i32({1, 2}, {0, 0}).contents);
}

TEST_CASE("batch_dims picks each batch's own indices") {
    const Tensor data = i32({2, 1, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor indices = i64({2, 2}, {2, 0, 1, 1});
    const Tensor axis = i64({1}, {-1});
    const auto answer = evaluated(test::call(OperatorVersion::openvino_gather_7, data, indices,
                                             axis, {{"batch_dims", std::int64_t{-1}}}));
    CHECK(answer.output.shape == Shape{2, 1, 2});
    CHECK(positions(answer) == Positions{2, 0, 4, 4});
}

TEST_CASE("GatherND-5 makes one dimension of its batch dimensions, GatherND-8 keeps them") {
    const Tensor data = i32({2, 3, 2, 2}, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                           12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
    const Tensor indices = i64({2, 3, 1}, {1, 0, 1, 0, 1, 0});
    const std::vector<Attribute> two{{"batch_dims", std::int64_t{2}}};
    const Positions expected{2, 3, 4, 5, 10, 11, 12, 13, 18, 19, 20, 21};
    const auto fused =
        evaluated(test::call(OperatorVersion::openvino_gather_nd_5, data, indices, two));
    CHECK(fused.output.shape == Shape{6, 2});
    CHECK(positions(fused) == expected);
    const auto kept =
        evaluated(test::call(OperatorVersion::openvino_gather_nd_8, data, indices, two));
    CHECK(kept.output.shape == Shape{2, 3, 2});
    CHECK(positions(kept) == expected);
}

TEST_CASE("scalar indices drop the axis, and a scalar can be the output") {
    const Tensor data = i32({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor indices = i64({}, {-1});
    const auto row = evaluated(test::call(OperatorVersion::onnx_gather_13, data, indices));
    CHECK(row.output.shape == Shape{3});
    CHECK(positions(row) == Positions{3, 4, 5});
    const Tensor line = i32({3}, {7, 8, 9});
    const auto one = evaluated(test::call(OperatorVersion::onnx_gather_13, line, indices));
    CHECK(one.output.shape == Shape{});
    CHECK(positions(one) == Positions{2});
}

TEST_CASE("no indices give an empty output") {
    const Tensor data = i32({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor indices = i64({2, 0}, {});
    const auto answer = evaluated(
        test::call(OperatorVersion::onnx_gather_13, data, indices, {{"axis", std::int64_t{1}}}));
    CHECK(answer.output.shape == Shape{2, 2, 0});
    CHECK(answer.sources.empty());
    CHECK(assemble(answer, data.view()).contents.empty());
}

TEST_CASE("an index tuple without components picks the whole of data") {
    const Tensor data = i32({2}, {5, 6});
    const Tensor indices = i64({2, 0}, {});
    const auto answer = evaluated(test::call(OperatorVersion::openvino_gather_nd_8, data, indices));
    CHECK(answer.output.shape == Shape{2, 2});
    CHECK(positions(answer) == Positions{0, 1, 0, 1});
}

TEST_CASE("GatherElements takes fewer indices than data in any dimension, never more") {
    const Tensor data = i32({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    const Tensor fewer = i64({2, 1}, {2, 0});
    CHECK(positions(evaluated(test::call(OperatorVersion::onnx_gather_elements_13, data, fewer,
                                         {{"axis", std::int64_t{1}}}))) == Positions{2, 3});
    const Tensor more = i64({4, 1}, {0, 0, 0, 0});
    CHECK(reason_of(test::call(OperatorVersion::onnx_gather_elements_13, data, more,
                               {{"axis", std::int64_t{1}}})) ==
          "data of shape [3, 3] has no element [3, 0], which the equation asks for at output "
          "coordinate [3, 0]");
}

TEST_CASE("every integer type can carry indices and axis") {
    const Tensor data = i32({3}, {7, 8, 9});
    for (const ElementType type :
         {ElementType::i8, ElementType::i16, ElementType::i32, ElementType::u8, ElementType::u16,
          ElementType::u32, ElementType::u64, ElementType::i4, ElementType::u4}) {
        const Tensor indices = test::tensor(type, {3}, {2, 0, 1});
        const Tensor axis = test::tensor(type, {1}, {0});
        CHECK(positions(evaluated(test::call(OperatorVersion::openvino_gather_7, data, indices,
                                             axis))) == Positions{2, 0, 1});
    }
}

TEST_CASE("data needs no contents") {
    const Tensor indices = i64({2}, {1, 0});
    const Call call{OperatorVersion::onnx_gather_13,
                    {},
                    {{"data", {ElementType::f32, {2, 2}, nullptr}}, {"indices", indices.view()}}};
    CHECK(positions(evaluated(call)) == Positions{2, 3, 0, 1});
}

TEST_CASE("described calls of any size get a shape at no cost") {
    constexpr std::int64_t large = std::int64_t{1} << 62;
    const Call both{OperatorVersion::onnx_gather_13,
                    {},
                    {{"data", {ElementType::f32, {large, large}, nullptr}},
                     {"indices", {ElementType::i64, {large, 3}, nullptr}}}};
    const auto described = evaluated(both);
    CHECK(described.output == Descriptor{ElementType::f32, {large, 3, large}});
    CHECK(described.sources.empty());
    const Tensor index = i64({1}, {5});
    const Call data_only{
        OperatorVersion::onnx_gather_13,
        {},
        {{"data", {ElementType::f32, {5, large}, nullptr}}, {"indices", index.view()}}};
    const auto bad = evaluated(data_only);
    CHECK(bad.output.shape == Shape{1, large});
    CHECK(bad.sources.empty());
    CHECK(bad.bad_index == 0);
}

TEST_CASE("more dimensions than a shape holds are a reason, not a crash") {
    Shape data;
    Shape indices;
    for (int k = 0; k < 40; ++k) {
        data.push_back(1);
        indices.push_back(1);
    }
    const Call call{OperatorVersion::onnx_gather_13,
                    {},
                    {{"data", {ElementType::f32, data, nullptr}},
                     {"indices", {ElementType::i64, indices, nullptr}}}};
    CHECK(reason_of(call) == "the output has 79 dimensions, more than 64");
}

TEST_CASE("the product of fused batch dimensions is checked for overflow") {
    constexpr std::int64_t large = std::int64_t{1} << 40;
    const Call call{OperatorVersion::openvino_gather_nd_5,
                    {{"batch_dims", std::int64_t{2}}},
                    {{"data", {ElementType::f32, {large, large, 2}, nullptr}},
                     {"indices", {ElementType::i64, {large, large, 1}, nullptr}}}};
    CHECK(reason_of(call) ==
          "the result does not fit 64 bits (column 2 of \"[product(indices.shape[:b])] + "
          "indices.shape[b:M - 1] + data.shape[b + n:]\")");
}

TEST_CASE("calls that the equations do not cover get a reason") {
    const OperatorVersion gather = OperatorVersion::onnx_gather_13;
    const Tensor data = i32({2, 2}, {1, 2, 3, 4});
    const Tensor indices = i64({1}, {0});
    const Tensor axis = i64({2}, {0, 1});
    CHECK(reason_of(test::call(gather, data, indices, {{"axis", std::int64_t{2}}})) ==
          "there are no entries 3:2 in [2, 2] (column 34 of \"data.shape[:a] + indices.shape + "
          "data.shape[a + 1:]\")");
    CHECK(reason_of(test::call(gather, data, indices, {{"axis", least}})) ==
          "there are no entries 0:-9223372036854775806 in [2, 2] (column 1 of \"data.shape[:a] + "
          "indices.shape + data.shape[a + 1:]\")");
    CHECK(reason_of(test::call(gather, data, indices, {{"axis", greatest}})) ==
          "there are no entries 0:9223372036854775807 in [2, 2] (column 1 of \"data.shape[:a] + "
          "indices.shape + data.shape[a + 1:]\")");
    CHECK(reason_of(test::call(gather, data, indices, {{"axis", 0.5}})) ==
          "attribute axis is no integer");
    CHECK(reason_of(test::call(gather, data, indices, {{"batch_dims", std::int64_t{0}}})) ==
          "the equations know no attribute batch_dims");
    CHECK(reason_of(test::call(gather, data, indices, axis)) == "the equations know no input axis");
    CHECK(reason_of({gather, {}, {{"data", data.view()}}}) == "the call has no input indices");
    CHECK(reason_of({gather, {}, {{"indices", data.view()}}}) == "the call has no input data");
    CHECK(reason_of(test::call(OperatorVersion::openvino_gather_7, data, indices)) ==
          "the call has no input axis");
    CHECK(reason_of(test::call(OperatorVersion::openvino_gather_7, data, indices, axis)) ==
          "input axis does not hold one integer");
    const Tensor floats = test::tensor(ElementType::f32, {1}, {0});
    CHECK(reason_of(test::call(gather, data, floats)) ==
          "indices of element type f32 are no integers");
    const Tensor scalar = i32({}, {1});
    CHECK(reason_of(test::call(gather, scalar, indices)) ==
          "there are no entries 1:0 in [] (column 34 of \"data.shape[:a] + indices.shape + "
          "data.shape[a + 1:]\")");
}

TEST_CASE("an attribute that makes a sum overflow is a reason") {
    const Tensor data = i32({2, 2}, {1, 2, 3, 4});
    const Tensor indices = i64({1, 1}, {0});
    CHECK(reason_of(test::call(OperatorVersion::onnx_gather_nd_12, data, indices,
                               {{"batch_dims", greatest}})) ==
          "the result does not fit 64 bits (column 36 of \"indices.shape[:q - 1] + data.shape[b + "
          "n:]\")");
}

TEST_CASE("assemble moves packed elements and owns its strings") {
    const Tensor packed = test::tensor(ElementType::u3, {5}, {1, 2, 3, 4, 5});
    const Tensor indices = i64({3}, {4, 9, 1});
    const Tensor axis = i64({}, {0});
    const Call call = test::call(OperatorVersion::openvino_gather_8, packed, indices, axis);
    CHECK(assemble(evaluated(call), packed.view()).contents ==
          test::tensor(ElementType::u3, {3}, {5, 0, 2}).contents);

    Tensor gathered;
    {
        const Tensor strings = string_tensor({2}, {"first", std::string("a\0b", 3)});
        const Tensor picks = i64({3}, {1, 5, 0});
        gathered = assemble(
            evaluated(test::call(OperatorVersion::openvino_gather_8, strings, picks, axis)),
            strings.view());
    }
    REQUIRE(gathered.strings);
    CHECK(*gathered.strings == std::vector<std::string>{std::string("a\0b", 3), "", "first"});
}

TEST_CASE("an answer without sources is assembled without contents") {
    const Call call{OperatorVersion::onnx_gather_13,
                    {},
                    {{"data", {ElementType::f32, {2, 2}, nullptr}},
                     {"indices", {ElementType::i64, {3}, nullptr}}}};
    const Tensor output = assemble(evaluated(call), *call.input("data"));
    CHECK(output.shape == Shape{3, 2});
    CHECK(output.contents.empty());
}

TEST_CASE("the equations are shown one line a definition") {
    CHECK(test::equations().text(OperatorVersion::openvino_gather_8) ==
          std::vector<std::string>{
              "axis = the element of input axis",
              "batch_dims = the attribute batch_dims, 0 if absent", "N = rank(data)",
              "M = rank(indices)", "a = axis < 0 ? axis + N : axis",
              "b = batch_dims < 0 ? batch_dims + M : batch_dims",
              "output.shape = data.shape[:a] + indices.shape[b:] + data.shape[a + 1:]",
              "output[p[:a] + i[b:M] + p[a + 1:N]] = data[p[:a] + indices[p[:b] + i[b:M]] + "
              "p[a + 1:N]]",
              "an index v is checked against s in [data.shape[a]]: -s <= v <= s - 1",
              "an index v stands for v < 0 ? v + s : v", "an index outside its range gives zeros"});
    const auto forms = test::equations().text(OperatorVersion::openvino_gather_nd_5);
    CHECK(forms[5] == "if b == 0: output.shape = indices.shape[:M - 1] + data.shape[n:]");
    CHECK(forms[9] == "if b > 0: where c = unravel(f[0], indices.shape[:b])");
}

namespace {

/// What the equations answer to a call of onnx.GatherND-11, data of shape [2, 3] and indices {{1}},
/// when one piece of its text is replaced.
std::variant<EquationAnswer, std::string> answer_with(const std::string& old_text,
                                                      const std::string& new_text) {
    std::ifstream file(test::equations_file());
    std::ostringstream content;
    content << file.rdbuf();
    std::string json = content.str();
    const std::size_t place = json.find(old_text, json.find("onnx.GatherND-11"));
    REQUIRE(place != std::string::npos);
    json.replace(place, old_text.size(), new_text);
    const auto loaded = Equations::load_text(json, "equations.json");
    REQUIRE(std::holds_alternative<Equations>(loaded));
    const Tensor data = i32({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor indices = i64({1, 1}, {1});
    return std::get<Equations>(loaded).evaluate(
        test::call(OperatorVersion::onnx_gather_nd_11, data, indices));
}

const std::string nd_equation = "output[i[:q - 1] + j[n:r]] = data[indices[i[:q - 1]] + j[n:r]]";

/// The shipped document with one piece of text replaced where it first stands after `anchor`.
std::vector<Problem> problems_with(const std::string& anchor, const std::string& old_text,
                                   const std::string& new_text) {
    std::ifstream file(test::equations_file());
    std::ostringstream content;
    content << file.rdbuf();
    std::string json = content.str();
    const std::size_t start = json.find(anchor);
    REQUIRE(start != std::string::npos);
    const std::size_t place = json.find(old_text, start);
    REQUIRE(place != std::string::npos);
    json.replace(place, old_text.size(), new_text);
    const auto result = Equations::load_text(json, "equations.json");
    const auto* problems = std::get_if<std::vector<Problem>>(&result);
    return problems == nullptr ? std::vector<Problem>{} : *problems;
}

/// The one problem of the document in which the let list of onnx.GatherND-11 is another.
std::string let_problem(const std::string& definition) {
    const auto problems =
        problems_with("onnx.GatherND-11", "\"r = rank(data)\", \"q = rank(indices)\"",
                      "\"r = rank(data)\", \"q = rank(indices)\", \"" + definition + "\"");
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].pointer == "/operators/11/let/2");
    return problems[0].reason;
}

/// The same for its equation.
std::string output_problem(const std::string& equation) {
    const auto problems =
        problems_with("onnx.GatherND-11",
                      "output[i[:q - 1] + j[n:r]] = data[indices[i[:q - 1]] + j[n:r]]", equation);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].file == "equations.json");
    CHECK(problems[0].pointer == "/operators/11/forms/0/output");
    return problems[0].reason;
}

}  // namespace

TEST_CASE("a definition that breaks the grammar is refused with its column") {
    CHECK(let_problem("x") == "column 2 of \"x\": expected \"=\", found the end");
    CHECK(let_problem("x = ") == "column 5 of \"x = \": expected a value, found the end");
    CHECK(let_problem("x = 1 2") == "column 7 of \"x = 1 2\": expected the end, found \"2\"");
    CHECK(let_problem("x = r * 2") == "column 7 of \"x = r * 2\": expected the end, found \"*\"");
    CHECK(let_problem("x = (r") == "column 7 of \"x = (r\": expected \")\", found the end");
    CHECK(let_problem("x = 1 < 2 < 3 ? 1 : 2") ==
          "column 11 of \"x = 1 < 2 < 3 ? 1 : 2\": comparisons cannot be chained");
    CHECK(let_problem("x = r == 1 ? 2") ==
          "column 15 of \"x = r == 1 ? 2\": expected \":\", found the end");
    CHECK(let_problem("x = 12a") == "column 5 of \"x = 12a\": \"12a\" is no integer of 64 bits");
    CHECK(let_problem("x = 9223372036854775808") ==
          "column 5 of \"x = 9223372036854775808\": \"9223372036854775808\" is no integer of 64 "
          "bits");
    CHECK(let_problem("x = rank(x)") ==
          "column 10 of \"x = rank(x)\": expected \"data\" or \"indices\", found \"x\"");
    CHECK(let_problem("x = data.shape[") ==
          "column 16 of \"x = data.shape[\": expected a value, found the end");
    CHECK(let_problem("x = r + \u00e9") ==
          "column 9 of \"x = r + \u00e9\": expected a value, found \"\u00e9\"");
}

TEST_CASE("names that are unknown, taken or reserved are refused") {
    CHECK(let_problem("x = y") == "column 5 of \"x = y\": \"y\" is not defined");
    CHECK(let_problem("x = x") == "column 5 of \"x = x\": \"x\" is not defined");
    CHECK(let_problem("x = output.shape") ==
          "column 5 of \"x = output.shape\": \"output.shape\" is not defined");
    CHECK(let_problem("q = 1") == "column 1 of \"q = 1\": \"q\" is defined twice");
    CHECK(let_problem("data = 1") ==
          "column 1 of \"data = 1\": \"data\" is a word of the language; choose another name");
    CHECK(let_problem("x = data") == "column 5 of \"x = data\": \"data\" cannot be read here");
    CHECK(let_problem("x = indices[data.shape]") ==
          "column 5 of \"x = indices[data.shape]\": index values can be read in \"with\" and on "
          "the right side only");
}

TEST_CASE("a list comprehension that breaks the grammar is refused with its column") {
    CHECK(let_problem("x = [k for k in [1] if k]") ==
          "column 24 of \"x = [k for k in [1] if k]\": a truth value is needed here, this is an "
          "integer");
    CHECK(let_problem("x = [k for r in [1]]") ==
          "column 12 of \"x = [k for r in [1]]\": \"r\" is defined twice");
    CHECK(let_problem("x = [k for k in [k]]") ==
          "column 18 of \"x = [k for k in [k]]\": \"k\" is not defined");
    CHECK(let_problem("x = [k for k in 1]") ==
          "column 17 of \"x = [k for k in 1]\": a list is needed here, this is an integer");
    CHECK(let_problem("x = [1 for 2 in [1]]") ==
          "column 12 of \"x = [1 for 2 in [1]]\": \"2\" is no name: a letter or \"_\", then "
          "letters, digits and \"_\"");
    CHECK(let_problem("x = [[k for k in [1]] for k in [1]]") ==
          "column 13 of \"x = [[k for k in [1]] for k in [1]]\": \"k\" is defined twice");
    CHECK(let_problem("x = [1 for") ==
          "column 11 of \"x = [1 for\": \"\" is no name: a letter or \"_\", then letters, digits "
          "and \"_\"");
    CHECK(let_problem("x = r not 1 ? 1 : 2") ==
          "column 11 of \"x = r not 1 ? 1 : 2\": expected \"in\", found \"1\"");
    CHECK(let_problem("in = 1") ==
          "column 1 of \"in = 1\": \"in\" is a word of the language; choose another name");
}

TEST_CASE("types that do not fit are refused") {
    CHECK(let_problem("x = data.shape + 1") ==
          "column 18 of \"x = data.shape + 1\": a list is needed here, this is an integer");
    CHECK(let_problem("x = data.shape - data.shape") ==
          "column 5 of \"x = data.shape - data.shape\": an integer is needed here, this is a list");
    CHECK(let_problem("x = - data.shape") ==
          "column 7 of \"x = - data.shape\": an integer is needed here, this is a list");
    CHECK(let_problem("x = r[0]") ==
          "column 5 of \"x = r[0]\": a list is needed here, this is an integer");
    CHECK(let_problem("x = r < 1") ==
          "column 5 of \"x = r < 1\": a truth value can only stand in \"when\" and before "
          "\"?\"");
    CHECK(let_problem("x = (r < 1) + 1") ==
          "column 5 of \"x = (r < 1) + 1\": an integer is needed here, this is a truth value");
    CHECK(let_problem("x = r ? 1 : 2") ==
          "column 5 of \"x = r ? 1 : 2\": a truth value is needed here, this is an integer");
    CHECK(let_problem("x = r < 1 ? 1 : []") ==
          "column 17 of \"x = r < 1 ? 1 : []\": an integer is needed here, this is a list");
    CHECK(let_problem("x = [data.shape]") ==
          "column 6 of \"x = [data.shape]\": an integer is needed here, this is a list");
    CHECK(
        let_problem("x = unravel(data.shape, data.shape)") ==
        "column 13 of \"x = unravel(data.shape, data.shape)\": an integer is needed here, this is "
        "a list");
}

TEST_CASE("an equation that breaks the grammar is refused with its column") {
    CHECK(output_problem("out[i[:q]] = data[[]]").starts_with("column 1 of"));
    CHECK(output_problem("output[i[:]] = data[i[:1]]") ==
          "column 11 of \"output[i[:]] = data[i[:1]]\": expected a value, found \"]\"");
    CHECK(output_problem("output[i[0]] = data[i[:1]]") ==
          "column 11 of \"output[i[0]] = data[i[:1]]\": expected \":\", found \"]\"");
    CHECK(output_problem("output[q[:1]] = data[q[:1]]") ==
          "column 8 of \"output[q[:1]] = data[q[:1]]\": \"q\" is defined twice");
    CHECK(output_problem("output[i[:i[0]]] = data[i[:1]]") ==
          "column 11 of \"output[i[:i[0]]] = data[i[:1]]\": \"i\" is not defined");
    CHECK(output_problem("output[i[:q]] == data[i[:1]]") ==
          "column 15 of \"output[i[:q]] == data[i[:1]]\": expected \"=\", found \"==\"");
    CHECK(output_problem("output[i[:q]] = indices[i[:1]]") ==
          "column 17 of \"output[i[:q]] = indices[i[:1]]\": expected \"data\", found "
          "\"indices\"");
    CHECK(output_problem("output[i[:q]] = data[i[0]]") ==
          "column 22 of \"output[i[:q]] = data[i[0]]\": a list is needed here, this is an integer");
    CHECK(output_problem("output[i[:q]] = data[i]") ==
          "column 23 of \"output[i[:q]] = data[i]\": expected \"[\": a name bound on the left side "
          "is read entry by entry, found \"]\"");
    CHECK(output_problem("output[i[:q]] = data[i[1:]]") ==
          "column 23 of \"output[i[:q]] = data[i[1:]]\": a name bound on the left side has no "
          "length: say where \"i\" ends");
    CHECK(output_problem("output[i[:q]] = data[i[:1]] + data[i[:1]]") ==
          "column 29 of \"output[i[:q]] = data[i[:1]] + data[i[:1]]\": expected the end, found "
          "\"+\"");
}

TEST_CASE("texts nested too deeply or too long are refused") {
    CHECK(let_problem("x = " + std::string(60, '(') + "1" + std::string(60, ')'))
              .ends_with("nested more than 50 levels deep"));
    std::string sum = "x = 1";
    for (int k = 0; k < 600; ++k) sum += " + 1";
    CHECK(let_problem(sum).ends_with("the expression has more than 1000 terms"));
}

TEST_CASE("a document that is not the equations of all versions is refused") {
    const auto reason = [](const std::string& anchor, const std::string& old_text,
                           const std::string& new_text) {
        const auto problems = problems_with(anchor, old_text, new_text);
        REQUIRE_FALSE(problems.empty());
        return problems[0].pointer + ": " + problems[0].reason;
    };
    CHECK(reason("onnx.GatherND-12", "onnx.GatherND-12", "onnx.GatherND-13") ==
          "/operators/13/operator: \"onnx.GatherND-13\" has an entry already; remove one");
    CHECK(reason("onnx.GatherND-12", "onnx.GatherND-12", "onnx.GatherND-14") ==
          "/operators/12/operator: \"onnx.GatherND-14\" is no operator version");
    CHECK(reason("openvino.Gather-8", "\"zero\"", "\"zeros\"") ==
          "/operators/2/index/outside: \"zeros\" is none of \"error\", \"unspecified\", \"zero\", "
          "\"clamp\"");
    CHECK(reason("openvino.Gather-8", "\"zero\"", "[\"zero\", \"unspecified\"]") ==
          "/operators/2/index/outside: \"unspecified\" allows everything; write it alone, or "
          "remove it");
    CHECK(reason("openvino.Gather-8", "\"input\"", "\"output\"") ==
          "/operators/2/parameters/axis/from: \"output\" is neither \"input\" nor \"attribute\"");
    CHECK(reason("openvino.Gather-8", "\"let\"", "\"lets\"").starts_with("/operators/2"));
    CHECK(reason("openvino.GatherND-5", "\"when\": \"b == 0\",", "") ==
          "/operators/4/forms/0: one of several forms needs the key \"when\"; add it");
    CHECK(reason("openvino.GatherND-5", "b == 0", "b") ==
          "/operators/4/forms/0/when: column 1 of \"b\": a truth value is needed here, this is an "
          "integer");
    CHECK(reason("onnx.GatherND-13", "\"-s\"", "\"-v\"") ==
          "/operators/13/index/lowest: column 2 of \"-v\": \"v\" is not defined");
    CHECK(reason("", "\"operators\"", "\"operator\"") ==
          "/operator: the key \"operator\" is unknown here; known are \"operators\"");
    const auto missing = Equations::load_text(R"({"operators": []})", "few.json");
    REQUIRE(std::holds_alternative<std::vector<Problem>>(missing));
    CHECK(std::get<std::vector<Problem>>(missing)[0] ==
          Problem{"few.json", "/operators", "openvino.Gather-1 has no entry; add one"});
    CHECK(std::holds_alternative<std::vector<Problem>>(Equations::load("/nonexistent.json")));
}

TEST_CASE("lists can be made of parts of lists") {
    const auto positions_with = [](const std::string& right_side) {
        const auto answer = answer_with(nd_equation, "output[i[:2]] = data[" + right_side + "]");
        REQUIRE(test::reason(answer) == "");
        return positions(std::get<EquationAnswer>(answer));
    };
    CHECK(positions_with("([9] + indices[[0]] + [9])[1:2] + [7, 2][1:]") == Positions{5, 5, 5});
    CHECK(positions_with("unravel(5 - i[1], [2, 3])") == Positions{5, 4, 3});
    CHECK(positions_with("[0] + ([5, 6] + i[1:2])[2:]") == Positions{0, 1, 2});
    CHECK(positions_with("i[0] != 0 ? [7, 7] : [product([]), - - 1 + 1]") == Positions{5, 5, 5});
    CHECK(positions_with("(i[1] >= 1 ? [0] : [1]) + [] + [([1, 0, 2])[i[1]]]") ==
          Positions{4, 0, 2});
    CHECK(positions_with("within([1, 2], [1, 3])") == Positions{2, 2, 2});
    CHECK(positions_with("[product(broadcast([1, 2], [1, 1])) - 1, broadcast([1], [2])[0]]") ==
          Positions{5, 5, 5});
    CHECK(positions_with("[data.shape[d] - 1 for d in axes(data.shape)]") == Positions{5, 5, 5});
    CHECK(positions_with("[k - 4 for k in [4, 9, 5] if k not in [9]]") == Positions{1, 1, 1});
    CHECK(positions_with("[k == 1 ? i[1] : length([j for j in [6] if j == k]) for k in axes([7, "
                         "7])]") == Positions{0, 1, 2});
    CHECK(positions_with("[0, find(i[1], [2, 0, 1])]") == Positions{1, 2, 0});
    CHECK(positions_with("i[1] in [] + [1, 2] ? [1, 2] : [0, 0]") == Positions{0, 5, 5});
}

TEST_CASE("faults that only a call can show are reasons") {
    const auto reason_with = [](const std::string& old_text, const std::string& new_text) {
        return test::reason(answer_with(old_text, new_text));
    };
    CHECK(reason_with(nd_equation, "output[i[:q - 1]] = data[i[:1]]") ==
          "the left side binds 1 entries of an output of rank 2 (\"output[i[:q - 1]] = "
          "data[i[:1]]\")");
    CHECK(reason_with(nd_equation, "output[i[:3]] = data[i[:1]]") ==
          "the left side does not fit an output of rank 2: it binds entries 0:3 at place 0 "
          "(\"output[i[:3]] = data[i[:1]]\")");
    CHECK(reason_with(nd_equation, "output[i[:1] + i[:1]] = data[i[:1]]") ==
          "the left side binds entry 0 twice (\"output[i[:1] + i[:1]] = data[i[:1]]\")");
    CHECK(reason_with(nd_equation, "output[i[:1] + j[1:2]] = data[j[:2]]") ==
          "the left side does not bind entry 0 (column 31 of \"output[i[:1] + j[1:2]] = "
          "data[j[:2]]\") at output coordinate [0, 0]");
    CHECK(reason_with(nd_equation, "output[i[:2]] = data[indices[[0, 1]] + [0]]") ==
          "indices of shape [1, 1] has no element or tuple [0, 1] (column 22 of \"output[i[:2]] = "
          "data[indices[[0, 1]] + [0]]\") at output coordinate [0, 0]");
    CHECK(
        reason_with(nd_equation, "output[i[:2]] = data[[find(i[0], [1])]]") ==
        "0 is no entry of [1] (column 23 of \"output[i[:2]] = data[[find(i[0], [1])]]\") at output "
        "coordinate [0, 0]");
    CHECK(reason_with(nd_equation, "output[i[:2]] = data[unravel(3, [3])]") ==
          "a tensor of shape [3] has no such position (column 22 of \"output[i[:2]] = "
          "data[unravel(3, [3])]\") at output coordinate [0, 0]");
    CHECK(reason_with(nd_equation, "output[i[:2]] = data[broadcast([2], [3]) + [0]]") ==
          "[2] and [3] do not go together (column 22 of \"output[i[:2]] = data[broadcast([2], [3]) "
          "+ [0]]\") at output coordinate [0, 0]");
    CHECK(reason_with(nd_equation, "output[i[:2]] = data[within([2], [3, 1]) + [0]]") ==
          "[2] and [3, 1] do not go together (column 22 of \"output[i[:2]] = data[within([2], [3, "
          "1]) + [0]]\") at output coordinate [0, 0]");
    CHECK(reason_with("data.shape[:n]", "data.shape") ==
          "1 index values are read together, but the sizes are [2, 3] (column 35 of \"" +
              nd_equation + "\") at output coordinate [0, 0]");
    CHECK(reason_with("\"n = indices.shape[q - 1]\"",
                      "\"n = indices.shape[q - 1]\", \"x = 9223372036854775807 + n\"") ==
          "the result does not fit 64 bits (column 5 of \"x = 9223372036854775807 + n\")");
    CHECK(reason_with("\"n = indices.shape[q - 1]\"",
                      "\"n = indices.shape[q - 1]\", \"x = data.shape[n + 1]\"") ==
          "there is no entry 2 in [2, 3] (column 5 of \"x = data.shape[n + 1]\")");
}

}  // namespace gathercheck
