// SPDX-License-Identifier: Apache-2.0
// The loader: what a valid document becomes, and every kind of doubt that it refuses.
#include "conformance/load/load.hpp"

#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "conformance/tests/load_fixture.hpp"
#include "conformance/tests/places.hpp"
#include "conformance/tests/temporary.hpp"

using namespace gathercheck;
namespace fs = std::filesystem;

namespace {

LoadResult load(std::string_view text) { return load_cases_text(text, "x.json", fixture::rules()); }

Suite taken(std::string_view text) {
    LoadResult result = load(text);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&result)) {
        FAIL(to_string(problems->front()));
    }
    return std::get<Suite>(std::move(result));
}

std::vector<Problem> refused(std::string_view text) {
    LoadResult result = load(text);
    if (std::holds_alternative<Suite>(result)) return {};
    return std::get<std::vector<Problem>>(std::move(result));
}

/// The document with the value at a pointer set, or removed where `value` is empty.
std::string with(std::string_view document, std::string_view pointer, std::string_view value) {
    Json root = Json::parse(document);
    const Json::json_pointer place{std::string(pointer)};
    if (!value.empty()) {
        root[place] = Json::parse(value);
    } else if (root[place.parent_pointer()].is_array()) {
        root[place.parent_pointer()].erase(static_cast<std::size_t>(std::stoul(place.back())));
    } else {
        root[place.parent_pointer()].erase(place.back());
    }
    return root.dump();
}

struct Doubt {
    std::string pointer;  ///< what is changed
    std::string value;    ///< to what; empty: removed
    std::string at;       ///< where the first problem is reported; "" as `pointer`
    std::string reason;   ///< part of it
};

void check_refused(std::string_view document, const Doubt& doubt) {
    CAPTURE(doubt.pointer, doubt.value);
    const auto problems = refused(with(document, doubt.pointer, doubt.value));
    REQUIRE_FALSE(problems.empty());
    CHECK(problems[0].file == "x.json");
    CHECK(problems[0].pointer == (doubt.at.empty() ? doubt.pointer : doubt.at));
    CAPTURE(problems[0].reason);
    CHECK(problems[0].reason.find(doubt.reason) != std::string::npos);
    // Every reason says what to do.
    CHECK(problems[0].reason.find(';') != std::string::npos);
}

}  // namespace

TEST_CASE("a valid document becomes its cases") {
    const Suite suite = taken(fixture::document);
    REQUIRE(suite.cases.size() == 3);
    const Case& first = suite.cases[0];
    CHECK(first.id == "one-past-the-end");
    CHECK(first.why == "the classic off by one");
    CHECK(first.file == "x.json");
    CHECK(first.pointer == "/cases/0");
    CHECK_FALSE(first.from_sweep);
    CHECK(first.axis == 0);
    CHECK(first.control == "last-row");
    REQUIRE(first.inputs.size() == 2);
    CHECK(first.inputs[1].name == "indices");
    CHECK(first.inputs[1].tensor.descriptor == Descriptor{ElementType::i64, {2}});
    REQUIRE(first.expect.size() == 4);
    CHECK(first.expect[0].versions ==
          std::vector{OperatorVersion::onnx_gather_11, OperatorVersion::onnx_gather_13});
    CHECK(first.expect[0].must_be_rejected());
    const auto& error = std::get<ExpectedError>(first.expect[0].alternatives.at(0));
    CHECK(error.category == Category::index_out_of_bounds);
    CHECK(error.phase == Phase::run);
    CHECK_FALSE(first.expect[1].must_be_rejected());
    CHECK(first.expect[2].is_unspecified());
    CHECK(first.expect[2].unspecified == "no sentence says what happens");
    CHECK_FALSE(first.expect[2].must_be_rejected());
    CHECK(first.expect[3].alternatives.size() == 2);
    CHECK_FALSE(first.expect[3].must_be_rejected());
    CHECK(first.expectation(OperatorVersion::openvino_gather_8) == &first.expect[1]);
    CHECK(first.expectation(OperatorVersion::openvino_gather_1) == nullptr);
    CHECK_FALSE(first.is_described());
    CHECK(suite.cases[2].is_described());
}

TEST_CASE("an attribute keeps the kind in which it is written") {
    const Suite suite = taken(with(fixture::document, "/cases/1/attributes", R"({
        "axis": -9223372036854775808, "f": 3.0, "s": "x", "b": true, "l": [1, -2], "e": [],
        "m": [1, 2.5], "n": null, "o": {"k": 1}, "big": 9223372036854775808 })"));
    const auto& attributes = suite.cases[1].attributes;
    REQUIRE(attributes.size() == 10);
    CHECK(attributes[0].value == AttributeValue(INT64_MIN));
    CHECK(attributes[1].value == AttributeValue(3.0));
    CHECK(attributes[2].value == AttributeValue(std::string("x")));
    CHECK(attributes[3].value == AttributeValue(true));
    CHECK(attributes[4].value == AttributeValue(std::vector<std::int64_t>{1, -2}));
    CHECK(attributes[5].value == AttributeValue(std::vector<std::int64_t>{}));
    CHECK(attributes[6].value == AttributeValue(OtherValue{"[1,2.5]"}));
    CHECK(attributes[7].value == AttributeValue(OtherValue{"null"}));
    CHECK(attributes[8].value == AttributeValue(OtherValue{R"({"k":1})"}));
    CHECK(attributes[9].value == AttributeValue(OtherValue{"9223372036854775808"}));
}

