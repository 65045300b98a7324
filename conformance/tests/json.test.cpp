// SPDX-License-Identifier: Apache-2.0
// Strict JSON: what is refused and where, what a number keeps, and canonical text.
#include "conformance/util/json.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <variant>

using namespace gathercheck;
using namespace std::string_literals;

namespace {

Json parsed(std::string_view text) {
    JsonResult result = parse_json(text, "x.json");
    if (const auto* problems = std::get_if<std::vector<Problem>>(&result)) {
        FAIL(problems->front().reason);
    }
    return std::get<Json>(std::move(result));
}

/// The first problem as "pointer: reason".
std::string refused(std::string_view text, const JsonLimits& limits = {}) {
    const JsonResult result = parse_json(text, "x.json", limits);
    if (std::holds_alternative<Json>(result)) return "taken";
    const Problem& problem = std::get<std::vector<Problem>>(result).front();
    return problem.pointer + ": " + problem.reason;
}

}  // namespace

TEST_CASE("a number keeps the kind in which it was written") {
    CHECK(parsed("3").is_number_unsigned());
    CHECK(parsed("-3").is_number_integer());
    CHECK(parsed("3.0").is_number_float());
    CHECK(parsed("3e0").is_number_float());
    CHECK(parsed("18446744073709551615").is_number_unsigned());
    CHECK(is_odd_number(parsed("18446744073709551616")));
    CHECK(odd_number_text(parsed("-9223372036854775809")) == "-9223372036854775809");
    CHECK(as_integer(parsed("9223372036854775807")) == INT64_MAX);
    CHECK(as_integer(parsed("-9223372036854775808")) == INT64_MIN);
    CHECK_FALSE(as_integer(parsed("9223372036854775808")));
    CHECK_FALSE(as_integer(parsed("3.0")));
}

TEST_CASE("a decimal with more digits than a double keeps its text") {
    CHECK(parsed("0.1").is_number_float());
    CHECK(parsed("0.10").is_number_float());
    CHECK(parsed("9.007199254740993e+18").is_number_float());
    CHECK(odd_number_text(parsed("0.1000000000000000055")) == "0.1000000000000000055");
}

TEST_CASE("every duplicate key is reported at its place") {
    const JsonResult result =
        parse_json(R"({"a": {"b": 1, "b": [2]}, "c": [0, {"d/e": 1, "d/e": 1}]})", "x.json");
    const auto& problems = std::get<std::vector<Problem>>(result);
    REQUIRE(problems.size() == 2);
    CHECK(problems[0].file == "x.json");
    CHECK(problems[0].pointer == "/a/b");
    CHECK(problems[0].reason.find("\"b\" stands twice") != std::string::npos);
    CHECK(problems[1].pointer == "/c/1/d~1e");
}

TEST_CASE("a duplicate key is found among many") {
    std::string text = "{";
    for (int k = 0; k < 1000; ++k) text += "\"k" + std::to_string(k) + "\": 0, ";
    CHECK(refused(text + "\"k0\": 1}").starts_with("/k0: the key \"k0\" stands twice"));
    CHECK(refused(text + "\"k999\": 1}").starts_with("/k999: "));
    CHECK(refused(text + "\"k1000\": 1}") == "taken");
}

TEST_CASE("an object keeps the order of the document") {
    const Json value = parsed(R"({"z": 1, "a": 2, "m": 3})");
    std::string keys;
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) keys += key;
    CHECK(keys == "zam");
}

TEST_CASE("text that is not strict JSON is refused with its place") {
    CHECK(refused("[1, 2") ==
          "/2: not JSON at line 1, column 6: syntax error while parsing array - "
          "unexpected end of input; expected ']'; correct the text there");
    CHECK(refused("{\"x\": [1,\n  {\"y\": tru}]}")
              .starts_with("/x/1/y: not JSON at line 2, column 12:"));
    for (const std::string& text : {""s,
                                    " "s,
                                    "[1] x"s,
                                    "[1,]"s,
                                    "{'a': 1}"s,
                                    "// c\n1"s,
                                    "[01]"s,
                                    "[+1]"s,
                                    "[.5]"s,
                                    "[1.]"s,
                                    "[NaN]"s,
                                    "[Infinity]"s,
                                    "[1e999]"s,
                                    "\"\n\""s,
                                    "\"\\x\""s,
                                    "\"\\ud800\""s,
                                    "\"\xff\""s,
                                    "\"\xc0\x80\""s,
                                    "\"\xed\xa0\x80\""s,
                                    "\xff"s,
                                    "nul"s,
                                    "{\"a\"}"s,
                                    "{1: 2}"s,
                                    "]"s,
                                    "[}"s}) {
        CAPTURE(text);
        CHECK(refused(text).find("not JSON") != std::string::npos);
    }
}

TEST_CASE("what the parser would pass over is refused") {
    CHECK(refused("\xEF\xBB\xBF{}").find("byte order mark") != std::string::npos);
    CHECK(refused("{}\0rest"s).find("NUL byte at offset 2") != std::string::npos);
    CHECK(refused("[1,\n -0]").find("-0 at line 2, column 2") != std::string::npos);
    CHECK(refused("[-0.0, 1e-0, \"-0\", \"\\\"-0\"]") == "taken");
}

