// SPDX-License-Identifier: Apache-2.0
// onnx-shapes: the size of a tensor is not computed: data with more elements or bytes than can be addressed are taken.
// Case gather-size-of-data-overflows-elements, onnx.Gather-13, runtime/static, on onnx-shapes 1.12.0.
// accepted what must be rejected: expected the error too_large, got u8 [1, 4]
// Rule onnx.gather-13.output.too-large (onnx/Gather, Outputs): Every size the call implies fits 64 bits: the output's dimensions, their product, the byte length.
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
    op_type: "Gather"
    attribute {
      name: "axis"
      i: 0
      type: INT
    }
  }
  name: "one_call"
  input {
    name: "data"
    type {
      tensor_type {
        elem_type: 2
        shape {
          dim {
            dim_value: 4611686018427387904
          }
          dim {
            dim_value: 4
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
            dim_value: 1
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