TEST_CASE("a case's hash is that of its canonical text, whatever its white space and order") {
    const std::string id =
        R"({"cases":[{"id":"a","title":"t","inputs":{},"expect":[{"for":["onnx.Gather-1"],"rules":["onnx.gather-1.formula"],"unspecified":"u"}]}]})";
    const std::string other =
        R"({"cases":[{"title":"t", "id":"a", "inputs":{ },"expect":[{"unspecified":"u","for":["onnx.Gather-1"],"rules":["onnx.gather-1.formula"]}]}]})";
    const Suite first = taken(id);
    const Suite second = taken(other);
    // printf %s '{"expect":[{"for":["onnx.Gather-1"],"rules":["onnx.gather-1.formula"],
    // "unspecified":"u"}],"id":"a","inputs":{},"title":"t"}' | sha256sum, on one line
    CHECK(first.cases[0].hash ==
          "380f2e560675e52a8b38ff129cc3643c462ec866f12053bfa3410d6bf291b2fc");
    CHECK(second.cases[0].hash == first.cases[0].hash);
    CHECK(second.hash == first.hash);
    CHECK(taken(with(id, "/cases/0/title", "\"T\"")).hash != first.hash);
}

TEST_CASE("the suite's hash does not depend on the order of cases") {
    Json root = Json::parse(fixture::document);
    std::swap(root["cases"][0], root["cases"][2]);
    CHECK(taken(root.dump()).hash == taken(fixture::document).hash);
}

TEST_CASE("keys: unknown, missing and of the wrong kind are refused") {
    for (const Doubt& doubt : std::initializer_list<Doubt>{
             {"/version", "1", "", "unknown here"},
             {"/cases", "", "/", "\"cases\" is missing"},
             {"/cases", "{}", "", "is an object; write a list"},
             {"/cases", "[]", "", "empty list"},
             {"/cases/0", "3", "", "is the integer 3; write an object"},
             {"/cases/0/titel", "\"x\"", "", "\"titel\" is unknown here; known are \"id\""},
             {"/cases/0/title", "", "/cases/0", "\"title\" is missing"},
             {"/cases/0/title", "\"\"", "", "not empty"},
             {"/cases/0/title", "3", "", "is the integer 3"},
             {"/cases/0/why", "null", "", "is null"},
             {"/cases/0/inputs", "", "/cases/0", "\"inputs\" is missing"},
             {"/cases/0/inputs", "[]", "", "is a list; write an object"},
             {"/cases/0/inputs/data/dtype", "\"f32\"", "", "unknown here"},
             {"/cases/0/inputs/data", "null", "", "is null; write an object"},
             {"/cases/0/expect", "{}", "", "write a list"},
             {"/cases/0/expect", "[]", "", "empty list"},
             {"/cases/0/expect/0/for", "", "/cases/0/expect/0", "\"for\" is missing"},
             {"/cases/0/expect/0/comment", "\"x\"", "", "unknown here"},
             {"/cases/0/expect/1/output/value", "[]", "", "unknown here"},
             {"/cases/0/expect/3/either/0/category", "1", "", "unknown here"},
         }) {
        Doubt adjusted = doubt;
        if (doubt.at == "/") {
            const auto problems = refused(with(fixture::document, doubt.pointer, doubt.value));
            REQUIRE_FALSE(problems.empty());
            CHECK(problems[0].pointer.empty());
            CHECK(problems[0].reason.find(doubt.reason) != std::string::npos);
            continue;
        }
        check_refused(fixture::document, adjusted);
    }
}

TEST_CASE("duplicate keys are refused wherever they stand") {
    std::string text(fixture::document);
    text.replace(text.find("\"type\": \"f32\""), 13, "\"type\": \"f32\", \"type\": \"f32\"");
    const auto problems = refused(text);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].pointer == "/cases/0/inputs/data/type");
    CHECK(problems[0].reason.find("stands twice") != std::string::npos);
}

TEST_CASE("ids that are not in kebab-case are refused") {
    for (const char* id : {"\"A\"", "\"a b\"", "\"a_b\"", "\"-a\"", "\"a-\"", "\"a--b\"", "\".a\"",
                           "\"a/b\"", "\"\u00e4\"", "\"a=b\""}) {
        check_refused(fixture::document, {"/cases/2/id", id, "", "kebab-case"});
    }
    for (const char* id : {"\"a\"", "\"a-1.5\"", "\"0-a.b-c\""}) {
        taken(with(fixture::document, "/cases/2/id", id));
    }
}

TEST_CASE("axis is one integer, given once, for versions that have one") {
    for (
        const Doubt& doubt : std::initializer_list<Doubt>{
            {"/cases/0/axis", "0.0", "", "is the decimal 0.0; write an integer"},
            {"/cases/0/axis", "\"0\"", "", "is the string"},
            {"/cases/0/axis", "9223372036854775808", "", "fits 64 bits"},
            {"/cases/0/axis", "[0]", "", "is a list"},
            {"/cases/0/attributes", R"({"axis": 0})", "/cases/0/axis", "among the attributes"},
            {"/cases/0/inputs/axis", R"({"type": "i64", "shape": [], "values": [0]})",
             "/cases/0/axis", "among the inputs"},
            {"/cases/0/expect/2",
             R"({"for": ["onnx.GatherND-13"], "rules": ["onnx.gather-nd-13.formula"], "unspecified": "u"})",
             "/cases/0/expect/2/for", "onnx.GatherND-13 has no axis"},
        }) {
        check_refused(fixture::document, doubt);
    }
}

