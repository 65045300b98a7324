// SPDX-License-Identifier: Apache-2.0
// What is put together of several versions when runs are compared. How runs are,
// tools/tests/diff.sh asks.
#include <catch2/catch_test_macros.hpp>

#include "conformance/report/diff.hpp"

namespace gathercheck {
namespace {

TEST_CASE("a rule of any version is known without it", "[diff]") {
    CHECK(unversioned_rule("ov.gather-8.axis") == "ov.gather.axis");
    CHECK(unversioned_rule("onnx.gather-elements-11.types") == "onnx.gather-elements.types");
    CHECK(unversioned_rule("onnx.gather-nd-13.indices.range") == "onnx.gather-nd.indices.range");
    CHECK(unversioned_rule("tf.gather-nd.output") == "tf.gather-nd.output");
}

}  // namespace
}  // namespace gathercheck
