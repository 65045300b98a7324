// SPDX-License-Identifier: Apache-2.0
// The loader on thousands of damaged documents: it answers with a suite or with problems, always.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/tests/load_fixture.hpp"

using namespace gathercheck;

namespace {

/// A generator whose sequence is the same everywhere (splitmix64).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::size_t below(std::size_t bound) {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ z >> 30U) * 0xBF58476D1CE4E5B9U;
        z = (z ^ z >> 27U) * 0x94D049BB133111EBU;
        return static_cast<std::size_t>((z ^ z >> 31U) % bound);
    }

private:
    std::uint64_t state_;
};

/// Loads the text; whatever is taken is also made, whatever is refused has reasons.
bool survives(std::string_view text) {
    const auto result = load_cases_text(text, "x.json", fixture::rules());
    if (const auto* problems = std::get_if<std::vector<Problem>>(&result)) {
        if (problems->empty()) return false;
        for (const Problem& problem : *problems) {
            if (problem.reason.empty() || problem.reason.size() > 2000) return false;
        }
        return true;
    }
    for (const Case& each : std::get<Suite>(result).cases) {
        for (const NamedTensorSpec& input : each.inputs) {
            const auto bytes = byte_size(input.tensor.descriptor);
            if (input.tensor.has_contents() && bytes && *bytes < 1'000'000) {
                if (materialise(input.tensor).contents.size() != static_cast<std::size_t>(*bytes)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/// A document with every kind of fill, and the two of the fixture.
std::vector<std::string> documents() {
    Json fills = Json::parse(fixture::document);
    fills["cases"][0]["inputs"]["data"] = Json::parse(
        R"({"type": "u4", "shape": [3, 2], "fill": {"except": {"fill": {"address": 1}, "at": {"-1": 3, "0": 1}}}})");
    fills["cases"][0]["inputs"]["indices"] = Json::parse(
        R"({"type": "i8", "shape": [2], "fill": {"affine": {"start": -1, "step": 2, "modulo": 3}}})");
    fills["cases"][1]["inputs"]["data"] =
        Json::parse(R"({"type": "string", "shape": [3, 2], "fill": {"mark": 1}})");
    fills["cases"][1]["inputs"]["indices"] =
        Json::parse(R"({"type": "c128", "shape": [2], "fill": {"cycle": [[1, 0.5]]}})");
    return {std::string(fixture::document), std::string(fixture::sweep), fills.dump()};
}

/// Every value of a document, by its pointer.
void collect(const Json& value, const Json::json_pointer& at,
             std::vector<Json::json_pointer>& places) {
    places.push_back(at);
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) collect(member, at / key, places);
    } else if (value.is_array()) {
        for (std::size_t k = 0; k < value.size(); ++k) collect(value[k], at / k, places);
    }
}

}  // namespace

TEST_CASE("a document cut off anywhere is refused") {
    for (const std::string& document : documents()) {
        for (std::size_t length = 0; length + 1 < document.size(); ++length) {
            const std::string_view text = std::string_view(document).substr(0, length);
            if (!survives(text)) FAIL(text);
        }
    }
}

TEST_CASE("a document with damaged bytes is taken or refused") {
    Random random(1);
    constexpr std::string_view bytes = "{}[]\",:-0129.eE+$ntfa\\u\xff\xc3\x01 ";
    for (const std::string& document : documents()) {
        for (int k = 0; k < 2000; ++k) {
            std::string text = document;
            for (std::size_t damage = random.below(3) + 1; damage > 0; --damage) {
                const std::size_t place = random.below(text.size());
                const char byte = bytes[random.below(bytes.size())];
                switch (random.below(3)) {
                    case 0:
                        text[place] = byte;
                        break;
                    case 1:
                        text.insert(place, 1, byte);
                        break;
                    default:
                        text.erase(place, random.below(20) + 1);
                        break;
                }
            }
            if (!survives(text)) FAIL(text);
        }
    }
}

TEST_CASE("a document with a value in the wrong place is taken or refused") {
    Random random(2);
    const std::vector<Json> values = [] {
        std::vector<Json> result;
        for (const char* text :
             {"null",
              "true",
              "0",
              "-1",
              "3.7",
              "1e300",
              "9223372036854775807",
              "-9223372036854775808",
              "18446744073709551615",
              "\"\"",
              "\"f32\"",
              "\"$type\"",
              "[]",
              "[0]",
              "[[]]",
              "{}",
              "{\"address\": 0}",
              "[4611686018427387904, 2]",
              "\"equation\"",
              "{\"name\": \"x\"}",
              "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
              "\"-1\"",
              "\"i64\"",
              "{\"mark\": -9223372036854775808}",
              "{\"affine\": {\"start\": 9223372036854775807, \"step\": -9223372036854775808}}"}) {
            result.push_back(Json::parse(text));
        }
        return result;
    }();
    for (const std::string& document : documents()) {
        const Json root = Json::parse(document);
        std::vector<Json::json_pointer> places;
        collect(root, Json::json_pointer(), places);
        for (const auto& place : places) {
            for (const Json& value : values) {
                Json damaged = root;
                damaged[place] = value;
                const auto& other = places[random.below(places.size())];
                if (random.below(3) == 0 && damaged.contains(other)) damaged[other] = value;
                const std::string text = damaged.dump();
                if (!survives(text)) FAIL(text);
            }
        }
    }
}

TEST_CASE("documents of absurd depth or size are refused") {
    CHECK(survives(std::string(100'000, '[')));
    std::string nested = "{\"cases\":";
    for (int k = 0; k < 1000; ++k) nested += "[{\"a\":";
    CHECK(survives(nested));
    std::string fill = "{\"address\": 1}";
    for (int k = 0; k < 20; ++k) {
        fill = "{\"except\": {\"fill\": " + fill + ", \"at\": {\"0\": 1}}}";
    }
    Json root = Json::parse(fixture::document);
    root["cases"][0]["inputs"]["data"]["fill"] = Json::parse(fill);
    CHECK(survives(root.dump()));
}
