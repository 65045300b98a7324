// SPDX-License-Identifier: Apache-2.0
// What node tests become, what they are refused for, and that the loader takes every case.
#if GATHERCHECK_ONNX

#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/tests/temporary.hpp"
#include "tools/import/import_onnx.hpp"
#include "tools/tests/import_checks.hpp"
#include "tools/tests/import_node_tests.hpp"

namespace {

using namespace gathercheck;
using namespace gathercheck::test;
using onnx::TensorProto;
namespace fs = std::filesystem;

/// One node test, imported by itself.
ImportResult import_one(const NodeTestFiles& test, const ImportOptions& options = {}) {
    const TemporaryFolder folder;
    test.write(folder.path() / "test_one");
    return import_onnx({folder.path() / "test_one"}, options);
}

Case only_case(const NodeTestFiles& test, const ImportOptions& options = {}) {
    const ImportResult result = import_one(test, options);
    CHECK(result.refused.empty());
    const std::vector<Case> cases = load(result.json());
    REQUIRE(cases.size() == 1);
    return cases.front();
}

/// Why a node test is refused, without the folder.
std::string refusal(const NodeTestFiles& test) {
    const ImportResult result = import_one(test);
    CHECK(result.json().empty());
    CHECK(result.cases.size() == 0);
    REQUIRE(result.refused.size() == 1);
    const std::string& why = result.refused.front();
    return why.substr(why.find("test_one: ") + std::string("test_one: ").size());
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

Tensor input(const Case& from, const std::string& name) {
    for (const NamedTensorSpec& spec : from.inputs) {
        if (spec.name == name) return materialise(spec.tensor);
    }
    FAIL("no input " + name);
    return {};
}

/// A gather of elements 1 and 0 of a vector of two.
NodeTestFiles swap_two(const onnx::TensorProto& data, const onnx::TensorProto& output) {
    return NodeTestFiles("Gather", 13, data,
                         raw_tensor(TensorProto::INT32, {2}, raw_bytes<std::int32_t>({1, 0})),
                         output);
}

}  // namespace

TEST_CASE("a node test becomes a case with the model's attributes, tensors and version") {
    const ImportResult result = import_one(two_rows());
    CHECK(result.cases.size() == 1);
    CHECK(result.tests == 1);
    CHECK(result.skipped == 0);
    CHECK(result.json() == R"({
  "cases": [
    {
      "id": "onnx-node-test-one",
      "title": "the ONNX node test test_one gives the output stored with it",
      "attributes": { "axis": 0 },
      "inputs": {
        "data": { "type": "f32", "shape": [3, 2], "values": [1, 2, 3, 4, 5, 6] },
        "indices": { "type": "i64", "shape": [2], "values": [2, 0] }
      },
      "expect": [
        {
          "for": ["onnx.Gather-13"],
          "rules": ["onnx.gather-13.semantics.single-axis", "onnx.gather-13.semantics.placement", "onnx.gather-13.formula.axis0"],
          "output": { "type": "f32", "shape": [2, 2], "values": [5, 6, 1, 2] }
        }
      ]
    }
  ]
}
)");
    const std::vector<Case> cases = load(result.json());
    REQUIRE(cases.size() == 1);
    CHECK(cases[0].attributes.at(0).name == "axis");
    CHECK(bytes_of(reference_output(cases[0], OperatorVersion::onnx_gather_13)) ==
          raw_bytes<float>({5, 6, 1, 2}));
}

TEST_CASE("the model's operator set decides the version of the operator") {
    using enum OperatorVersion;
    const auto version_of = [](const std::string& type, int opset) {
        NodeTestFiles test = two_rows(opset);
        test.node().set_op_type(type);
        return only_case(test).expect.at(0).versions;
    };
    using Versions = std::vector<OperatorVersion>;
    CHECK(version_of("Gather", 1) == Versions{onnx_gather_1});
    CHECK(version_of("Gather", 10) == Versions{onnx_gather_1});
    CHECK(version_of("Gather", 11) == Versions{onnx_gather_11});
    CHECK(version_of("Gather", 12) == Versions{onnx_gather_11});
    CHECK(version_of("Gather", 13) == Versions{onnx_gather_13});
    CHECK(version_of("Gather", 21) == Versions{onnx_gather_13});
    CHECK(version_of("GatherElements", 11) == Versions{onnx_gather_elements_11});
    CHECK(version_of("GatherElements", 12) == Versions{onnx_gather_elements_11});
    CHECK(version_of("GatherElements", 13) == Versions{onnx_gather_elements_13});
    CHECK(version_of("GatherND", 11) == Versions{onnx_gather_nd_11});
    CHECK(version_of("GatherND", 12) == Versions{onnx_gather_nd_12});
    CHECK(version_of("GatherND", 13) == Versions{onnx_gather_nd_13});
}

TEST_CASE("the domain ai.onnx is ONNX's own, by another name") {
    NodeTestFiles test = two_rows();
    test.node().set_domain("ai.onnx");
    test.model.mutable_opset_import(0)->set_domain("ai.onnx");
    auto* other = test.model.add_opset_import();
    other->set_domain("ai.onnx.ml");
    other->set_version(2);
    CHECK(only_case(test).id == "onnx-node-test-one");
}