TEST_CASE("documents beyond the limits are refused") {
    CHECK(refused("[[1]]", {.bytes = 4, .depth = 8}).find("larger than 4 bytes") !=
          std::string::npos);
    CHECK(refused("[[1]]", {.bytes = 5, .depth = 2}) == "taken");
    CHECK(refused("[[[1]]]", {.bytes = 50, .depth = 2}).find("nested deeper than 2 levels") !=
          std::string::npos);
    CHECK(refused(std::string(1'000'000, '[')).find("nested deeper than 64") != std::string::npos);
}

TEST_CASE("a file that cannot be read is a problem with the reason") {
    const JsonResult missing = read_json("/nonexistent/x.json");
    const Problem& problem = std::get<std::vector<Problem>>(missing).front();
    CHECK(problem.file == "/nonexistent/x.json");
    CHECK(problem.reason.find("No such file or directory") != std::string::npos);
    const JsonResult folder = read_json("/");
    CHECK(std::get<std::vector<Problem>>(folder).front().reason.find("Is a directory") !=
          std::string::npos);
}

TEST_CASE("canonical text sorts keys, drops white space and keeps kinds of numbers") {
    CHECK(canonical_json(
              parsed(R"( { "b" : [ 1 , 2.50, 3.0 , 1e2 ], "a" : { "d": null, "c": true } } )")) ==
          R"({"a":{"c":true,"d":null},"b":[1,2.5,3.0,100.0]})");
    CHECK(canonical_json(parsed(R"("\u00e9\n\"\\\u0000\/")")) ==
          "\"\xc3\xa9\\u000a\\\"\\\\\\u0000/\"");
    CHECK(canonical_json(parsed("[18446744073709551616, -1, 18446744073709551615]")) ==
          "[18446744073709551616,-1,18446744073709551615]");
}

TEST_CASE("a place becomes a JSON pointer") {
    const Place top;
    const Place cases = top.child("cases");
    const Place third = cases.child(std::size_t{3});
    CHECK(top.pointer().empty());
    CHECK(third.child("a/b~c").pointer() == "/cases/3/a~1b~0c");
}

TEST_CASE("values are described shortly and printably") {
    CHECK(describe_json(parsed("3.0")) == "the decimal 3.0");
    CHECK(describe_json(parsed("3")) == "the integer 3");
    CHECK(describe_json(parsed("99999999999999999999")) ==
          "the integer 99999999999999999999, which does not fit 64 bits");
    CHECK(describe_json(parsed("\"a\\u0001\"")) == "the string \"a\\x01\"");
    CHECK(describe_json(parsed("[]")) == "a list");
    CHECK(in_quotes("\xff\xc3\xa9") == "\"\\xff\xc3\xa9\"");
    CHECK(in_quotes(std::string(100, 'a')) == "\"" + std::string(80, 'a') + "...\"");
}

TEST_CASE("unknown and missing keys are reported with those that are known") {
    Problems problems("x.json");
    CHECK_FALSE(check_keys(parsed(R"({"idd": 1})"), Place(), {"id"}, {"why"}, problems));
    const auto found = std::move(problems).take();
    REQUIRE(found.size() == 2);
    CHECK(found[0] ==
          Problem{"x.json", "/idd", "the key \"idd\" is unknown here; known are \"id\", \"why\""});
    CHECK(found[1] == Problem{"x.json", "", "the key \"id\" is missing; add it"});
}

TEST_CASE("problems are kept once and up to a limit") {
    Problems problems("x.json", 3);
    for (int k = 0; k < 10; ++k) problems.add("/a", "same");
    CHECK(problems.added() == 10);
    CHECK_FALSE(problems.full());
    for (int k = 0; k < 10; ++k) problems.add("/" + std::to_string(k), "other");
    CHECK(problems.added() == 20);
    CHECK(problems.full());
    CHECK(std::move(problems).take().size() == 3);
}

TEST_CASE("text of others is printed without what a terminal or a build server would act on") {
    CHECK(printable("plain \xC3\xA9 \xE2\x82\xAC # x ## y") ==
          "plain \xC3\xA9 \xE2\x82\xAC # x #\\x23 y");
    CHECK(printable("a\x1b[0m\r\n\x7f") == "a\\x1b[0m\\x0d\\x0a\\x7f");
    CHECK(printable("\xC2\x9B\xC2\x85\xC2\xA0") == "\\xc2\\x9b\\xc2\\x85\xC2\xA0");
    CHECK(printable("\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\x8F\xE2\x80\xA8") ==
          "\\xe2\\x80\\xae\\xe2\\x81\\xa6\\xe2\\x80\\x8f\\xe2\\x80\\xa8");
    CHECK(printable("\xFF") == "\\xff");
    CHECK(printable("  ::set-output a::b") == "  \\x3a:set-output a::b");
    CHECK(printable("##vso[x] ##[y] ###") == "#\\x23vso[x] #\\x23[y] #\\x23#");
    CHECK(printable(printable("##a \x1b ::")) == printable("##a \x1b ::"));
}

TEST_CASE("JSON for a terminal is ASCII") {
    CHECK(shown_json(Json{{"a", "\xE2\x80\xAE##[x]\x1b\x7f"}}) ==
          "{\n  \"a\": \"\\u202e#\\u0023[x]\\u001b\\u007f\"\n}");
}
