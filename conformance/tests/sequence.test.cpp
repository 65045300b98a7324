// SPDX-License-Identifier: Apache-2.0
// Sequences: which calls one model serves, and by which routes.
#include "conformance/select/sequence.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conformance/adapters/gathercheck_worker.hpp"
#include "reference/tests/calls.hpp"

namespace gathercheck {
namespace {

using enum OperatorVersion;

/// Rows of a matrix of two columns, along axis 0.
Case rows(std::int64_t count, const std::vector<std::int64_t>& picks, std::int64_t first = 1) {
    Case tested;
    const auto picked = static_cast<std::int64_t>(picks.size());
    tested.axis = 0;
    tested.inputs = {{"data", {{ElementType::i32, Shape{count, 2}}, Fill{AddressFill{first}}}},
                     {"indices", {{ElementType::i64, Shape{picked}}, test::i64({picked}, picks)}}};
    return tested;
}

Case with_axis(Case tested, std::int64_t axis) {
    tested.axis = axis;
    return tested;
}

Case after(std::vector<Case> earlier, Case last) {
    for (Case& each : earlier)
        last.earlier.push_back(std::make_shared<const Case>(std::move(each)));
    return last;
}

/// The routes on which one model serves the sequence, of all that there are.
std::vector<std::string> served(const Case& sequence, OperatorVersion version) {
    std::vector<std::string> routes;
    for (const Operands operands : {Operands::runtime, Operands::constant, Operands::folded}) {
        for (const Shapes shapes : {Shapes::fixed, Shapes::dynamic}) {
            for (const AxisOperand axis : {AxisOperand::constant, AxisOperand::runtime}) {
                const Route route{operands, shapes, axis};
                const bool is_input = info(version).axis == AxisSource::input;
                if (axis == AxisOperand::runtime && !is_input) continue;
                if (one_model_serves(sequence, version, route)) routes.push_back(to_string(route));
            }
        }
    }
    return routes;
}

using Routes = std::vector<std::string>;

}  // namespace

TEST_CASE("a call that stands alone is served by every route") {
    CHECK(served(rows(3, {0}), onnx_gather_13).size() == 6);
}

TEST_CASE("other indices are served where indices are given at run time") {
    const Case sequence = after({rows(3, {0, 1})}, rows(3, {2, 0}));
    CHECK(served(sequence, onnx_gather_13) == Routes{"runtime/static", "runtime/dynamic"});
    CHECK(served(sequence, openvino_gather_8) ==
          Routes{"runtime/static", "runtime/static/axis-runtime", "runtime/dynamic",
                 "runtime/dynamic/axis-runtime"});
}

TEST_CASE("other data is served by constant indices too, but never where all is constant") {
    const Case sequence = after({rows(3, {0, 1}, 1)}, rows(3, {0, 1}, 7));
    CHECK(served(sequence, onnx_gather_13) ==
          Routes{"runtime/static", "runtime/dynamic", "constant/static", "constant/dynamic"});
    CHECK(served(after({rows(3, {0})}, rows(3, {0})), onnx_gather_13).size() == 4);
}

TEST_CASE("other shapes are served where none is known when the model is built") {
    CHECK(served(after({rows(3, {0})}, rows(3, {0, 1})), onnx_gather_13) ==
          Routes{"runtime/dynamic"});
    // Constant indices have their shape from the model.
    CHECK(served(after({rows(3, {0})}, rows(4, {0})), onnx_gather_13) ==
          Routes{"runtime/dynamic", "constant/dynamic"});
}

TEST_CASE("one call in the middle that differs is enough") {
    const Case sequence = after({rows(3, {0}), rows(4, {0}), rows(3, {0})}, rows(3, {0}));
    CHECK(served(sequence, onnx_gather_13) == Routes{"runtime/dynamic", "constant/dynamic"});
}

TEST_CASE("other values of an axis operand are served where it is given at run time") {
    const Case sequence = after({with_axis(rows(3, {0, 1}), 0)}, with_axis(rows(3, {0, 1}), 1));
    CHECK(served(sequence, openvino_gather_8) ==
          Routes{"runtime/static/axis-runtime", "runtime/dynamic/axis-runtime",
                 "constant/static/axis-runtime", "constant/dynamic/axis-runtime"});
}

TEST_CASE("a model knows attributes, operands, element types and ranks") {
    const Case last = rows(3, {0, 1});
    CHECK_FALSE(why_no_common_model(last, rows(5, {2}), onnx_gather_13));
    // The axis is an operand of one, and an attribute of the other.
    CHECK_FALSE(why_no_common_model(last, with_axis(last, 1), openvino_gather_8));
    CHECK(why_no_common_model(last, with_axis(last, 1), onnx_gather_13) == "has other attributes");

    Case other = last;
    other.axis.reset();
    CHECK(why_no_common_model(last, other, onnx_gather_13) == "has other attributes");
    CHECK(why_no_common_model(last, other, openvino_gather_8) == "has other operands");
    other = last;
    other.inputs[0].tensor.descriptor.type = ElementType::u32;
    CHECK(why_no_common_model(last, other, onnx_gather_13) == "has another element type of data");
    other = last;
    other.inputs[1].tensor = {{ElementType::i64, Shape{}}, test::i64({}, {1})};
    CHECK(why_no_common_model(last, other, onnx_gather_13) == "has another rank of indices");
    other = last;
    other.attributes = {{"batch_dims", std::int64_t{0}}};
    CHECK(why_no_common_model(last, other, openvino_gather_8) == "has other attributes");
}

TEST_CASE("the header for workers keeps one model for the calls of a sequence") {
    gathercheck_worker::KeptModel<int> kept;
    int built = 0;
    const auto model_of = [&](std::int64_t number) {
        gathercheck_worker::Call call;
        call.model = number;
        return kept.of(call, [&] { return ++built; });
    };
    std::vector<int> models;
    for (const std::int64_t number : {1, 1, 1, 2, 2, 0, 0, 3, 0, 4}) {
        models.push_back(model_of(number));
    }
    CHECK(models == std::vector<int>{1, 1, 1, 2, 2, 3, 4, 5, 6, 7});
    gathercheck_worker::Call call;
    call.model = 5;
    CHECK_THROWS_AS(
        kept.of(call, []() -> int { throw gathercheck_worker::Rejected("no", "build"); }),
        gathercheck_worker::Rejected);
    CHECK(kept.of(call, [] { return 50; }) == 50);
}

}  // namespace gathercheck
