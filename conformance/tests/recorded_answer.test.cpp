// SPDX-License-Identifier: Apache-2.0
// Recorded answers: what is kept of outputs and rejections, for people and as JSON.
#include "conformance/records/recorded_answer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "conformance/records/recorded_answer_json.hpp"
#include "reference/tests/calls.hpp"

using namespace gathercheck;

namespace {

using test::i32;

ResolvedAlternative output(const Tensor& tensor) {
    return ResolvedOutput{{tensor.type, tensor.shape}, tensor, {}};
}

/// As JSON, after a way there and back.
std::string text_of(const std::vector<RecordedAnswer>& answers) {
    const Json json = to_json(answers);
    const auto read = read_recorded_answers(json);
    REQUIRE(read);
    CHECK(*read == answers);
    return json.dump();
}

std::string got(const Outcome& outcome, const std::vector<ResolvedAlternative>& expected,
                bool every_bit = false) {
    return text_of(recorded_answers(outcome, expected, every_bit));
}

}  // namespace

TEST_CASE("an output is kept with its elements and what differs") {
    const std::vector<ResolvedAlternative> expected{output(i32({2, 3}, {1, 2, 3, 4, 5, 6}))};
    const Outcome wrong = ValueOutcome{i32({2, 3}, {1, 2, 3, 0, 5, 0})};
    CHECK(got(wrong, expected) ==
          R"({"type":"i32","shape":[2,3],"first":["1","2","3","0","5","0"],"differing":2,)"
          R"("differences":[{"at":[1,0],"expected":"4","got":"0"},)"
          R"({"at":[1,2],"expected":"6","got":"0"}]})");
    CHECK(text_of(recorded_expectations(expected)) ==
          R"({"type":"i32","shape":[2,3],"first":["1","2","3","4","5","6"]})");
    // Of another shape or type nothing can be compared.
    CHECK(got(ValueOutcome{i32({1}, {1})}, expected) ==
          R"({"type":"i32","shape":[1],"first":["1"]})");
    CHECK(got(ValueOutcome{i32({}, {7})}, {}) == R"({"type":"i32","shape":[],"first":["7"]})");
}

TEST_CASE("of many elements the first are kept, and all that differ are counted") {
    std::vector<std::int64_t> values(100);
    std::iota(values.begin(), values.end(), 0);
    const std::vector<ResolvedAlternative> expected{output(i32({100}, values))};
    const Outcome zeros = ValueOutcome{i32({100}, std::vector<std::int64_t>(100, 0))};
    const auto answers = recorded_answers(zeros, expected, false);
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].first.size() == 64);
    CHECK(answers[0].differing == 99);
    CHECK(answers[0].differences.size() == 16);
    CHECK(answers[0].differences.back() == ElementDifference{{16}, "16", "0"});
}

TEST_CASE("the alternative of the same type and shape is the one to compare with") {
    const std::vector<ResolvedAlternative> expected{
        ExpectedError{Category::index_out_of_bounds, {}}, output(i32({1}, {9})),
        output(i32({2}, {1, 2}))};
    CHECK(got(ValueOutcome{i32({2}, {1, 3})}, expected) ==
          R"({"type":"i32","shape":[2],"first":["1","3"],"differing":1,)"
          R"("differences":[{"at":[1],"expected":"2","got":"3"}]})");
    CHECK(text_of(recorded_expectations(expected)) ==
          R"([{"error":"index_out_of_bounds"},{"type":"i32","shape":[1],"first":["9"]},)"
          R"({"type":"i32","shape":[2],"first":["1","2"]}])");
}

TEST_CASE("another NaN differs only where every bit counts") {
    const Tensor quiet = test::tensor(ElementType::f32, {1}, {0x7FC00001});
    const std::vector<ResolvedAlternative> expected{output(quiet)};
    const Outcome other = ValueOutcome{test::tensor(ElementType::f32, {1}, {0x7FC00002})};
    CHECK(recorded_answers(other, expected, false)[0].differing == 0);
    CHECK(got(other, expected, true) ==
          R"x({"type":"f32","shape":[1],"first":["NaN (bits 7fc00002)"],"differing":1,)x"
          R"x("differences":[{"at":[0],"expected":"NaN (bits 7fc00001)",)x"
          R"x("got":"NaN (bits 7fc00002)"}]})x");
}