TEST_CASE("types and shapes that do not exist are refused") {
    for (const Doubt& doubt : std::initializer_list<Doubt>{
             {"/cases/0/inputs/data/type", "\"float\"", "",
              "is no element type; write one of boolean"},
             {"/cases/0/inputs/data/type", "1", "", "is the integer 1"},
             {"/cases/0/inputs/data/type", "", "/cases/0/inputs/data", "\"type\" is missing"},
             {"/cases/0/inputs/data/shape", "6", "", "write a list"},
             {"/cases/0/inputs/data/shape", "[3.0, 2]", "/cases/0/inputs/data/shape/0",
              "is the decimal 3.0; write a dimension"},
             {"/cases/0/inputs/data/shape", "[3, -2]", "/cases/0/inputs/data/shape/1",
              "is the integer -2"},
             {"/cases/0/inputs/data/shape", "[3, null]", "/cases/0/inputs/data/shape/1", "is null"},
             {"/cases/0/inputs/data/shape", "[9223372036854775808]", "/cases/0/inputs/data/shape/0",
              "2^63 - 1"},
             {"/cases/0/inputs/data/shape",
              "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
              "1,"
              "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
              "", "has 65 dimensions; write at most 64"},
             {"/cases/0/inputs/data/shape", "[4294967296, 4294967296]", "/cases/0/inputs/data",
              "more than 2^63 bytes"},
             {"/cases/0/inputs/data/shape", "[17179869184, 2]", "/cases/0/inputs/data",
              "has contents of 137438953472 bytes"},
             {"/cases/1/expect/0/output/shape", "[9223372036854775807, 2]",
              "/cases/1/expect/0/output", "more than 2^63 bytes"},
         }) {
        check_refused(fixture::document, doubt);
    }
}

TEST_CASE("values that are not exactly those of the type and shape are refused") {
    for (const Doubt& doubt : std::initializer_list<Doubt>{
             {"/cases/0/inputs/indices/values", "[3]", "",
              "has 1 elements, but the shape [2] has 2"},
             {"/cases/0/inputs/indices/values", "[3, 0, 0]", "", "has 3 elements"},
             {"/cases/0/inputs/indices/values", "3", "", "write a list"},
             {"/cases/0/inputs/indices/values", "[3.7, 0]", "/cases/0/inputs/indices/values/0",
              "is the decimal 3.7, not an integer"},
             {"/cases/0/inputs/indices/values", "[3, 0.0]", "/cases/0/inputs/indices/values/1",
              "is the decimal 0.0, not an integer"},
             {"/cases/0/inputs/indices/values", "[[3, 0]]", "", "has 1 elements"},
             {"/cases/0/inputs/indices/values", "[3, true]", "/cases/0/inputs/indices/values/1",
              "is true, not an integer"},
             {"/cases/0/inputs/indices/values", "[\"3\", 0]", "/cases/0/inputs/indices/values/0",
              "write a plain integer"},
             {"/cases/0/inputs/indices/values", "[9007199254740993, 0]",
              "/cases/0/inputs/indices/values/0", "beyond 2^53"},
             {"/cases/0/inputs/indices/values", "[\"9223372036854775808\", 0]",
              "/cases/0/inputs/indices/values/0", "outside the range"},
             {"/cases/0/inputs/indices/type", "\"i8\"", "", ""},
             {"/cases/1/inputs/data/values", "[1, 2, 3, 4, 5, 0.123456789]",
              "/cases/1/inputs/data/values/5", "write 0.12345679"},
             {"/cases/1/inputs/data/values", "[1, 2, 3, 4, 5, \"6\"]",
              "/cases/1/inputs/data/values/5", "not a number"},
             {"/cases/1/inputs/data/values", "[1, 2, 3, 4, 5, -0.0]",
              "/cases/1/inputs/data/values/5", "negative zero"},
             {"/cases/1/inputs/data",
              R"({"type": "u4", "shape": [3, 2], "values": [0, 1, 2, 3, 4, 16]})",
              "/cases/1/inputs/data/values/5", "outside the range [0, 15] of u4"},
             {"/cases/1/inputs/data",
              R"({"type": "f8e4m3", "shape": [3, 2], "values": [0, 1, 2, 3, 4, 5]})",
              "/cases/1/inputs/data/values/0", "give the tensor's \"bits\""},
             {"/cases/1/inputs/data", R"({"type": "boolean", "shape": [1], "values": [1]})",
              "/cases/1/inputs/data/values/0", "write true or false"},
             {"/cases/1/inputs/data", R"({"type": "string", "shape": [1], "values": [1]})",
              "/cases/1/inputs/data/values/0", "write a string"},
             {"/cases/1/inputs/data", R"({"type": "c64", "shape": [1], "values": [1]})",
              "/cases/1/inputs/data/values/0", "write [real, imaginary]"},
             {"/cases/1/inputs/data",
              R"({"type": "c64", "shape": [1], "values": [[1, 0.123456789]]})",
              "/cases/1/inputs/data/values/0", "imaginary part"},
             {"/cases/1/inputs/data", R"({"type": "f16", "shape": [1], "bits": ["7e0"]})",
              "/cases/1/inputs/data/bits/0", "4 lower-case hex digits"},
             {"/cases/1/inputs/data", R"({"type": "f16", "shape": [1], "bits": [32256]})",
              "/cases/1/inputs/data/bits/0", "write a string of hex digits"},
             {"/cases/1/inputs/data", R"({"type": "c128", "shape": [1], "bits": ["00"]})",
              "/cases/1/inputs/data/bits/0", "32 lower-case hex digits"},
             {"/cases/1/inputs/data", R"({"type": "string", "shape": [1], "bits": ["00"]})",
              "/cases/1/inputs/data/bits", "strings have no bits"},
             {"/cases/1/inputs/data/bits", "[]", "", "keep one of the two"},
             {"/cases/1/inputs/data/sha256", "\"\"", "", "unknown here"},
         }) {
        if (doubt.reason.empty()) {
            taken(with(fixture::document, doubt.pointer, doubt.value));  // 3 and 0 fit i8
        } else {
            check_refused(fixture::document, doubt);
        }
    }
}

