// SPDX-License-Identifier: Apache-2.0
// Generated calls as the text of a case.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tools/import/import_case.hpp"

using namespace gathercheck;

TEST_CASE("an output of strings is written where it has no elements") {
    WrittenCase written;
    written.id = "of-no-strings";
    written.title = "no strings";
    written.version = OperatorVersion::onnx_gather_13;
    written.inputs = {{"data", Tensor{ElementType::string, {0, 2}, {}, {}}},
                      {"indices", Tensor{ElementType::i64, {0}, {}, {}}}};
    written.rules = {"onnx.gather-13.semantics.formula"};
    written.alternatives = {ResolvedOutput{{ElementType::string, {0, 2}}, {}, {}}};
    const std::string text = case_text(written);
    CHECK(text.find(R"("output": { "type": "string", "shape": [0, 2], "values": [] })") !=
          std::string::npos);
}
