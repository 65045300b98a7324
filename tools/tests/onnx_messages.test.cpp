// SPDX-License-Identifier: Apache-2.0
// Messages of ONNX are read as libonnx reads them.
#if GATHERCHECK_ONNX

#include "tools/import/onnx_messages.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/tests/import_node_tests.hpp"

namespace {

using namespace gathercheck;

bool reads_model(const std::string& bytes) {
    onnx_messages::Model model;
    return read(bytes, model);
}

bool reads_tensor(const std::string& bytes) {
    onnx_messages::Tensor tensor;
    return read(bytes, tensor);
}

std::string model_bytes() {
    test::NodeTestFiles files = test::two_rows();
    *files.graph().add_initializer() = files.sets[0].inputs[1];
    files.model.set_producer_name("somebody");
    return files.model.SerializeAsString();
}

std::string tensor_bytes() {
    onnx::TensorProto tensor = test::tensor_of(onnx::TensorProto::INT32, {2, 300});
    tensor.set_name("x");
    tensor.add_int32_data(-1);
    tensor.add_float_data(0.5F);
    tensor.add_double_data(0.5);
    tensor.add_string_data("text");
    return tensor.SerializeAsString();
}

}  // namespace

TEST_CASE("a message that is cut short is none where it is none for libonnx") {
    const std::string model = model_bytes();
    for (std::size_t size = 0; size <= model.size(); ++size) {
        INFO("the first " << size << " bytes of " << model.size());
        const std::string part = model.substr(0, size);
        CHECK(reads_model(part) == onnx::ModelProto().ParseFromString(part));
    }
    const std::string tensor = tensor_bytes();
    for (std::size_t size = 0; size <= tensor.size(); ++size) {
        INFO("the first " << size << " bytes of " << tensor.size());
        const std::string part = tensor.substr(0, size);
        CHECK(reads_tensor(part) == onnx::TensorProto().ParseFromString(part));
    }
}

TEST_CASE("what libonnx reads can be read, whichever byte is another") {
    for (const std::string& good : {model_bytes(), tensor_bytes()}) {
        for (std::size_t place = 0; place < good.size(); ++place) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string bytes = good;
                bytes[place] = static_cast<char>(byte);
                if (onnx::ModelProto().ParseFromString(bytes) && !reads_model(bytes)) {
                    FAIL("as a model, byte " << place << " = " << byte);
                }
                if (onnx::TensorProto().ParseFromString(bytes) && !reads_tensor(bytes)) {
                    FAIL("as a tensor, byte " << place << " = " << byte);
                }
            }
        }
    }
}

TEST_CASE("each field has the value that libonnx wrote") {
    onnx_messages::Tensor tensor;
    REQUIRE(read(tensor_bytes(), tensor));
    CHECK(tensor.dims == std::vector<std::int64_t>{2, 300});
    CHECK(tensor.data_type == onnx::TensorProto::INT32);
    CHECK(tensor.name == "x");
    CHECK(tensor.int32_data == std::vector<std::int32_t>{-1});
    CHECK(tensor.float_data == std::vector<float>{0.5F});
    CHECK(tensor.double_data == std::vector<double>{0.5});
    CHECK(tensor.string_data == std::vector<std::string>{"text"});
    CHECK(!tensor.raw_data);
    CHECK(!tensor.has_segment);
    for (int type = -1; type < 16; ++type) {
        const bool is_one = onnx::AttributeProto::AttributeType_IsValid(type);
        const std::string name = is_one ? onnx::AttributeProto_AttributeType_Name(
                                              static_cast<onnx::AttributeProto_AttributeType>(type))
                                        : std::string();
        CHECK(onnx_messages::attribute_type_name(type) == name);
    }
}

TEST_CASE("a message in pieces is the message put together, packed or not") {
    using namespace std::string_view_literals;
    onnx_messages::Tensor tensor;
    // dims 2 by itself, then 3 and 300 packed; int64_data 7 by itself; a group, which is skipped.
    REQUIRE(read("\x08\x02\x0a\x03\x03\xac\x02\x38\x07\x7b\x08\x01\x7c"sv, tensor));
    CHECK(tensor.dims == std::vector<std::int64_t>{2, 3, 300});
    CHECK(tensor.int64_data == std::vector<std::int64_t>{7});
    onnx_messages::Model model;
    const std::string once = model_bytes();
    REQUIRE(read(once + once, model));
    REQUIRE(model.graph);
    CHECK(model.graph->node.size() == 2);
    CHECK(model.opset_import.size() == 2);
    CHECK(!reads_tensor("\x7b\x08\x01"));
    CHECK(!reads_tensor("\x7b\x08\x01\x74"));
    CHECK(!reads_tensor("\x7c"));
}

#endif