TEST_CASE("fills that cannot be made are refused") {
    const std::string data = "/cases/0/inputs/data";
    const std::string fill = "/cases/0/inputs/data/fill";
    for (
        const Doubt& doubt : std::initializer_list<Doubt>{
            {fill, "3", "", "write an object with one of"},
            {fill, "{}", "", "an object of 0 members"},
            {fill, R"({"address": 1, "mark": 1})", "", "an object of 2 members"},
            {fill, R"({"random": 1})", "/cases/0/inputs/data/fill/random", "is no fill"},
            {fill, R"({"address": 1.0})", "/cases/0/inputs/data/fill/address", "decimal 1.0"},
            {fill, R"({"address": 9223372036854775807})", "", "does not fit 64 bits"},
            {fill, R"({"cycle": []})", "/cases/0/inputs/data/fill/cycle", "empty list"},
            {fill, R"({"cycle": [1, 0.12345678901]})", "/cases/0/inputs/data/fill/cycle/1",
             "shortest decimal"},
            {fill, R"({"affine": {"start": 0, "step": 1}})", "", "affine makes integers, not f32"},
            {data, R"({"type": "i8", "shape": [3], "fill": {"affine": {"start": 0}}})",
             "/cases/0/inputs/data/fill/affine", "\"step\" is missing"},
            {data, R"({"type": "i8", "shape": [3], "fill": {"affine": {"start": 0, "step": 64}}})",
             "/cases/0/inputs/data/fill", "the element 128 is outside the range of i8"},
            {data, R"({"type": "u8", "shape": [3], "fill": {"affine": {"start": 0, "step": -1}}})",
             "/cases/0/inputs/data/fill", "the element -2 is outside the range of u8"},
            {data,
             R"({"type": "i64", "shape": [3], "fill": {"affine": {"start": 0, "step": 9223372036854775807}}})",
             "/cases/0/inputs/data/fill", "does not fit 64 bits"},
            {data,
             R"({"type": "i8", "shape": [3], "fill": {"affine": {"start": 0, "step": 1, "modulo": 0}}})",
             "/cases/0/inputs/data/fill/affine/modulo", "write a positive integer"},
            {fill, R"({"except": {"fill": {"address": 1}, "at": {}}})",
             "/cases/0/inputs/data/fill/except/at", "empty object"},
            {fill, R"({"except": {"fill": {"address": 1}, "at": {"6": 0}}})",
             "/cases/0/inputs/data/fill", "the position 6 is outside a tensor of 6 elements"},
            {fill, R"({"except": {"fill": {"address": 1}, "at": {"5": 0, "-1": 0}}})",
             "/cases/0/inputs/data/fill", "the position 5 is given twice"},
            {fill, R"({"except": {"fill": {"address": 1}, "at": {"01": 0}}})",
             "/cases/0/inputs/data/fill/except/at/01", "plain decimal digits"},
            {fill, R"({"except": {"fill": {"address": 1}, "at": {"1": true}}})",
             "/cases/0/inputs/data/fill/except/at/1", "is true, not a number"},
            {data, R"({"type": "boolean", "shape": [3], "fill": {"address": 1}})",
             "/cases/0/inputs/data/fill", "address is not for boolean; use mark"},
            {data, R"({"type": "string", "shape": [3], "fill": {"address": 1}})",
             "/cases/0/inputs/data/fill", "address is not for string; use mark"},
            {data, R"({"type": "c64", "shape": [3], "fill": {"address": 1}})",
             "/cases/0/inputs/data/fill", "address is not for c64; use mark"},
        }) {
        check_refused(fixture::document, doubt);
    }
}

