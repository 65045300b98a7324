// SPDX-License-Identifier: Apache-2.0
// What is not claimed: the table of operator versions less the claims, told as not implemented or
// not claimed.
#include "conformance/records/unclaimed.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace gathercheck {
namespace {

using enum OperatorVersion;
using enum ElementType;

ImplementationRecord record(std::vector<Claim> claims, std::vector<NotImplemented> refusals = {}) {
    ImplementationRecord made;
    made.name = "engine";
    made.state = "started";
    made.claims = std::move(claims);
    made.not_implemented = std::move(refusals);
    return made;
}

Claim all_of(OperatorVersion version) {
    Claim claim;
    claim.versions = {version};
    claim.data = info(version).data_types;
    claim.indices = info(version).indices_types;
    return claim;
}

Claim without(Claim claim, ElementType data) {
    claim.data.members &= ~TypeSet{data}.members;
    return claim;
}

Claim of(std::vector<OperatorVersion> versions, TypeSet data, TypeSet indices) {
    Claim claim;
    claim.versions = std::move(versions);
    claim.data = data;
    claim.indices = indices;
    return claim;
}

/// "versions: types (why)" of one specification's versions that have any claim.
std::vector<std::string> texts(const ImplementationRecord& implementation,
                               OperatorVersion version) {
    std::vector<std::string> lines;
    for (const UnclaimedText& one : folded(unclaimed(implementation), true)) {
        if (one.versions.front() != version) continue;
        lines.push_back(one.types + (one.why.empty() ? "" : " (" + one.why + ")"));
    }
    return lines;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("whoever claims all that the table has leaves nothing") {
    const ImplementationRecord everything = record(claims_of_table());
    CHECK(unclaimed(everything).empty());
    CHECK(unclaimed_lines(everything).empty());
}

TEST_CASE("a record without claims says nothing") {
    ImplementationRecord old;
    old.name = "old";
    CHECK(unclaimed(old).empty());
    CHECK(unclaimed_lines(old).empty());
}

TEST_CASE(
    "a type that a claim lacks is not claimed, and not implemented where a refusal lists it") {
    const Claim claim = without(without(all_of(onnx_gather_13), c64), f16);
    const auto one = record({claim}, {{of({onnx_gather_13}, {c64}, {i32, i64}), "no"}});
    CHECK(texts(one, onnx_gather_13) == Texts{"data c64 (no)", "data f16"});
}

TEST_CASE("a refusal of what is claimed is none") {
    const auto one =
        record({all_of(onnx_gather_13)}, {{of({onnx_gather_13}, {c64, u1}, {i32, i64, i8}), "no"}});
    CHECK(texts(one, onnx_gather_13).empty());
}

TEST_CASE("pairs of types are told as types of data, types of indices, and the rest") {
    const TypeSet data = info(openvino_gather_8).data_types;
    Claim wide = all_of(openvino_gather_8);
    wide.indices.members &= ~TypeSet{u64}.members;
    const Claim narrow = without(without(wide, string), u1);
    const Claim strings = of({openvino_gather_8}, {string}, {i32, i64});
    CHECK(data.contains(u1));
    CHECK(texts(record({narrow, strings}), openvino_gather_8) ==
          Texts{"data u1", "data other than u1 with indices u64",
                "data string with indices u8, u16, u32, i8, i16"});
}

TEST_CASE("a route that is refused is told where another one is claimed") {
    Claim dynamic = all_of(onnx_gather_nd_13);
    dynamic.shapes = {Shapes::dynamic};
    const auto one = record({all_of(onnx_gather_nd_13)}, {{dynamic, "no dynamic shapes"}});
    CHECK(texts(one, onnx_gather_nd_13) ==
          Texts{"all element types by runtime/dynamic (no dynamic shapes)"});
    Claim both = all_of(onnx_gather_nd_13);
    both.shapes = {Shapes::fixed, Shapes::dynamic};
    CHECK(texts(record({both}, {{dynamic, "no dynamic shapes"}}), onnx_gather_nd_13).empty());
}

TEST_CASE(
    "lines fold operator versions, whatever the reasons, and leave other specifications out") {
    std::vector<Claim> claims;
    std::vector<NotImplemented> refusals;
    for (const OperatorInfo& version : operator_versions()) {
        if (version.specification != "onnx") continue;
        claims.push_back(without(without(all_of(version.version), c64), c128));
        for (const ElementType type : {c64, c128}) {
            refusals.push_back({of({version.version}, {type}, version.indices_types),
                                "no " + std::string(name(type)) + " here"});
        }
    }
    CHECK(unclaimed_lines(record(claims, refusals)) ==
          Texts{"not implemented by engine: all of onnx: data c64, c128"});
    claims.pop_back();
    CHECK(unclaimed_lines(record(claims)) ==
          Texts{"not claimed by engine: onnx.Gather-1,11,13, onnx.GatherElements-11,13, "
                "onnx.GatherND-11,12: data c64, c128; onnx.GatherND-13: all element types"});
}

}  // namespace gathercheck
