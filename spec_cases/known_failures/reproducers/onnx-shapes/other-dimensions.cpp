// SPDX-License-Identifier: Apache-2.0
// onnx-shapes: the output's shape is that of the indices: ranks and dimensions are not compared with those of data.
// Case gather-elements-shape-only-mismatch, onnx.GatherElements-13, runtime/static, on onnx-shapes 1.12.0.
// accepted what must be rejected: expected the error shape_mismatch, got f32 [3, 3]
// Rule onnx.gather-elements-13.shape.other-dims (onnx/GatherElements-13, Description): Beside the axis, no dimension of indices is larger than data's; whether it may be smaller is not said.
// shows: a description
// g++ -DONNX_ML=1 -DONNX_NAMESPACE=onnx THIS_FILE -lonnx -lonnx_proto -lprotobuf
// Given the name of a file, it saves the model there.
#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
    onnx::ModelProto model;
    google::protobuf::TextFormat::ParseFromString(R"model(
ir_version: 8
graph {
  node {
    input: "data"
    input: "indices"
    output: "output"
    op_type: "GatherElements"
    attribute {
      name: "axis"
      i: 1
      type: INT
    }
  }
  name: "one_call"
  input {
    name: "data"
    type {
      tensor_type {
        elem_type: 1
        shape {
          dim {
            dim_value: 2
          }
          dim {
            dim_value: 3
          }
        }
      }
    }
  }
  input {
    name: "indices"
    type {
      tensor_type {
        elem_type: 7
        shape {
          dim {
            dim_value: 3
          }
          dim {
            dim_value: 3
          }
        }
      }
    }
  }
  output {
    name: "output"
  }
}
opset_import {
  version: 13
}
)model", &model);
    if (argc > 1) {
        std::ofstream file(argv[1], std::ios::binary);
        model.SerializeToOstream(&file);
    }
    try {
        onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                           onnx::ShapeInferenceOptions(true, 1, true));
        std::cout << "output " << model.graph().output(0).ShortDebugString() << '\n';
    } catch (const std::exception& error) {
        std::cout << "rejected " << error.what() << '\n';
    }
}