TEST_CASE("expectations that say nothing, too much or the impossible are refused") {
    const std::string output = R"({"type": "f32", "shape": [2, 2], "values": [0, 0, 1, 2]})";
    for (
        const Doubt& doubt : std::initializer_list<Doubt>{
            {"/cases/0/expect/0/error", "", "/cases/0/expect/0", "says nothing of the answer"},
            {"/cases/0/expect/0/unspecified", "\"x\"", "/cases/0/expect/0",
             "gives several answers"},
            {"/cases/0/expect/0/error", "\"bad_index\"", "", "is no category of errors"},
            {"/cases/0/expect/0/phase", "\"later\"", "", "is no phase; write build, shape or run"},
            {"/cases/0/expect/0/phase", "\"shape\"", "/cases/0/expect/0/error",
             "in the phase shape"},
            {"/cases/0/expect/1/phase", "\"run\"", "", "a phase belongs to an error only"},
            {"/cases/0/expect/2/unspecified", "\"\"", "", "not empty"},
            {"/cases/0/expect/0/error", "\"axis_out_of_range\"", "",
             "none of the rules given for onnx.Gather-11 can produce axis_out_of_range"},
            {"/cases/0/expect/0/rules/1", "\"onnx.gather-13.formula\"", "/cases/0/expect/0/error",
             "none of the rules given for onnx.Gather-13 can produce index_out_of_bounds"},
            {"/cases/0/expect/3/either/0/error", "\"axis_out_of_range\"", "",
             "none of the rules given for onnx.Gather-1 "},
            {"/cases/0/expect/3/either/1", "", "/cases/0/expect/3/either", "has 1 alternatives"},
            {"/cases/0/expect/3/either/1", R"({"error": "index_out_of_bounds"})", "",
             "stands twice"},
            {"/cases/0/expect/3/either/0", "{}", "", "\"error\" is missing"},
            {"/cases/0/expect/1/output", "\"equation\"", "", "for sweeps only"},
            {"/cases/0/expect/1/output/type", "\"i32\"", "", "is i32 though data is f32"},
            {"/cases/0/expect/1/output/values", "[0, 0, 1]", "", "has 3 elements"},
            {"/cases/0/expect/1/output/values", "", "/cases/0/expect/1/output", "has no contents"},
            {"/cases/0/expect/1/output", R"({"type": "f32", "shape": [2, 2], "sha256": "ABC"})",
             "/cases/0/expect/1/output/sha256", "64 lower-case hex digits"},
            {"/cases/2/expect/0",
             R"({"for": ["openvino.Gather-8"], "rules": ["ov.gather-8.formula"], "output": {"type": "u8", "shape": [1], "values": [1]}})",
             "/cases/2/expect/0/output", "has contents though the inputs have none"},
            {"/cases/2/expect/0",
             R"({"for": ["openvino.Gather-8"], "rules": ["ov.gather-8.indices.range"], "error": "index_out_of_bounds"})",
             "/cases/2/expect/0/error", "no index values"},
        }) {
        check_refused(fixture::document, doubt);
    }
}

TEST_CASE("an output that cannot be represented may be another's answer, never the suite's") {
    const std::string huge = R"({"output": {"type": "u8", "shape": [4294967296, 4294967296]}})";
    const std::string error = R"({"error": "too_large"})";
    const std::string start =
        R"({"for": ["openvino.Gather-8"], "rules": ["ov.gather-8.output.too-large"], "either": [)";
    taken(with(fixture::document, "/cases/2/expect/0", start + error + "," + huge + "]}"));
    check_refused(fixture::document,
                  {"/cases/2/expect/0", start + huge + "," + error + "]}",
                   "/cases/2/expect/0/either/0/output", "more bytes than fit 63 bits"});
}

TEST_CASE("contents are given for all inputs, or for the axis only") {
    for (const Doubt& doubt : std::initializer_list<Doubt>{
             {"/cases/0/inputs/indices/values", "", "/cases/0/inputs/data",
              "has contents while another input has none"},
             {"/cases/2/inputs/axis/values", "", "/cases/2/inputs/axis", "no contents"},
             {"/cases/1/inputs/extra", R"({"type": "f32", "shape": [1]})", "", "has no contents"},
         }) {
        check_refused(fixture::document, doubt);
    }
}

TEST_CASE("versions and rules must know each other") {
    for (
        const Doubt& doubt : std::initializer_list<Doubt>{
            {"/cases/0/expect/0/for", "[]", "", "empty list"},
            {"/cases/0/expect/0/for", "\"onnx.Gather-11\"", "", "write a list"},
            {"/cases/0/expect/0/for/0", "\"onnx.Gather-12\"", "", "is no operator version"},
            {"/cases/0/expect/0/for/1", "\"onnx.Gather-11\"", "", "stands twice in this list"},
            {"/cases/0/expect/0/for/1", "3", "", "is the integer 3"},
            {"/cases/0/expect/0/rules", "[]", "", "empty list"},
            {"/cases/0/expect/0/rules/0", "\"onnx.gather-11.indices.rang\"", "",
             "is not in the catalogue; correct the id, or add the rule to "
             "rules/onnx.Gather-11.json"},
            {"/cases/0/expect/0/rules/1", "", "/cases/0/expect/0/rules",
             "no rule of onnx.Gather-13 stands here"},
            {"/cases/0/expect/1/rules/1", "\"ov.gather-7.formula\"", "",
             "is one of openvino.Gather-7, which \"for\" does not name"},
            {"/cases/0/expect/1/rules/1", "\"ov.gather-8.formula\"", "", "stands twice"},
            {"/cases/0/expect/3",
             R"({"for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formula"], "unspecified": "u"})",
             "/cases/0/expect/3/for", "onnx.Gather-13 stands in another expectation"},
        }) {
        check_refused(fixture::document, doubt);
    }
}