TEST_CASE("long messages are cut between characters") {
    const std::string umlauts = [] {
        std::string text;
        for (int k = 0; k < 400; ++k) text += "\xC3\xA4";
        return text;
    }();
    const auto message = recorded_answers(Rejected{{}, {}, {}, "x" + umlauts}, {}, false);
    CHECK(message[0].message.size() == 499 + 3);
    CHECK(message[0].message.ends_with("\xC3\xA4..."));
}

TEST_CASE("a rejection is kept in its own words") {
    const Outcome rejected =
        Rejected{Category::index_out_of_bounds, Phase::run, "", "indices[0] is 3"};
    CHECK(got(rejected, {}) ==
          R"({"error":"index_out_of_bounds","phase":"run","message":"indices[0] is 3"})");
    CHECK(got(Rejected{}, {}) == "{}");
}

TEST_CASE("of answers that differ both are kept, of a crash none") {
    NotDeterministic outcome{"first i32 [1] = [1], then rejected"};
    outcome.answers = {ValueOutcome{i32({1}, {1})}, Rejected{{}, {}, {}, "no"}};
    CHECK(got(outcome, {}) == R"([{"type":"i32","shape":[1],"first":["1"]},{"message":"no"}])");
    CHECK(recorded_answers(Crash{"gone"}, {}, false).empty());
}

TEST_CASE("a description is kept with the sizes that it knows") {
    CHECK(got(DescriptorOutcome{ElementType::f32, {2, std::nullopt}}, {}) ==
          R"({"type":"f32","shape":[2,null]})");
    CHECK(got(DescriptorOutcome{ElementType::f32, {}, false}, {}) ==
          R"({"type":"f32","shape":null})");
    const std::vector<ResolvedAlternative> expected{
        ResolvedOutput{{ElementType::f32, {2}}, {}, std::string(64, 'a')}};
    CHECK(text_of(recorded_expectations(expected)) ==
          R"({"type":"f32","shape":[2],"sha256":")" + std::string(64, 'a') + R"("})");
}

TEST_CASE("people read one line of it") {
    const std::vector<ResolvedAlternative> expected{output(i32({2, 3}, {1, 2, 3, 4, 5, 6}))};
    const auto line = [&](const Outcome& outcome) {
        return to_string(recorded_answers(outcome, expected, false).front());
    };
    CHECK(line(ValueOutcome{i32({2, 3}, {1, 2, 3, 0, 5, 0})}) ==
          "i32 [2, 3] = [1, 2, 3, 0, 5, 0]; 2 of 6 elements differ, the first is output[1, 0]");
    CHECK(line(ValueOutcome{i32({2, 3}, {1, 2, 3, 4, 5, 0})}) ==
          "i32 [2, 3] = [1, 2, 3, 4, 5, 0]; 1 of 6 elements differs: output[1, 2]");
    CHECK(line(ValueOutcome{i32({1, 6}, {1, 2, 3, 4, 5, 6})}) == "i32 [1, 6] = [1, 2, 3, 4, 5, 6]");
    CHECK(line(ValueOutcome{i32({0}, {})}) == "i32 [0] = []");
    CHECK(line(ValueOutcome{i32({17}, std::vector<std::int64_t>(17, 1))}) ==
          "i32 [17] = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ...]");
    CHECK(line(DescriptorOutcome{ElementType::f32, {2, std::nullopt}}) == "f32 [2, ?]");
    CHECK(line(DescriptorOutcome{ElementType::f32, {}, false}) == "f32 of unknown rank");
    CHECK(line(Rejected{Category::too_large, Phase::build, "", "no"}) ==
          "rejected at build as too_large: no");
}

TEST_CASE("what is no answer is refused") {
    for (const char* text :
         {R"(3)", R"({"type":"f99"})", R"({"type":"f32","shape":[-1]})", R"({"error":3})",
          R"({"type":"f32","shape":[1],"first":[1]})", R"([["a"]])",
          R"({"type":"f32","shape":[1],"differing":1,"differences":[{"at":["0"]}]})"}) {
        CAPTURE(text);
        CHECK_FALSE(read_recorded_answers(std::get<Json>(parse_json(text, "test"))));
    }
}