TEST_CASE("every element type is read from raw_data and from its typed field alike") {
    using Fill = std::function<void(onnx::TensorProto&)>;
    struct Row {
        std::string name;
        int type;
        std::string first, second;  // raw bytes of the two elements
        Fill fill;                  // the same in the typed field
        std::string literals;       // of the output: the second, then the first
    };
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<Row> rows{
        {"boolean", TensorProto::BOOL, raw_bytes<std::uint8_t>({1}), raw_bytes<std::uint8_t>({0}),
         [](auto& t) { t.add_int32_data(1), t.add_int32_data(0); }, R"("values": [false, true])"},
        {"u8", TensorProto::UINT8, raw_bytes<std::uint8_t>({255}), raw_bytes<std::uint8_t>({0}),
         [](auto& t) { t.add_int32_data(255), t.add_int32_data(0); }, R"("values": [0, 255])"},
        {"i8", TensorProto::INT8, raw_bytes<std::int8_t>({-128}), raw_bytes<std::int8_t>({127}),
         [](auto& t) { t.add_int32_data(-128), t.add_int32_data(127); },
         R"("values": [127, -128])"},
        {"u16", TensorProto::UINT16, raw_bytes<std::uint16_t>({65535}),
         raw_bytes<std::uint16_t>({1}),
         [](auto& t) { t.add_int32_data(65535), t.add_int32_data(1); }, R"("values": [1, 65535])"},
        {"i16", TensorProto::INT16, raw_bytes<std::int16_t>({-32768}), raw_bytes<std::int16_t>({2}),
         [](auto& t) { t.add_int32_data(-32768), t.add_int32_data(2); },
         R"("values": [2, -32768])"},
        {"u32", TensorProto::UINT32, raw_bytes<std::uint32_t>({4294967295}),
         raw_bytes<std::uint32_t>({3}),
         [](auto& t) { t.add_uint64_data(4294967295), t.add_uint64_data(3); },
         R"("values": [3, 4294967295])"},
        {"i32", TensorProto::INT32,
         raw_bytes<std::int32_t>({std::numeric_limits<std::int32_t>::lowest()}),
         raw_bytes<std::int32_t>({4}),
         [](auto& t) {
             t.add_int32_data(std::numeric_limits<std::int32_t>::lowest()), t.add_int32_data(4);
         },
         R"("values": [4, -2147483648])"},
        {"u64", TensorProto::UINT64, raw_bytes<std::uint64_t>({18446744073709551615U}),
         raw_bytes<std::uint64_t>({9007199254740992}),
         [](auto& t) {
             t.add_uint64_data(18446744073709551615U), t.add_uint64_data(9007199254740992);
         },
         R"("values": [9007199254740992, "18446744073709551615"])"},
        {"i64", TensorProto::INT64, raw_bytes<std::int64_t>({-9007199254740993}),
         raw_bytes<std::int64_t>({-5}),
         [](auto& t) { t.add_int64_data(-9007199254740993), t.add_int64_data(-5); },
         R"("values": [-5, "-9007199254740993"])"},
        {"f16", TensorProto::FLOAT16, raw_bytes<std::uint16_t>({0x3555}),
         raw_bytes<std::uint16_t>({0x4900}),
         [](auto& t) { t.add_int32_data(0x3555), t.add_int32_data(0x4900); },
         R"("values": [10, 0.3333])"},
        {"bf16", TensorProto::BFLOAT16, raw_bytes<std::uint16_t>({0x4049}),
         raw_bytes<std::uint16_t>({0xbf80}),
         [](auto& t) { t.add_int32_data(0x4049), t.add_int32_data(0xbf80); },
         R"("values": [-1, 3.14])"},
        {"f32", TensorProto::FLOAT, raw_bytes<float>({0.1F}), raw_bytes<float>({16777216}),
         [](auto& t) { t.add_float_data(0.1F), t.add_float_data(16777216); },
         R"("values": [16777216, 0.1])"},
        {"f64", TensorProto::DOUBLE, raw_bytes<double>({1e300}), raw_bytes<double>({-2.5}),
         [](auto& t) { t.add_double_data(1e300), t.add_double_data(-2.5); },
         R"("values": [-2.5, 1e+300])"},
        {"f64 with many digits", TensorProto::DOUBLE, raw_bytes<double>({123456789012345683968.0}),
         raw_bytes<double>({3}),
         [](auto& t) { t.add_double_data(123456789012345683968.0), t.add_double_data(3); },
         R"("values": [3, 1.2345678901234568e+20])"},
        {"c64", TensorProto::COMPLEX64, raw_bytes<float>({1, -2}), raw_bytes<float>({0.5, 3}),
         [](auto& t) {
             for (const float part : {1.0F, -2.0F, 0.5F, 3.0F}) t.add_float_data(part);
         },
         R"("values": [[0.5, 3], [1, -2]])"},
        {"c128", TensorProto::COMPLEX128, raw_bytes<double>({1, -2}), raw_bytes<double>({0.1, 3}),
         [](auto& t) {
             for (const double part : {1.0, -2.0, 0.1, 3.0}) t.add_double_data(part);
         },
         R"("values": [[0.1, 3], [1, -2]])"},
        {"NaN as bits", TensorProto::FLOAT, raw_bytes<float>({nan}), raw_bytes<float>({1}),
         [](auto& t) { t.add_float_data(nan), t.add_float_data(1); },
         R"("bits": ["3f800000", "7fc00000"])"},
        {"-0.0 as bits", TensorProto::FLOAT16, raw_bytes<std::uint16_t>({0x8000}),
         raw_bytes<std::uint16_t>({0x0001}),
         [](auto& t) { t.add_int32_data(0x8000), t.add_int32_data(1); },
         R"("bits": ["0001", "8000"])"},
        {"infinity as bits", TensorProto::DOUBLE,
         raw_bytes<double>({std::numeric_limits<double>::infinity()}), raw_bytes<double>({1}),
         [](auto& t) {
             t.add_double_data(std::numeric_limits<double>::infinity()), t.add_double_data(1);
         },
         R"("bits": ["3ff0000000000000", "7ff0000000000000"])"},
        {"c64 as bits, the real part low", TensorProto::COMPLEX64, raw_bytes<float>({1, nan}),
         raw_bytes<float>({2, 0}),
         [](auto& t) {
             for (const float part : {1.0F, nan, 2.0F, 0.0F}) t.add_float_data(part);
         },
         R"("bits": ["0000000040000000", "7fc000003f800000"])"}};
    for (const Row& row : rows) {
        DYNAMIC_SECTION(row.name) {
            const auto output = raw_tensor(row.type, {2}, row.second + row.first);
            onnx::TensorProto typed = tensor_of(row.type, {2});
            row.fill(typed);
            const auto raw =
                import_one(swap_two(raw_tensor(row.type, {2}, row.first + row.second), output));
            CHECK(raw.json() == import_one(swap_two(typed, output)).json());
            INFO(raw.json());
            CHECK(contains(raw.json(), "\"shape\": [2], " + row.literals + " }\n        }\n"));
            const Case loaded = load(raw.json()).at(0);
            CHECK(bytes_of(input(loaded, "data")) == row.first + row.second);
            CHECK(bytes_of(expected_output(loaded)) == row.second + row.first);
            CHECK(bytes_of(reference_output(loaded, OperatorVersion::onnx_gather_13)) ==
                  row.second + row.first);
        }
    }
}