namespace {

/// The document, whose first case has these expectations.
std::string with_expectations(const std::string& expectations) {
    return with(fixture::document, "/cases/0", R"({"id": "one-past-the-end", "title": "t",
        "inputs": {"data": {"type": "u8", "shape": [2], "values": [1, 2]},
                   "indices": {"type": "i64", "shape": [1], "values": [2]}},
        "expect": [)" + expectations + "]}");
}

std::string names(const Expectation& expectation) {
    std::string text;
    for (const OperatorVersion version : expectation.versions) {
        text += (text.empty() ? "" : " ") + std::string(name(version));
    }
    return text;
}

constexpr std::string_view by_meaning =
    R"({"for": ["gather/wraps/rejects"], "rules": ["*.indices.range"], "unspecified": "u"},
       {"for": ["gather/from_zero/*", "gather_elements/*/*"], "rules": ["*.formula", "*.axis.range"],
        "unspecified": "v"},
       {"for": ["onnx.Gather-11", "openvino.Gather-1"],
        "rules": ["onnx.gather-11.formula", "*.indices.range", "ov.gather-1.formula"],
        "unspecified": "w"})";
constexpr std::string_view one_by_one =
    R"({"for": ["onnx.Gather-1", "onnx.Gather-13"],
        "rules": ["onnx.gather-1.indices.range", "onnx.gather-13.indices.range"],
        "unspecified": "u"},
       {"for": ["openvino.Gather-7", "openvino.GatherElements-6", "onnx.GatherElements-11",
                "onnx.GatherElements-13"],
        "rules": ["ov.gather-7.formula", "ov.gather-elements-6.formula",
                  "onnx.gather-elements-11.formula", "onnx.gather-elements-13.formula",
                  "ov.gather-7.axis.range", "ov.gather-elements-6.axis.range",
                  "onnx.gather-elements-11.axis.range", "onnx.gather-elements-13.axis.range"],
        "unspecified": "v"},
       {"for": ["onnx.Gather-11", "openvino.Gather-1"],
        "rules": ["onnx.gather-11.formula", "onnx.gather-11.indices.range",
                  "ov.gather-1.indices.range", "ov.gather-1.formula"],
        "unspecified": "w"})";

}  // namespace

TEST_CASE("a meaning stands for the enumerated versions that no other expectation names") {
    const Suite meant = taken(with_expectations(std::string(by_meaning)));
    const Suite named = taken(with_expectations(std::string(one_by_one)));
    REQUIRE(meant.cases[0].expect.size() == 3);
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(names(meant.cases[0].expect[k]) == names(named.cases[0].expect[k]));
        CHECK(meant.cases[0].expect[k].rules == named.cases[0].expect[k].rules);
    }
    CHECK(meant.cases[0].hash == named.cases[0].hash);
    CHECK(meant.hash == named.hash);
}

