// SPDX-License-Identifier: Apache-2.0
// Export: the messages of ONNX's files, written without protobuf.
#pragma once

#include <string>

#include "tools/import/onnx_messages.hpp"

namespace gathercheck::onnx_messages {

/// The bytes of a file: equal messages have equal bytes, in every build.
std::string write(const Model& model);
std::string write(const Tensor& tensor);

}  // namespace gathercheck::onnx_messages
