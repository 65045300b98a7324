// SPDX-License-Identifier: Apache-2.0
// Filter terms that match nothing, and what is suggested in their place.
#include "conformance/select/filter_check.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "conformance/tests/load_fixture.hpp"

namespace gathercheck {
namespace {

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const char* id : {"gather-negative-axis", "gather-types/type=f16/axis=0",
                           "gather-types/type=f16/axis=1", "gather-nd-tuples"}) {
        all.push_back({});
        all.back().id = id;
    }
    return all;
}

std::string unmatched(const std::vector<std::string>& terms) {
    return unmatched_term(terms, cases(), fixture::rules());
}

}  // namespace

TEST_CASE("terms that match something are no slips") {
    CHECK(unmatched({}).empty());
    CHECK(unmatched({"negative", "case=gather-types/*", "gather-types/type=f16/axis=1",
                     "operator=onnx.Gather-*", "route=*/dynamic", "route=folded/static",
                     "type=bf16", "rule=*.axis.range"})
              .empty());
}

TEST_CASE("a case that is asked in other element types is there where the written one is") {
    CHECK(unmatched({"case=gather-nd-tuples/data=f32"}).empty());
    CHECK(unmatched({"case=gather-nd-tuples/data=f32/indices=i32"}).empty());
    CHECK(unmatched({"gather-nd-tuples/indices=i32"}).empty());
    CHECK(unmatched({"case=gather-nd-tuples/*"}).empty());
    CHECK(unmatched({"case=gather-nd-tuple/data=f32"}).starts_with("--filter \"case="));
    CHECK(unmatched({"case=gather-nd-tuples/axis=1"}).starts_with("--filter \"case="));
}

TEST_CASE("the term that matches nothing is named, with what comes near it") {
    CHECK(unmatched({"negative", "case=gather-tpyes/*"}) ==
          "--filter \"case=gather-tpyes/*\" matches no case id; near it: "
          "gather-types/type=f16/axis=0, gather-types/type=f16/axis=1; `gathercheck list` shows "
          "them");
    CHECK(unmatched({"gather-tpyes"}) ==
          "--filter \"gather-tpyes\" matches no case id; near it: gather-types; `gathercheck list` "
          "shows them");
    CHECK(unmatched({"operator=onnx.Gather-31"})
              .starts_with("--filter \"operator=onnx.Gather-31\" matches no operator version; near "
                           "it: onnx.Gather-1, "
                           "onnx.Gather-11, onnx.Gather-13;"));
    CHECK(unmatched({"type=fp32"})
              .starts_with("--filter \"type=fp32\" matches no element type; near it: f32"));
    CHECK(unmatched({"route=runtime/statc"})
              .starts_with(
                  "--filter \"route=runtime/statc\" matches no route; near it: runtime/static"));
    CHECK(unmatched({"rule=onnx.gather-13.axis.rnage"})
              .starts_with("--filter \"rule=onnx.gather-13.axis.rnage\" matches no rule; near it: "
                           "onnx.gather-13.axis.range"));
    // No folded call has run-time shapes.
    CHECK(unmatched({"route=folded/dynamic"}).starts_with("--filter \"route=folded/dynamic\""));
}

TEST_CASE("a word without a key is looked for under the other keys, too") {
    CHECK(unmatched({"onnx.Gather-13"})
              .starts_with("--filter \"onnx.Gather-13\" matches no case id; near it: "
                           "operator=onnx.Gather-13"));
}

TEST_CASE("what nothing comes near is refused all the same, and shown printable") {
    CHECK(unmatched({"case=\x1b[31m"}) ==
          "--filter \"case=\\x1b[31m\" matches no case id; `gathercheck list` shows them");
}

TEST_CASE("terms that match nothing together are told apart from one that matches nothing") {
    const std::vector<std::string> two{"negative", "type=f16"};
    CHECK(no_case_matches(two) ==
          "no case matches all of the filter, though each term by itself matches something: "
          "\"negative\", \"type=f16\"; leave one out, or give another");
    CHECK(no_case_matches(std::span(two).first(1)).starts_with("no case matches the filter"));
}

}  // namespace gathercheck