TEST_CASE("strings keep quotes, NUL and characters outside ASCII") {
    const std::string first("a\0\"b\\\n", 6);
    const std::string second = "\xC3\xA9 \xF0\x9F\x99\x82";
    auto data = tensor_of(TensorProto::STRING, {2});
    data.add_string_data(first);
    data.add_string_data(second);
    auto output = tensor_of(TensorProto::STRING, {2});
    output.add_string_data(second);
    output.add_string_data(first);
    const Case loaded = only_case(swap_two(data, output));
    CHECK(bytes_of(input(loaded, "data")) == first + "|" + second + "|");
    CHECK(bytes_of(expected_output(loaded)) == second + "|" + first + "|");
    CHECK(bytes_of(reference_output(loaded, OperatorVersion::onnx_gather_13)) ==
          second + "|" + first + "|");
}

TEST_CASE("tensors without elements and scalars are taken over") {
    SECTION("no index, no contents at all") {
        NodeTestFiles test(
            "Gather", 13,
            raw_tensor(TensorProto::FLOAT, {3, 2}, raw_bytes<float>({1, 2, 3, 4, 5, 6})),
            tensor_of(TensorProto::INT64, {0}), raw_tensor(TensorProto::FLOAT, {0, 2}, ""));
        const Case loaded = only_case(test);
        CHECK(input(loaded, "indices").shape == Shape{0});
        CHECK(expected_output(loaded).shape == Shape{0, 2});
    }
    SECTION("a scalar index") {
        NodeTestFiles test("Gather", 13,
                           raw_tensor(TensorProto::UINT8, {3}, raw_bytes<std::uint8_t>({7, 8, 9})),
                           raw_tensor(TensorProto::INT32, {}, raw_bytes<std::int32_t>({1})),
                           raw_tensor(TensorProto::UINT8, {}, raw_bytes<std::uint8_t>({8})));
        const Case loaded = only_case(test);
        CHECK(input(loaded, "indices").shape == Shape{});
        CHECK(bytes_of(expected_output(loaded)) == raw_bytes<std::uint8_t>({8}));
    }
    SECTION("strings, none") {
        NodeTestFiles test("Gather", 13, tensor_of(TensorProto::STRING, {0}),
                           tensor_of(TensorProto::INT64, {0}), tensor_of(TensorProto::STRING, {0}));
        CHECK(expected_output(only_case(test)).shape == Shape{0});
    }
}

TEST_CASE("the rules named are those that the call shows") {
    const auto rules = [](const NodeTestFiles& test) { return only_case(test).expect.at(0).rules; };
    using Rules = std::vector<std::string>;
    SECTION("no axis, a negative index") {
        NodeTestFiles test = two_rows(11);
        test.node().clear_attribute();
        test.sets[0].inputs[1].set_raw_data(raw_bytes<std::int64_t>({-1, 0}));
        CHECK(rules(test) == Rules{"onnx.gather-11.semantics.single-axis",
                                   "onnx.gather-11.semantics.placement",
                                   "onnx.gather-11.formula.axis0", "onnx.gather-11.axis.default",
                                   "onnx.gather-11.indices.negative"});
    }
    SECTION("a negative axis that means axis 1") {
        NodeTestFiles test = two_rows();
        test.node().mutable_attribute(0)->set_i(-1);
        CHECK(rules(test) == Rules{"onnx.gather-13.semantics.single-axis",
                                   "onnx.gather-13.semantics.placement",
                                   "onnx.gather-13.formula.axis1", "onnx.gather-13.axis.negative"});
    }
    SECTION("GatherElements") {
        NodeTestFiles test = two_rows();
        test.node().set_op_type("GatherElements");
        test.node().clear_attribute();
        CHECK(rules(test) == Rules{"onnx.gather-elements-13.semantics.formula",
                                   "onnx.gather-elements-13.axis.default"});
    }
    SECTION("GatherND with batch dimensions and a negative index") {
        NodeTestFiles test = two_rows();
        test.node().set_op_type("GatherND");
        test.node().clear_attribute();
        set_attribute(test.node(), "batch_dims", 1);
        test.sets[0].inputs[1].set_raw_data(raw_bytes<std::int64_t>({-1, 0}));
        CHECK(rules(test) == Rules{"onnx.gather-nd-13.semantics.formula",
                                   "onnx.gather-nd-13.batch_dims.leading",
                                   "onnx.gather-nd-13.indices.range"});
    }
    SECTION("GatherND-11 knows no batch dimensions") {
        NodeTestFiles test = two_rows(11);
        test.node().set_op_type("GatherND");
        test.node().clear_attribute();
        CHECK(rules(test) == Rules{"onnx.gather-nd-11.semantics.formula"});
    }
}

