// SPDX-License-Identifier: Apache-2.0
// The messages of ONNX's files, as far as a node test needs them; read here without protobuf.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gathercheck::onnx_messages {

// Names and numbers are those of onnx.proto; a field that is not here is passed over.

struct Tensor {
    std::vector<std::int64_t> dims;
    std::int32_t data_type = 0;
    bool has_segment = false;
    std::vector<float> float_data;
    std::vector<std::int32_t> int32_data;
    std::vector<std::string> string_data;
    std::vector<std::int64_t> int64_data;
    std::string name;
    std::optional<std::string> raw_data;
    std::vector<double> double_data;
    std::vector<std::uint64_t> uint64_data;
    bool has_external_data = false;
    bool is_external = false;  ///< data_location
};

struct Attribute {
    enum class Type : std::uint8_t { undefined, floating, integer, string, integers = 7 };

    std::string name;
    std::string ref_attr_name;
    std::int32_t type = 0;  ///< a Type, or another that no case can say
    float f = 0;
    std::int64_t i = 0;
    std::string s;
    std::vector<std::int64_t> ints;
};

struct Node {
    std::vector<std::string> input;
    std::vector<std::string> output;
    std::string op_type;
    std::string domain;
    std::vector<Attribute> attribute;
};

/// What a value of the graph is declared as.
struct Value {
    enum class Kind : std::uint8_t { none, tensor, sequence, map, optional, sparse_tensor };

    std::string name;
    Kind kind = Kind::none;
    std::int32_t elem_type = 0;
    bool has_shape = false;
    std::vector<std::optional<std::int64_t>> shape;  ///< nothing: any size
};

struct Graph {
    std::vector<Node> node;
    std::string name;        ///< only written
    std::string doc_string;  ///< only written
    std::vector<Tensor> initializer;
    bool has_sparse_initializer = false;
    std::vector<Value> input;
    std::vector<Value> output;
};

struct OperatorSet {
    std::string domain;
    std::int64_t version = 0;
};

struct Model {
    std::int64_t ir_version = 0;  ///< only written
    std::string producer_name;    ///< only written
    std::vector<OperatorSet> opset_import;
    std::optional<Graph> graph;
    bool has_functions = false;
};

/// The name of an attribute's type, as onnx.proto has it.
std::string_view attribute_type_name(std::int32_t type);

/// Read the bytes of a file; false where they are no message.
bool read(std::string_view bytes, Model& model);
bool read(std::string_view bytes, Tensor& tensor);

}  // namespace gathercheck::onnx_messages
