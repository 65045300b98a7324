// SPDX-License-Identifier: Apache-2.0
// ONNX's own gather tests, where they are installed: all of them become cases that the reference
// passes.
#if GATHERCHECK_ONNX

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/import/import_onnx.hpp"
#include "tools/tests/import_checks.hpp"

namespace {

using namespace gathercheck;
using namespace gathercheck::test;
namespace fs = std::filesystem;

/// The folder that holds the folders node, pytorch-converted, ...: that of Debian's package unless
/// the environment names another.
fs::path official_data() {
    const char* given = std::getenv("GATHERCHECK_ONNX_TESTDATA");
    const fs::path folder = given != nullptr ? given : "/usr/share/libonnx-testdata/data";
    if (!fs::is_directory(folder / "node")) {
        SKIP("ONNX's test data is not at " << folder.string()
                                           << "; install the Debian package libonnx-testdata, or "
                                              "name its folder in GATHERCHECK_ONNX_TESTDATA");
    }
    return folder;
}

void check_reference_passes(const std::vector<Case>& cases) {
    for (const Case& each : cases) {
        const Tensor expected = expected_output(each);
        for (const OperatorVersion version : each.expect.at(0).versions) {
            const Tensor output = reference_output(each, version);
            INFO(each.id << " " << name(version));
            CHECK(output.type == expected.type);
            CHECK(output.shape == expected.shape);
            CHECK(bytes_of(output) == bytes_of(expected));
        }
    }
}

std::vector<std::string> ids_of(const std::vector<Case>& cases) {
    std::vector<std::string> ids;
    for (const Case& each : cases) ids.push_back(each.id);
    return ids;
}

}  // namespace

TEST_CASE("every official gather node test is imported, and the reference passes it") {
    const ImportResult result = import_onnx({official_data() / "node"});
    CHECK(result.refused.empty());
    CHECK(result.skipped > 500);
    const std::vector<Case> cases = load(result.json());
    CHECK(ids_of(cases) ==
          std::vector<std::string>{
              "onnx-node-test-gather-0", "onnx-node-test-gather-1",
              "onnx-node-test-gather-2d-indices", "onnx-node-test-gather-elements-0",
              "onnx-node-test-gather-elements-1", "onnx-node-test-gather-elements-negative-indices",
              "onnx-node-test-gather-negative-indices", "onnx-node-test-gathernd-example-float32",
              "onnx-node-test-gathernd-example-int32",
              "onnx-node-test-gathernd-example-int32-batch-dim1"});
    check_reference_passes(cases);
}

TEST_CASE("the official tests hold for every version that they are legal for") {
    const ImportResult result =
        import_onnx({official_data() / "node"}, {.id_prefix = "all-", .all_versions = true});
    const std::vector<Case> cases = load(result.json());
    REQUIRE(cases.size() == 10);
    // Gather of a positive index: six versions; GatherElements of a negative one: two.
    CHECK(cases[0].expect.at(0).versions.size() == 6);
    CHECK(cases[5].expect.at(0).versions.size() == 2);
    check_reference_passes(cases);
}

TEST_CASE("the official tests made from PyTorch have their table as an initialiser") {
    const ImportResult result =
        import_onnx({official_data() / "pytorch-converted"}, {.id_prefix = "onnx-pytorch-"});
    CHECK(result.refused.empty());
    const std::vector<Case> cases = load(result.json());
    CHECK(ids_of(cases) == std::vector<std::string>{"onnx-pytorch-test-embedding",
                                                    "onnx-pytorch-test-embedding-sparse"});
    check_reference_passes(cases);
}

#endif