TEST_CASE("with all versions, each for which the call is legal and gives that shape is named") {
    using enum OperatorVersion;
    using Versions = std::vector<OperatorVersion>;
    const ImportOptions all{.id_prefix = "x-", .all_versions = true};
    const auto check_all = [](const Case& loaded) {
        const Tensor expected = expected_output(loaded);
        for (const OperatorVersion version : loaded.expect.at(0).versions) {
            CHECK(bytes_of(reference_output(loaded, version)) == bytes_of(expected));
        }
    };
    SECTION("Gather, the axis as attribute and as input") {
        const Case loaded = only_case(two_rows(), all);
        CHECK(loaded.id == "x-test-one");
        CHECK(loaded.axis == 0);
        CHECK(loaded.attributes.empty());
        CHECK(loaded.expect.at(0).versions == Versions{openvino_gather_1, openvino_gather_7,
                                                       openvino_gather_8, onnx_gather_1,
                                                       onnx_gather_11, onnx_gather_13});
        check_all(loaded);
    }
    SECTION("a negative index is none of openvino.Gather-1's and Gather-7's") {
        NodeTestFiles test = two_rows();
        test.sets[0].inputs[1].set_raw_data(raw_bytes<std::int64_t>({-1, 0}));
        const Case loaded = only_case(test, all);
        CHECK(loaded.expect.at(0).versions ==
              Versions{openvino_gather_8, onnx_gather_1, onnx_gather_11, onnx_gather_13});
        check_all(loaded);
    }
    SECTION("without an axis no version that has it as an input") {
        NodeTestFiles test = two_rows();
        test.node().clear_attribute();
        const Case loaded = only_case(test, all);
        CHECK(loaded.expect.at(0).versions ==
              Versions{onnx_gather_1, onnx_gather_11, onnx_gather_13});
        check_all(loaded);
    }
    SECTION("bf16 only where the version has it") {
        const auto data =
            raw_tensor(TensorProto::BFLOAT16, {2}, raw_bytes<std::uint16_t>({0x3f80, 0x4000}));
        const auto output =
            raw_tensor(TensorProto::BFLOAT16, {2}, raw_bytes<std::uint16_t>({0x4000, 0x3f80}));
        CHECK(only_case(swap_two(data, output), all).expect.at(0).versions ==
              Versions{onnx_gather_13});
    }
    SECTION("two batch dimensions, which GatherND-5 makes one") {
        NodeTestFiles test(
            "GatherND", 13,
            raw_tensor(TensorProto::UINT8, {1, 2, 2}, raw_bytes<std::uint8_t>({1, 2, 3, 4})),
            raw_tensor(TensorProto::INT64, {1, 2, 1}, raw_bytes<std::int64_t>({1, 0})),
            raw_tensor(TensorProto::UINT8, {1, 2}, raw_bytes<std::uint8_t>({2, 3})));
        set_attribute(test.node(), "batch_dims", 2);
        const Case loaded = only_case(test, all);
        CHECK(loaded.expect.at(0).versions ==
              Versions{openvino_gather_nd_8, onnx_gather_nd_12, onnx_gather_nd_13});
        check_all(loaded);
    }
    SECTION("a call that breaks its own version's rules stays with that version") {
        NodeTestFiles test = two_rows();
        test.sets[0].inputs[1].set_raw_data(raw_bytes<std::int64_t>({3, 0}));
        CHECK(only_case(test, all).expect.at(0).versions == Versions{onnx_gather_13});
    }
}

TEST_CASE("initialisers stand in for inputs that the data set does not have") {
    NodeTestFiles test = two_rows();
    auto indices = test.sets[0].inputs[1];
    indices.set_name("indices");
    *test.graph().add_initializer() = indices;
    test.sets[0].inputs.pop_back();
    SECTION("not an input of the graph") {
        test.graph().mutable_input()->RemoveLast();
        CHECK(bytes_of(input(only_case(test), "indices")) == raw_bytes<std::int64_t>({2, 0}));
    }
    SECTION("an input of the graph with a default") {
        CHECK(bytes_of(input(only_case(test), "indices")) == raw_bytes<std::int64_t>({2, 0}));
    }
    SECTION("what the data set has goes before the default") {
        test.sets[0].inputs.push_back(
            raw_tensor(TensorProto::INT64, {2}, raw_bytes<std::int64_t>({1, 1})));
        CHECK(bytes_of(input(only_case(test), "indices")) == raw_bytes<std::int64_t>({1, 1}));
    }
}

TEST_CASE("attributes are taken over as they stand, whether the operator has them or not") {
    NodeTestFiles test = two_rows();
    auto& node = test.node();
    auto* text = node.add_attribute();
    text->set_name("mode");
    text->set_type(onnx::AttributeProto::STRING);
    text->set_s("a\"b");
    auto* decimal = node.add_attribute();
    decimal->set_name("scale");
    decimal->set_type(onnx::AttributeProto::FLOAT);
    decimal->set_f(2);
    auto* list = node.add_attribute();
    list->set_name("axes");
    list->set_type(onnx::AttributeProto::INTS);
    list->add_ints(1);
    list->add_ints(-2);
    const Case loaded = only_case(test);
    REQUIRE(loaded.attributes.size() == 4);
    CHECK(loaded.attributes[0].value == AttributeValue(std::int64_t{0}));
    CHECK(loaded.attributes[1].value == AttributeValue(std::string("a\"b")));
    CHECK(loaded.attributes[2].value == AttributeValue(2.0));
    CHECK(loaded.attributes[3].value == AttributeValue(std::vector<std::int64_t>{1, -2}));
}

TEST_CASE("each data set is a case, in the order of their numbers") {
    NodeTestFiles test = two_rows();
    for (int k = 1; k < 11; ++k) test.sets.push_back(test.sets[0]);
    const std::vector<Case> cases = load(import_one(test).json());
    REQUIRE(cases.size() == 11);
    CHECK(cases[0].id == "onnx-node-test-one-set-0");
    CHECK(cases[2].id == "onnx-node-test-one-set-2");
    CHECK(cases[10].id == "onnx-node-test-one-set-10");
    CHECK(cases[10].title ==
          "the ONNX node test test_one, data set 10, gives the output stored with it");
}

