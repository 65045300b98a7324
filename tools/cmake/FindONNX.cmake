# SPDX-License-Identifier: Apache-2.0
# Finds libonnx and the protobuf library that its messages need; defines the target gathercheck::onnx.
# ONNX's own package file, where there is one, says nothing of ONNX_ML, ONNX_NAMESPACE or protobuf.
include(FindPackageHandleStandardArgs)

find_path(ONNX_INCLUDE_DIR onnx/onnx-ml.pb.h)
find_library(ONNX_LIBRARY onnx)
find_library(ONNX_PROTO_LIBRARY onnx_proto)
mark_as_advanced(ONNX_INCLUDE_DIR ONNX_LIBRARY ONNX_PROTO_LIBRARY)
# Newer releases of protobuf need their own package file, older ones have none.
find_package(Protobuf QUIET CONFIG)
if(NOT TARGET protobuf::libprotobuf)
  find_package(Protobuf QUIET MODULE)
endif()
if(TARGET protobuf::libprotobuf)
  set(ONNX_PROTOBUF_TARGET protobuf::libprotobuf)
endif()

find_package_handle_standard_args(ONNX REQUIRED_VARS ONNX_LIBRARY ONNX_PROTO_LIBRARY ONNX_INCLUDE_DIR ONNX_PROTOBUF_TARGET)

if(ONNX_FOUND AND NOT TARGET gathercheck::onnx)
  add_library(gathercheck::onnx INTERFACE IMPORTED)
  set_target_properties(
    gathercheck::onnx
    PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${ONNX_INCLUDE_DIR}"
               INTERFACE_COMPILE_DEFINITIONS "ONNX_ML=1;ONNX_NAMESPACE=onnx"
               INTERFACE_LINK_LIBRARIES "${ONNX_LIBRARY};${ONNX_PROTO_LIBRARY};${ONNX_PROTOBUF_TARGET}")
endif()