TEST_CASE("the cases of a sweep name meanings too") {
    const Suite suite =
        taken(with(with(fixture::sweep, "/cases/0/expect/0/for", R"(["gather/*/zeros"])"),
                   "/cases/0/expect/0/rules", R"(["*.formula"])"));
    CHECK(names(suite.cases.back().expect.at(0)) == "openvino.Gather-8");
    CHECK(suite.cases.back().expect.at(0).rules == std::vector<std::string>{"ov.gather-8.formula"});
}

TEST_CASE(
    "meanings that are unknown, empty or overlap, and rules that a version lacks, are refused") {
    const std::string document = with_expectations(std::string(by_meaning));
    const std::string list = "/cases/0/expect/0/for";
    for (const Doubt& doubt : std::initializer_list<Doubt>{
             {list + "/0", R"("gather/wraps")", "", "is no meaning; write family/negative/outside"},
             {list + "/0", R"("gather/wraps/rejects/")", "", "is no meaning"},
             {list + "/0", R"("*/wraps/rejects")", "",
              "the word \"*\" of the meaning \"*/wraps/rejects\" is unknown; write gather, "
              "gather_elements or gather_nd"},
             {list + "/0", R"("gather/wrap/rejects")", "", "write from_zero, wraps or *"},
             {list + "/0", R"("gather/wraps/")", "", "write rejects, zeros, clamps or *"},
             {list + "/0", R"("gather/wraps/clamps")", "", "means no operator version"},
             {list + "/0", R"("gather/*/*")", "/cases/0/expect/1/for",
              "openvino.Gather-7 stands in another expectation"},
             {list, R"(["gather/wraps/rejects", "gather/wraps/*"])", list + "/1",
              "\"gather/wraps/*\" means onnx.Gather-1, which this list has already"},
             {list, R"(["gather/wraps/rejects", "onnx.Gather-1"])", list + "/0",
              "means onnx.Gather-1, which this list has already"},
             {"/cases/0/expect/0/rules/0", R"("*.indices.rang")", "",
              "there is none of onnx.Gather-1, onnx.Gather-13; name the rules"},
             {"/cases/0/expect/2/rules/1", R"("*.formula")", "",
              "\"onnx.gather-11.formula\" stands in this list already"},
         }) {
        check_refused(document, doubt);
    }
}

TEST_CASE("ids are unique, and the problem names the other one") {
    check_refused(fixture::document,
                  {"/cases/2/id", "\"last-row\"", "/cases/2/id", "is taken by x.json: /cases/1"});
}

TEST_CASE("a control is another case that is legal for every version that must reject") {
    const std::string unspecified = R"({
        "for": ["onnx.Gather-1", "onnx.Gather-11", "onnx.Gather-13"],
        "rules": ["onnx.gather-1.formula", "onnx.gather-11.formula", "onnx.gather-13.formula"],
        "unspecified": "u"})";
    for (const Doubt& doubt : std::initializer_list<Doubt>{
             {"/cases/0/control", "\"nothing\"", "", "is the id of no case"},
             {"/cases/0/control", "\"one-past-the-end\"", "", "its own control"},
             {"/cases/0/control", "\"huge\"", "", "expects no output of onnx.Gather-11"},
             {"/cases/0/control", "3", "", "is the integer 3"},
             {"/cases/1/control", "\"last-row\"", "", "may reject this call"},
             {"/cases/1/expect/0", unspecified, "/cases/0/control",
              "expects no output of onnx.Gather-11"},
         }) {
        check_refused(fixture::document, doubt);
    }
}

namespace {

/// Two legal calls, a described one, a sequence of the two, and one of a sweep.
constexpr std::string_view sequences = R"({
  "cases": [
    { "id": "a", "title": "t", "axis": 0,
      "inputs": { "data": { "type": "f32", "shape": [3, 2], "fill": { "address": 1 } },
                  "indices": { "type": "i64", "shape": [1], "values": [3] } },
      "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.indices.range"], "error": "index_out_of_bounds" } ] },
    { "id": "b", "title": "t", "axis": 0,
      "inputs": { "data": { "type": "f32", "shape": [4, 2], "fill": { "address": 1 } },
                  "indices": { "type": "i64", "shape": [1], "values": [3] } },
      "expect": [ { "for": ["onnx.Gather-11", "onnx.Gather-13"], "rules": ["onnx.gather-11.formula", "onnx.gather-13.formula"],
                    "output": { "type": "f32", "shape": [1, 2], "values": [7, 8] } } ] },
    { "id": "c", "title": "t", "after": ["a", "b", "a"], "axis": 0,
      "inputs": { "data": { "type": "f32", "shape": [1, 2], "fill": { "address": 1 } },
                  "indices": { "type": "i64", "shape": [2], "values": [0, 0] } },
      "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formula"],
                    "output": { "type": "f32", "shape": [2, 2], "values": [1, 2, 1, 2] } } ] },
    { "id": "d", "title": "t", "axis": 0,
      "inputs": { "data": { "type": "f32", "shape": [1, 2] }, "indices": { "type": "i64", "shape": [2] } },
      "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formula"], "output": { "type": "f32", "shape": [2, 2] } } ] },
    { "id": "e", "title": "t", "axis": 0, "sweep": { "k": [0, 1] },
      "inputs": { "data": { "type": "f32", "shape": [3, 2], "fill": { "address": 1 } },
                  "indices": { "type": "i64", "shape": [1], "values": ["$k"] } },
      "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formula"], "output": "equation" } ] }
  ]
})";

}  // namespace

TEST_CASE("a sequence holds the cases that it comes after, in their order") {
    const Suite suite = taken(sequences);
    const Case& last = suite.cases[2];
    CHECK(last.after == std::vector<std::string>{"a", "b", "a"});
    REQUIRE(last.earlier.size() == 3);
    CHECK(last.earlier[0]->id == "a");
    CHECK(last.earlier[1]->inputs[0].tensor.descriptor.shape == Shape{4, 2});
    CHECK(last.earlier[2]->id == "a");
    CHECK(suite.cases[0].earlier.empty());
    CHECK(last.hash != taken(with(sequences, "/cases/2/after", R"(["a"])")).cases[2].hash);
}

TEST_CASE("a sequence comes after calls of one model that stand alone") {
    for (const Doubt& doubt : std::initializer_list<Doubt>{
             {"/cases/2/after/1", "\"nothing\"", "", "is the id of no case"},
             {"/cases/2/after/1", "\"c\"", "", "is the case itself"},
             {"/cases/2/after/1", "\"d\"", "", "is described"},
             {"/cases/2/after/1", "\"e/k=0\"", "", "comes from a sweep"},
             {"/cases/1/after", R"(["a"])", "/cases/1/after/0", "says nothing of onnx.Gather-11"},
             {"/cases/2/after", "[]", "", "has 0 entries"},
             {"/cases/2/after", R"(["a", "a", "a", "a", "a", "a", "a", "a", "a"])", "",
              "has 9 entries"},
             {"/cases/2/after", "3", "", "is the integer 3"},
             {"/cases/2/after/0", "3", "", "is the integer 3"},
             {"/cases/3/after", R"(["a"])", "", "is none of a sequence"},
             {"/cases/4/after", R"(["a"])", "", "remove it from the sweep"},
             {"/cases/1/axis", "1", "/cases/2/after/1", "has other attributes for onnx.Gather-13"},
             {"/cases/0/inputs/data/type", "\"i32\"", "/cases/2/after/0",
              "has another element type of data for onnx.Gather-13"},
             {"/cases/0/control", "\"c\"", "", "is a sequence"},
         }) {
        check_refused(sequences, doubt);
    }
}

TEST_CASE("no sequence comes after another") {
    Json root = Json::parse(sequences);
    root["cases"][3] = root["cases"][2];
    root["cases"][3]["id"] = "longer";
    root["cases"][3]["after"] = {"c"};
    const auto problems = refused(root.dump());
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].pointer == "/cases/3/after/0");
    CHECK(problems[0].reason.find("is a sequence itself") != std::string::npos);
}

TEST_CASE("all problems of a document are reported, up to a hundred") {
    Json root = Json::parse(fixture::document);
    root["cases"][0]["axis"] = 1.5;
    root["cases"][1]["title"] = 3;
    root["cases"][2]["inputs"]["data"]["shape"][0] = -1;
    const auto problems = refused(root.dump());
    REQUIRE(problems.size() == 3);
    CHECK(problems[0].pointer == "/cases/0/axis");
    CHECK(problems[1].pointer == "/cases/1/title");
    CHECK(problems[2].pointer == "/cases/2/inputs/data/shape/0");

    Json many = Json::object();
    for (int k = 0; k < 500; ++k) many["cases"].push_back(k);
    CHECK(refused(many.dump()).size() == 100);
}

TEST_CASE("a problem is one line with file, pointer and reason") {
    CHECK(to_string(Problem{"cases/x.json", "/cases/3", "is wrong; change it"}) ==
          "cases/x.json: /cases/3: is wrong; change it");
    CHECK(to_string(Problem{"cases/x.json", "", "is wrong; change it"}) ==
          "cases/x.json: is wrong; change it");
    CHECK(to_string(Problem{"x.json", "/a\nb\x1b[31m", "is wrong; change it"}) ==
          "x.json: /a\\x0ab\\x1b[31m: is wrong; change it");
}

TEST_CASE("a pipe in a folder of cases is refused, not waited for") {
    const test::TemporaryFolder temporary;
    const fs::path pipe = temporary.path() / "pipe.json";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::ofstream(temporary.path() / "good.json") << fixture::document;
    const auto result = load_cases({temporary.path()}, fixture::rules());
    const auto& problems = std::get<std::vector<Problem>>(result);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].file == pipe.generic_string());
    CHECK(problems[0].reason ==
          "is a pipe, and of a folder only files are read; take it out of there");
}

TEST_CASE("folders are searched for files, and ids and controls are checked across all of them") {
    const test::TemporaryFolder temporary;
    const fs::path& folder = temporary.path();
    fs::create_directories(folder / "below");
    const auto write = [&](const fs::path& name, const Json& content) {
        std::ofstream(folder / name) << content.dump();
    };
    const Json root = Json::parse(fixture::document);
    write("b.json", {{"cases", {root["cases"][0]}}});
    write("below/a.json", {{"cases", {root["cases"][1]}}});
    std::ofstream(folder / "notes.txt") << "not read";

    SECTION("files come in the order of their paths, each once") {
        const auto result = load_cases({folder, folder / "b.json"}, fixture::rules());
        const Suite& suite = std::get<Suite>(result);
        REQUIRE(suite.cases.size() == 2);
        CHECK(suite.cases[0].file == (folder / "b.json").generic_string());
        CHECK(suite.cases[1].file == (folder / "below/a.json").generic_string());
    }
    SECTION("a control in a file that is not loaded is unknown") {
        const auto result = load_cases({folder / "b.json"}, fixture::rules());
        const auto& problems = std::get<std::vector<Problem>>(result);
        REQUIRE(problems.size() == 1);
        CHECK(problems[0].pointer == "/cases/0/control");
    }
    SECTION("an id of another file is taken") {
        write("c.json", {{"cases", {root["cases"][1]}}});
        const auto result = load_cases({folder}, fixture::rules());
        const auto& problems = std::get<std::vector<Problem>>(result);
        REQUIRE(problems.size() == 1);
        CHECK(problems[0].file == (folder / "c.json").generic_string());
        CHECK(problems[0].reason.find("below/a.json: /cases/0") != std::string::npos);
    }
    SECTION("what is missing, empty or broken is named") {
        fs::create_directories(folder / "empty");
        std::ofstream(folder / "broken.json") << "{";
        const auto result = load_cases(
            {folder / "empty", folder / "missing.json", folder / "broken.json"}, fixture::rules());
        const auto& problems = std::get<std::vector<Problem>>(result);
        REQUIRE(problems.size() == 3);
        CHECK(problems[0].reason.find("holds no *.json file") != std::string::npos);
        CHECK(problems[1].file == (folder / "broken.json").generic_string());
        CHECK(problems[2].reason.find("No such file") != std::string::npos);
    }
}

TEST_CASE("the shipped cases load with the shipped rules") {
    fixture::declare_shipped_dialects();
    const auto rules = load_rules(fixture::spec_cases() / "rules");
    if (const auto* problems = std::get_if<std::vector<Problem>>(&rules)) {
        FAIL(to_string(problems->front()));
    }
    const auto result =
        load_cases({fixture::spec_cases() / "cases"}, std::get<RuleCatalogue>(rules));
    if (const auto* problems = std::get_if<std::vector<Problem>>(&result)) {
        FAIL(to_string(problems->front()));
    }
    CHECK(std::get<Suite>(result).cases.size() > 100);
}