TEST_CASE("long lists are wrapped") {
    const auto data = raw_tensor(
        TensorProto::INT32, {64},
        raw_bytes<std::int32_t>(
            {1000000001, 1000000002, 1000000003, 1000000004, 1000000005, 1000000006, 1000000007,
             1000000008, 1000000001, 1000000002, 1000000003, 1000000004, 1000000005, 1000000006,
             1000000007, 1000000008, 1000000001, 1000000002, 1000000003, 1000000004, 1000000005,
             1000000006, 1000000007, 1000000008, 1000000001, 1000000002, 1000000003, 1000000004,
             1000000005, 1000000006, 1000000007, 1000000008, 1000000001, 1000000002, 1000000003,
             1000000004, 1000000005, 1000000006, 1000000007, 1000000008, 1000000001, 1000000002,
             1000000003, 1000000004, 1000000005, 1000000006, 1000000007, 1000000008, 1000000001,
             1000000002, 1000000003, 1000000004, 1000000005, 1000000006, 1000000007, 1000000008,
             1000000001, 1000000002, 1000000003, 1000000004, 1000000005, 1000000006, 1000000007,
             1000000008}));
    const auto output =
        raw_tensor(TensorProto::INT32, {2}, raw_bytes<std::int32_t>({1000000002, 1000000001}));
    const ImportResult result = import_one(swap_two(data, output));
    CHECK(bytes_of(input(load(result.json()).at(0), "data")) == data.raw_data());
    std::size_t longest = 0;
    for (std::size_t start = 0; start < result.json().size();) {
        const std::size_t end = result.json().find('\n', start);
        longest = std::max(longest, end - start);
        start = end + 1;
    }
    CHECK(longest <= 160);
}

TEST_CASE("a folder of many gives its gather tests, by name, and counts the others") {
    const TemporaryFolder folder;
    two_rows().write(folder.path() / "node" / "test_gather_B");
    two_rows().write(folder.path() / "node" / "test_gather_a");
    NodeTestFiles other = two_rows();
    other.node().set_op_type("Add");
    other.write(folder.path() / "node" / "test_add");
    NodeTestFiles several = two_rows();
    *several.graph().add_node() = several.node();
    several.write(folder.path() / "node" / "test_two");
    fs::create_directories(folder.path() / "node" / "not_a_test");
    const ImportResult result = import_onnx({folder.path() / "node"});
    CHECK(result.refused.empty());
    CHECK(result.tests == 2);
    CHECK(result.skipped == 2);
    const std::vector<Case> cases = load(result.json());
    REQUIRE(cases.size() == 2);
    CHECK(cases[0].id == "onnx-node-test-gather-b");
    CHECK(cases[1].id == "onnx-node-test-gather-a");
}

TEST_CASE("a test named twice is imported once") {
    const TemporaryFolder folder;
    two_rows().write(folder.path() / "test_x");
    const ImportResult result =
        import_onnx({folder.path(), folder.path() / "test_x", folder.path() / "." / "test_x" / ""});
    CHECK(result.refused.empty());
    CHECK(result.cases.size() == 1);
}

TEST_CASE("a model of something else is refused where it is named, also after it was skipped") {
    const TemporaryFolder folder;
    two_rows().write(folder.path() / "test_x");
    NodeTestFiles other = two_rows();
    other.node().set_op_type("Add");
    other.write(folder.path() / "test_add");
    const ImportResult result = import_onnx({folder.path(), folder.path() / "test_add"});
    CHECK(result.cases.size() == 1);
    REQUIRE(result.refused.size() == 1);
    CHECK(contains(result.refused[0], "test_add: the node is \"Add\""));
}

TEST_CASE("two tests that would have one id: the second is refused, the rest goes on") {
    const TemporaryFolder folder;
    two_rows().write(folder.path() / "a" / "test_x");
    two_rows().write(folder.path() / "b" / "test-x");
    two_rows().write(folder.path() / "c" / "test_y");
    const ImportResult result = import_onnx(
        {folder.path() / "a" / "test_x", folder.path() / "b" / "test-x", folder.path() / "c"});
    CHECK(result.cases.size() == 2);
    REQUIRE(result.refused.size() == 1);
    CHECK(contains(result.refused[0], "test-x: the id onnx-node-test-x is taken by "));
}

TEST_CASE("a folder that is no node test and has none is refused") {
    const TemporaryFolder folder;
    const auto why = [&](const fs::path& path) {
        const ImportResult result = import_onnx({path});
        CHECK(result.json().empty());
        REQUIRE(result.refused.size() == 1);
        return result.refused[0].substr(path.generic_string().size());
    };
    CHECK(why(folder.path() / "absent") ==
          ": the folder cannot be read: No such file or directory; check the path and its "
          "permissions");
    CHECK(why(folder.path()) ==
          ": neither it nor a folder in it has a model.onnx; name a node test, or a folder of node "
          "tests");
    write_file(folder.path() / "file", "x");
    CHECK(contains(why(folder.path() / "file"), "the folder cannot be read: Not a directory"));
    NodeTestFiles other = two_rows();
    other.node().set_op_type("Add");
    other.write(folder.path() / "test_add");
    CHECK(why(folder.path()) == ": none of the node tests in it is a single gather node");
}

TEST_CASE("a damaged file is refused by name, also inside a folder of many") {
    const TemporaryFolder folder;
    const fs::path test = folder.path() / "test_x";
    two_rows().write(test);
    const auto why = [&] {
        const ImportResult result = import_onnx({folder.path()});
        CHECK(result.json().empty());
        REQUIRE(result.refused.size() == 1);
        return result.refused[0].substr(test.generic_string().size());
    };
    SECTION("a model cut short") {
        fs::resize_file(test / "model.onnx", fs::file_size(test / "model.onnx") - 3);
        CHECK(why() ==
              ": model.onnx is no readable protobuf message; it is damaged or something else");
    }
    SECTION("a model of no bytes") {
        write_file(test / "model.onnx", "");
        CHECK(why() == ": model.onnx holds no graph");
    }
    SECTION("a model that is a folder") {
        fs::remove(test / "model.onnx");
        fs::create_directory(test / "model.onnx");
        CHECK(contains(why(), ": model.onnx is a folder, not a file"));
    }
    SECTION("a tensor cut short") {
        const fs::path input = test / "test_data_set_0" / "input_0.pb";
        fs::resize_file(input, fs::file_size(input) - 3);
        CHECK(why() ==
              ": test_data_set_0: input_0.pb is no readable protobuf message; it is damaged or "
              "something else");
    }
    SECTION("a tensor of text") {
        write_file(test / "test_data_set_0" / "output_0.pb", "version https://git-lfs.example\n");
        CHECK(contains(why(), ": test_data_set_0: output_0.pb is no readable protobuf message"));
    }
    SECTION("a tensor too large for a case file") {
        fs::resize_file(test / "test_data_set_0" / "input_0.pb", (std::uintmax_t{64} << 20) + 1);
        CHECK(why() ==
              ": test_data_set_0: input_0.pb has 67108865 bytes; a case file has room for tests of "
              "at most 67108864");
    }
    SECTION("no data set") {
        fs::remove_all(test / "test_data_set_0");
        CHECK(why() == ": there is no test_data_set_0 in it");
    }
}

