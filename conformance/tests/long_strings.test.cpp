// SPDX-License-Identifier: Apache-2.0
// Which strings are taken out of a text, and that a text with long ones is read as any other.
#include "conformance/util/long_strings.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/util/json.hpp"

using namespace gathercheck;
using namespace std::string_literals;

namespace {

/// The text that is left, then the number and the characters of each string that was taken.
std::string taken(std::string_view text) {
    const WithoutLongStrings without = without_long_strings(text, 4);
    std::string result = without.text;
    for (const auto& one : without.taken) {
        result += " " + std::to_string(one.number) + ":" + std::string(one.characters);
    }
    return result;
}

Json parsed(const std::string& text) {
    JsonResult result = parse_json(text, "x.json");
    if (const auto* problems = std::get_if<std::vector<Problem>>(&result)) {
        FAIL(problems->front().reason);
    }
    return std::get<Json>(std::move(result));
}

std::string refused(const std::string& text) {
    const JsonResult result = parse_json(text, "x.json");
    if (std::holds_alternative<Json>(result)) return "taken";
    const Problem& problem = std::get<std::vector<Problem>>(result).front();
    return problem.pointer + ": " + problem.reason;
}

const std::string many(200, 'A');

}  // namespace

TEST_CASE("long strings are taken out of a text, with their numbers") {
    CHECK(taken(R"({"a":"AAAA","b":["AAA","BBBBB"]})") ==
          R"({"a":"","b":["AAA",""]} 1:AAAA 4:BBBBB)");
    CHECK(taken(R"({"long":"AAAA"})") == R"({"":""} 0:long 1:AAAA)");
    CHECK(taken(R"("AAAA")") == R"("" 0:AAAA)");
    CHECK(taken("[1]") == "[1]");
    CHECK(taken("").empty());
}

TEST_CASE("a string is left where it stands for something else than itself") {
    CHECK(taken(R"(["\"AAAA","AAAA"])") == R"(["\"AAAA",""] 1:AAAA)");
    CHECK(taken(R"(["AAAA\\","AAAA"])") == R"(["AAAA\\",""] 1:AAAA)");
    CHECK(taken(R"(["AAAA\\\"","\u0041AAA"])") == R"(["AAAA\\\"","\u0041AAA"])");
    for (const std::string& other : {"AAAA\n"s, "\tAAAA"s,
                                     "AA\x1f"
                                     "AA"s,
                                     "AAA\xc3\xa9"s, "AAAA\xff"s}) {
        CAPTURE(other);
        CHECK(taken("[\"" + other + "\"]") == "[\"" + other + "\"]");
    }
    CHECK(taken("[\"AAAA\x7f ~\"]") == "[\"\"] 0:AAAA\x7f ~");
}

TEST_CASE("nothing is taken behind a string without an end") {
    CHECK(taken(R"(["AAAA","BBBB)") == R"(["","BBBB 0:AAAA)");
    CHECK(taken(R"(["BBBB\")") == R"(["BBBB\")");
    CHECK(taken(R"(["BBBB\)") == R"(["BBBB\)");
}

TEST_CASE("a text with long strings gives the value that it says") {
    const Json value = parsed(R"({"x": ["b", ")" + many + R"(", "c\n"], ")" + many +
                              R"(": {"y": ")" + many + "B\"}, \"z\": \"\"}");
    CHECK(value["x"][0] == "b");
    CHECK(value["x"][1] == many);
    CHECK(value["x"][2] == "c\n");
    CHECK(value[many]["y"] == many + "B");
    CHECK(value["z"] == "");
    CHECK(value.size() == 3);
    CHECK(parsed("\"" + many + "\"") == many);
}

TEST_CASE("a text with long strings is refused as any other") {
    CHECK(refused("[\"" + many + "\", tru]").starts_with("/1: not JSON at line 1, column 209:"));
    CHECK(refused("[\"" + many + "\", -0]").find("-0 at line 1, column 206") != std::string::npos);
    CHECK(refused("{\"" + many + "\": 1, \"" + many + "\": 2}").find("stands twice") !=
          std::string::npos);
    CHECK(refused("{\"" + many + "\": 1, \"" + many + "B\": 2}") == "taken");
    CHECK(refused("[\"" + many + "\n\"]").find("not JSON") != std::string::npos);
    CHECK(refused("[\"" + many + "\xff\"]").find("not JSON") != std::string::npos);
    CHECK(refused("[\"" + many + "]").find("not JSON") != std::string::npos);
    CHECK(refused("\"" + many + "\" \"" + many + "\"").find("not JSON") != std::string::npos);
    CHECK(refused("[\"" + many + "\"\"" + many + "\"]").find("not JSON") != std::string::npos);
}
