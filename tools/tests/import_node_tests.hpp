// SPDX-License-Identifier: Apache-2.0
// Node tests that a test writes itself, with libonnx, and then spoils as it needs.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace gathercheck::test {

/// The bytes of values, as raw_data has them on a little-endian platform.
template <class Value>
std::string raw_bytes(std::initializer_list<Value> values) {
    std::string bytes;
    for (const Value& value : values) {
        std::string one(sizeof value, '\0');
        std::memcpy(one.data(), &value, sizeof value);
        bytes += one;
    }
    return bytes;
}

inline onnx::TensorProto tensor_of(int data_type, std::initializer_list<std::int64_t> dims) {
    onnx::TensorProto tensor;
    tensor.set_data_type(data_type);
    for (const std::int64_t dim : dims) tensor.add_dims(dim);
    return tensor;
}

inline onnx::TensorProto raw_tensor(int data_type, std::initializer_list<std::int64_t> dims,
                                    std::string bytes) {
    onnx::TensorProto tensor = tensor_of(data_type, dims);
    tensor.set_raw_data(std::move(bytes));
    return tensor;
}

inline void declare(onnx::ValueInfoProto& value, const std::string& name,
                    const onnx::TensorProto& tensor) {
    value.set_name(name);
    auto& type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(tensor.data_type());
    type.mutable_shape();
    for (const std::int64_t dim : tensor.dims()) {
        type.mutable_shape()->add_dim()->set_dim_value(dim);
    }
}

inline void set_attribute(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
}

inline void write_file(const std::filesystem::path& file, const std::string& content) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
}

struct DataSetFiles {
    std::vector<onnx::TensorProto> inputs;
    std::vector<onnx::TensorProto> outputs;
};

/// A node test in memory: y = operator(x, indices).
struct NodeTestFiles {
    onnx::ModelProto model;
    std::vector<DataSetFiles> sets;

    NodeTestFiles(const std::string& type, int opset, const onnx::TensorProto& data,
                  const onnx::TensorProto& indices, const onnx::TensorProto& output) {
        model.set_ir_version(7);
        model.add_opset_import()->set_version(opset);
        onnx::GraphProto& graph = *model.mutable_graph();
        onnx::NodeProto& only = *graph.add_node();
        only.set_op_type(type);
        only.add_input("x");
        only.add_input("indices");
        only.add_output("y");
        declare(*graph.add_input(), "x", data);
        declare(*graph.add_input(), "indices", indices);
        declare(*graph.add_output(), "y", output);
        sets.push_back({{data, indices}, {output}});
    }

    onnx::GraphProto& graph() { return *model.mutable_graph(); }
    onnx::NodeProto& node() { return *model.mutable_graph()->mutable_node(0); }

    /// Writes model.onnx and test_data_set_0, _1, ...
    void write(const std::filesystem::path& folder) const {
        write_file(folder / "model.onnx", model.SerializeAsString());
        for (std::size_t set = 0; set < sets.size(); ++set) {
            const auto inside = folder / ("test_data_set_" + std::to_string(set));
            std::filesystem::create_directories(inside);
            for (std::size_t k = 0; k < sets[set].inputs.size(); ++k) {
                write_file(inside / ("input_" + std::to_string(k) + ".pb"),
                           sets[set].inputs[k].SerializeAsString());
            }
            for (std::size_t k = 0; k < sets[set].outputs.size(); ++k) {
                write_file(inside / ("output_" + std::to_string(k) + ".pb"),
                           sets[set].outputs[k].SerializeAsString());
            }
        }
    }
};

/// Rows 2 and 0 of [[1, 2], [3, 4], [5, 6]].
inline NodeTestFiles two_rows(int opset = 13) {
    using onnx::TensorProto;
    NodeTestFiles test("Gather", opset,
                       raw_tensor(TensorProto::FLOAT, {3, 2}, raw_bytes<float>({1, 2, 3, 4, 5, 6})),
                       raw_tensor(TensorProto::INT64, {2}, raw_bytes<std::int64_t>({2, 0})),
                       raw_tensor(TensorProto::FLOAT, {2, 2}, raw_bytes<float>({5, 6, 1, 2})));
    set_attribute(test.node(), "axis", 0);
    return test;
}

}  // namespace gathercheck::test