TEST_CASE("what a case cannot say is refused with the reason") {
    using Spoil = std::function<void(NodeTestFiles&)>;
    struct Row {
        std::string name;
        Spoil spoil;
        std::string why;
    };
    const std::vector<Row> rows{
        {"two nodes", [](auto& t) { *t.graph().add_node() = t.node(); },
         "model.onnx has 2 nodes; a case is one call of one operator"},
        {"no node", [](auto& t) { t.graph().clear_node(); },
         "model.onnx has 0 nodes; a case is one call of one operator"},
        {"another operator", [](auto& t) { t.node().set_op_type("Scatter"); },
         "the node is \"Scatter\"; cases are of Gather, GatherElements and GatherND"},
        {"another domain", [](auto& t) { t.node().set_domain("com.example"); },
         "the node is of the domain \"com.example\"; cases are of ONNX's own operators"},
        {"no operator set", [](auto& t) { t.model.clear_opset_import(); },
         "model.onnx names no version of ONNX's operator set"},
        {"two operator sets", [](auto& t) { t.model.add_opset_import()->set_version(11); },
         "model.onnx names two versions of ONNX's operator set, 13 and 11"},
        {"an operator set older than the operator",
         [](auto& t) {
             t.node().set_op_type("GatherND");
             t.model.mutable_opset_import(0)->set_version(10);
         },
         "model.onnx is of version 10 of ONNX's operator set, which has no GatherND"},
        {"functions", [](auto& t) { t.model.add_functions()->set_name("Gather"); },
         "model.onnx defines functions of its own"},
        {"sparse initialisers", [](auto& t) { t.graph().add_sparse_initializer(); },
         "model.onnx has sparse initialisers"},
        {"one input", [](auto& t) { t.node().mutable_input()->RemoveLast(); },
         "the node has 1 inputs; an imported case has data and indices"},
        {"an input left out", [](auto& t) { t.node().set_input(0, ""); },
         "the node has 1 inputs; an imported case has data and indices"},
        {"three inputs", [](auto& t) { t.node().add_input("x"); },
         "the node has 3 inputs; an imported case has data and indices"},
        {"an operand from nowhere",
         [](auto& t) {
             t.node().set_input(1, "k");
             t.graph().mutable_input()->RemoveLast();
         },
         "the node's input \"k\" is neither an input of the graph nor an initialiser"},
        {"an input that the node does not take",
         [](auto& t) { declare(*t.graph().add_input(), "z", t.sets[0].inputs[0]); },
         "the graph's input \"z\" is none of the node's"},
        {"two inputs of one name", [](auto& t) { *t.graph().add_input() = t.graph().input(1); },
         "two inputs of the graph are called \"indices\""},
        {"two initialisers of one name",
         [](auto& t) {
             for (int k = 0; k < 2; ++k) t.graph().add_initializer()->set_name("indices");
         },
         "two initialisers are called \"indices\""},
        {"an output of another name", [](auto& t) { t.node().set_output(0, "z"); },
         "the outputs of node and graph are not one and the same"},
        {"two outputs", [](auto& t) { *t.graph().add_output() = t.graph().output(0); },
         "the outputs of node and graph are not one and the same"},
        {"a sequence as output",
         [](auto& t) { t.graph().mutable_output(0)->mutable_type()->mutable_sequence_type(); },
         "the graph's \"y\" is a sequence; a case has tensors only"},
        {"a sparse tensor as input",
         [](auto& t) { t.graph().mutable_input(0)->mutable_type()->mutable_sparse_tensor_type(); },
         "the graph's \"x\" is a sparse tensor; a case has tensors only"},
        {"an optional input",
         [](auto& t) { t.graph().mutable_input(1)->mutable_type()->mutable_optional_type(); },
         "the graph's \"indices\" is an optional value; a case has tensors only"},
        {"an output without a type", [](auto& t) { t.graph().mutable_output(0)->clear_type(); },
         "the graph's \"y\" is without a type; a case has tensors only"},
        {"an output without an element type",
         [](auto& t) {
             t.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_elem_type();
         },
         "the graph's \"y\" is a tensor without an element type"},
        {"an attribute twice", [](auto& t) { set_attribute(t.node(), "axis", 1); },
         "the node has the attribute \"axis\" twice"},
        {"an attribute that is a tensor",
         [](auto& t) { t.node().mutable_attribute(0)->set_type(onnx::AttributeProto::TENSOR); },
         "the attribute \"axis\" is of kind TENSOR or has a value that JSON does not have; a case "
         "can say integers, lists of them, finite decimals and UTF-8 strings"},
        {"an attribute that is no number",
         [](auto& t) {
             t.node().mutable_attribute(0)->set_type(onnx::AttributeProto::FLOAT);
             t.node().mutable_attribute(0)->set_f(std::numeric_limits<float>::infinity());
         },
         "the attribute \"axis\" is of kind FLOAT or has a value that JSON does not have; a case "
         "can say integers, lists of them, finite decimals and UTF-8 strings"},
        {"an attribute from a function",
         [](auto& t) { t.node().mutable_attribute(0)->set_ref_attr_name("a"); },
         "the attribute \"axis\" takes its value from a function's parameter"},
        {"no output file", [](auto& t) { t.sets[0].outputs.clear(); },
         "test_data_set_0: output_0.pb is missing"},
        {"two output files", [](auto& t) { t.sets[0].outputs.push_back(t.sets[0].outputs[0]); },
         "test_data_set_0: there are 2 outputs for a graph that has one"},
        {"an input file too few", [](auto& t) { t.sets[0].inputs.pop_back(); },
         "test_data_set_0: input_1.pb is missing, and the graph's \"indices\" has no initialiser"},
        {"an input file too many", [](auto& t) { t.sets[0].inputs.push_back(t.sets[0].inputs[0]); },
         "test_data_set_0: there are 3 inputs for a graph that has 2"},
        {"a second data set that is spoilt",
         [](auto& t) {
             t.sets.push_back(t.sets[0]);
             t.sets[1].outputs.clear();
         },
         "test_data_set_1: output_0.pb is missing"},
        {"files whose names and places differ",
         [](auto& t) { t.sets[0].inputs[0].set_name("indices"); },
         "test_data_set_0: input_0.pb stands for \"x\" but is called \"indices\""},
        {"too few bytes", [](auto& t) { t.sets[0].inputs[0].mutable_raw_data()->pop_back(); },
         "test_data_set_0: input_0.pb cannot be taken over: shape [3, 2] of f32 needs 24 bytes, it "
         "has 23"},
        {"too few values",
         [](auto& t) {
             t.sets[0].inputs[1].clear_raw_data();
             t.sets[0].inputs[1].add_int64_data(2);
         },
         "test_data_set_0: input_1.pb cannot be taken over: shape [2] of i64 needs 2 elements, "
         "int64_data has 1 values"},
        {"half a complex number",
         [](auto& t) {
             t.sets[0].inputs[0] = tensor_of(TensorProto::COMPLEX64, {1});
             for (int k = 0; k < 3; ++k) t.sets[0].inputs[0].add_float_data(1);
         },
         "test_data_set_0: input_0.pb cannot be taken over: shape [1] of c64 needs 1 elements, "
         "float_data has 3 values"},
        {"contents twice", [](auto& t) { t.sets[0].inputs[0].add_float_data(1); },
         "test_data_set_0: input_0.pb cannot be taken over: it has contents twice, in raw_data and "
         "in float_data"},
        {"contents in another field",
         [](auto& t) {
             t.sets[0].inputs[1].clear_raw_data();
             t.sets[0].inputs[1].add_int32_data(2);
             t.sets[0].inputs[1].add_int32_data(0);
         },
         "test_data_set_0: input_1.pb cannot be taken over: it has contents in int32_data, where "
         "i64 has them in int64_data"},
        {"a value that the type does not have",
         [](auto& t) {
             t.sets[0].inputs[0] = tensor_of(TensorProto::UINT8, {1});
             t.sets[0].inputs[0].add_int32_data(256);
         },
         "test_data_set_0: input_0.pb cannot be taken over: it holds the value 256, which its "
         "element type does not have"},
        {"a boolean that is 2",
         [](auto& t) {
             t.sets[0].inputs[0] = tensor_of(TensorProto::BOOL, {1});
             t.sets[0].inputs[0].add_int32_data(2);
         },
         "test_data_set_0: input_0.pb cannot be taken over: it holds the value 2, which its "
         "element type does not have"},
        {"a negative dimension", [](auto& t) { t.sets[0].inputs[0].set_dims(0, -3); },
         "test_data_set_0: input_0.pb cannot be taken over: it has the negative dimension -3"},
        {"huge dimensions",
         [](auto& t) {
             t.sets[0].inputs[0].set_dims(0, std::int64_t{1} << 40);
             t.sets[0].inputs[0].set_dims(1, std::int64_t{1} << 40);
         },
         "test_data_set_0: input_0.pb cannot be taken over: its dimensions [1099511627776, "
         "1099511627776] are more than 63 bits can count"},
        {"a large dimension without the bytes",
         [](auto& t) { t.sets[0].inputs[0].set_dims(0, std::int64_t{1} << 50); },
         "test_data_set_0: input_0.pb cannot be taken over: shape [1125899906842624, 2] of f32 "
         "needs 9007199254740992 bytes, it has 24"},
        {"65 dimensions",
         [](auto& t) {
             for (int k = 2; k < 65; ++k) t.sets[0].inputs[0].add_dims(1);
         },
         "test_data_set_0: input_0.pb cannot be taken over: it has 65 dimensions; a case has at "
         "most 64"},
        {"contents in another file",
         [](auto& t) { t.sets[0].inputs[0].set_data_location(TensorProto::EXTERNAL); },
         "test_data_set_0: input_0.pb cannot be taken over: its contents lie in another file "
         "(external data)"},
        {"a segment", [](auto& t) { t.sets[0].outputs[0].mutable_segment()->set_begin(0); },
         "test_data_set_0: output_0.pb cannot be taken over: it is one segment of a larger "
         "tensor"},
        {"no element type", [](auto& t) { t.sets[0].inputs[0].clear_data_type(); },
         "test_data_set_0: input_0.pb cannot be taken over: its element type is of ONNX number 0, "
         "which no gather operator of ONNX takes"},
        {"a type of 8-bit floats", [](auto& t) { t.sets[0].inputs[0].set_data_type(17); },
         "test_data_set_0: input_0.pb cannot be taken over: its element type is f8e4m3, which no "
         "gather operator of ONNX takes"},
        {"strings in raw_data",
         [](auto& t) { t.sets[0].inputs[0].set_data_type(TensorProto::STRING); },
         "test_data_set_0: input_0.pb cannot be taken over: it has strings in raw_data"},
        {"too few strings",
         [](auto& t) { t.sets[0].inputs[0] = tensor_of(TensorProto::STRING, {2}); },
         "test_data_set_0: input_0.pb cannot be taken over: shape [2] of string needs 2 elements, "
         "it has none"},
        {"a string that is not UTF-8",
         [](auto& t) {
             t.sets[0].inputs[0] = tensor_of(TensorProto::STRING, {1});
             t.sets[0].inputs[0].add_string_data("\xFF");
         },
         "test_data_set_0: input_0.pb cannot be taken over: it holds the string \"\\xff\", which "
         "is not UTF-8"},
        {"another type than declared",
         [](auto& t) {
             t.sets[0].outputs[0] =
                 raw_tensor(TensorProto::INT32, {2, 2}, raw_bytes<std::int32_t>({1, 2, 3, 4}));
         },
         "test_data_set_0: the graph's \"y\" is f32, the data set has i32"},
        {"another shape than declared",
         [](auto& t) {
             t.sets[0].outputs[0].set_dims(0, 4);
             t.sets[0].outputs[0].set_dims(1, 1);
         },
         "test_data_set_0: the graph's \"y\" has another shape than the data set's [4, 1]"},
        {"an unreadable initialiser",
         [](auto& t) {
             *t.graph().add_initializer() = tensor_of(TensorProto::INT64, {2});
             t.graph().mutable_initializer(0)->set_name("indices");
         },
         "the initialiser \"indices\" cannot be read: shape [2] of i64 needs 16 bytes, it has 0"},
    };
    for (const Row& row : rows) {
        DYNAMIC_SECTION(row.name) {
            NodeTestFiles test = two_rows();
            row.spoil(test);
            CHECK(refusal(test) == row.why);
        }
    }
}

TEST_CASE("a gap in the numbers of the inputs is refused") {
    const TemporaryFolder folder;
    two_rows().write(folder.path() / "test_x");
    const fs::path set = folder.path() / "test_x" / "test_data_set_0";
    fs::rename(set / "input_1.pb", set / "input_2.pb");
    const ImportResult result = import_onnx({folder.path() / "test_x"});
    REQUIRE(result.refused.size() == 1);
    CHECK(contains(result.refused[0], "test_data_set_0: input_1.pb is missing"));
}

TEST_CASE("a folder whose name gives no id is refused") {
    const TemporaryFolder folder;
    two_rows().write(folder.path() / "__");
    const ImportResult result = import_onnx({folder.path() / "__"});
    REQUIRE(result.refused.size() == 1);
    CHECK(contains(result.refused[0], "its name has nothing that an id can have"));
}

TEST_CASE("the loader takes every id that the name of a folder gives") {
    const TemporaryFolder folder;
    const std::vector<std::pair<std::string, std::string>> known{{"con..trol", "con-trol"},
                                                                 {"a.b", "a.b"},
                                                                 {".hidden.", "hidden"},
                                                                 {"-x-", "x"},
                                                                 {"a.-b", "a-b"},
                                                                 {"two  words", "two-words"},
                                                                 {"Gr\u00f6\u00dfe 3", "gr-e-3"},
                                                                 {"v1.0_rc.2", "v1.0-rc.2"},
                                                                 {"a\nb\x1b[1m", "a-b-1m"},
                                                                 {"\xff\xfe"
                                                                  "7",
                                                                  "7"},
                                                                 {"<script>", "script"}};
    for (const auto& [name, stem] : known) {
        INFO(name);
        two_rows().write(folder.path() / name);
        const ImportResult result = import_onnx({folder.path() / name});
        REQUIRE(result.refused.empty());
        CHECK(load(result.json()).at(0).id == "onnx-node-" + stem);
    }
    // Any name at all: an id that the loader takes, or a refusal.
    std::uint64_t state = 1;
    constexpr std::string_view letters = "ab9Z..--__ \xc3\x9f\x01'\"";
    for (int k = 0; k < 100; ++k) {
        std::string name;
        do {
            state = state * 6364136223846793005U + 1442695040888963407U;
            name += letters[static_cast<std::size_t>(state >> 33U) % letters.size()];
        } while (state >> 61U != 0);
        if (name == "." || name == "..") continue;
        INFO(name);
        two_rows().write(folder.path() / "any" / name);
        const ImportResult result = import_onnx({folder.path() / "any" / name});
        if (result.refused.empty()) {
            CHECK(load(result.json()).size() == 1);
        } else {
            CHECK(contains(result.refused[0], "its name has nothing that an id can have"));
        }
    }
}

TEST_CASE("of two folders whose names give one id the second is refused") {
    const TemporaryFolder folder;
    two_rows().write(folder.path() / "con..trol");
    two_rows().write(folder.path() / "con-trol");
    const ImportResult result = import_onnx({folder.path()});
    CHECK(load(result.json()).size() == 1);
    REQUIRE(result.refused.size() == 1);
    CHECK(contains(result.refused[0], "the id onnx-node-con-trol is taken by "));
}

TEST_CASE("a pipe in a node test is refused, not waited for") {
    const TemporaryFolder folder;
    two_rows().write(folder.path() / "test_x");
    const fs::path model = folder.path() / "test_x" / "model.onnx";
    fs::remove(model);
    REQUIRE(::mkfifo(model.c_str(), 0600) == 0);
    const ImportResult result = import_onnx({folder.path()});
    REQUIRE(!result.refused.empty());
    CHECK(contains(result.refused[0], "model.onnx is a pipe, not a file"));
}

TEST_CASE("symbolic dimensions and a graph without shapes hold for any shape") {
    NodeTestFiles test = two_rows();
    auto& input_type = *test.graph().mutable_input(0)->mutable_type()->mutable_tensor_type();
    input_type.mutable_shape()->mutable_dim(0)->set_dim_param("N");
    test.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
    CHECK(only_case(test).id == "onnx-node-test-one");
}

TEST_CASE("cases that are too much for one file are in several, in their order") {
    ImportResult result;
    for (int k = 0; k < 5; ++k) {
        result.cases.push_back("    {\n      \"id\": \"case-" + std::to_string(k) + "\"\n    }");
    }
    CHECK(result.files(std::size_t{1} << 20) == std::vector<std::string>{result.json()});
    std::string together;
    for (const std::string& file : result.files(150)) {
        CHECK(file.size() <= 150);
        together += file;
    }
    CHECK(result.files(150).size() == 3);
    CHECK(together.find("case-1") < together.find("case-2"));
    CHECK(contains(together, "case-4"));
    CHECK(result.files(1).size() == 5);
    CHECK(ImportResult().files(1).empty());
}

#endif
