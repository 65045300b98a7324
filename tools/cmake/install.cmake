# SPDX-License-Identifier: Apache-2.0
# What is installed, in two components: the command with its cases and adapters, and the libraries with their headers as packages
# of CMake and pkg-config.
include(CMakePackageConfigHelpers)

set(share "${CMAKE_INSTALL_DATADIR}/gathercheck")
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/gathercheck")

if(GATHERCHECK_TOOLS)
  install(TARGETS gathercheck RUNTIME COMPONENT command)
  if(TARGET gathercheck_onnx_shapes)
    install(TARGETS gathercheck_onnx_shapes RUNTIME COMPONENT command)
  endif()
  install(DIRECTORY spec_cases/ DESTINATION "${share}/spec_cases" COMPONENT command)
  install(DIRECTORY conformance/adapters/ DESTINATION "${share}/adapters" COMPONENT command FILES_MATCHING PATTERN "*.py" PATTERN "*.mjs"
          PATTERN "Cargo.*" PATTERN "*.go" PATTERN "go.*" PATTERN tests EXCLUDE PATTERN __pycache__ EXCLUDE)
  # The protocol of workers lies to its schemas, and to the known failures, as in the source tree, for the links between them.
  install(FILES conformance/protocol.md DESTINATION "${share}/conformance" COMPONENT command)
  install(DIRECTORY conformance/schemas/ DESTINATION "${share}/conformance/schemas" COMPONENT command)
  install(FILES conformance/plugin.h conformance/adapters/gathercheck_worker.hpp DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/gathercheck"
          COMPONENT command)
  install(FILES tools/examples/my_plugin.c tools/examples/my_worker.cpp tools/examples/my_worker.py DESTINATION "${share}/examples"
          COMPONENT command)
endif()

# The headers are written when they are installed, from those that are in the source tree then.
set(headers "${PROJECT_BINARY_DIR}/headers")
install(CODE "include(\"${CMAKE_CURRENT_LIST_DIR}/headers.cmake\")
gathercheck_write_headers(\"${PROJECT_SOURCE_DIR}\" \"${headers}\" written reference optimized)" COMPONENT development)
install(DIRECTORY "${headers}/gathercheck" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)

install(TARGETS gathercheck_reference gathercheck_optimized EXPORT gathercheck ARCHIVE COMPONENT development LIBRARY
        COMPONENT development)
if(GATHERCHECK_TOOLS)
  install(TARGETS gathercheck_plugin_fuzzer EXPORT gathercheck ARCHIVE COMPONENT development)
endif()
install(EXPORT gathercheck NAMESPACE gathercheck:: FILE gathercheckTargets.cmake DESTINATION "${package}" COMPONENT development)
configure_package_config_file(tools/cmake/gathercheckConfig.cmake.in "${PROJECT_BINARY_DIR}/gathercheckConfig.cmake"
                              INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/gathercheckConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/gathercheckConfig.cmake" "${PROJECT_BINARY_DIR}/gathercheckConfigVersion.cmake"
        DESTINATION "${package}" COMPONENT development)

if(GATHERCHECK_TOOLS)
  include(wheel)
endif()

# pkg-config: the prefix is found from the place of the file, so that the tree can be moved. Of a static library everything that
# it needs is to be linked, too.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE prefix)
set(prefix "\${pcfiledir}/${prefix}")
foreach(folder IN ITEMS INCLUDEDIR LIBDIR)
  set(${folder} "\${prefix}")
  cmake_path(APPEND ${folder} "${CMAKE_INSTALL_${folder}}")
endforeach()
set(tbb)
if(TBB_FOUND AND NOT BUILD_SHARED_LIBS)
  set(tbb tbb)
endif()
set(packages gathercheck gathercheck-optimized)
if(GATHERCHECK_TOOLS)
  list(APPEND packages gathercheck-plugin-fuzzer)
endif()
foreach(file IN LISTS packages)
  configure_file(tools/cmake/${file}.pc.in ${file}.pc @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${file}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endforeach()

# The documents lie as in the source tree, for the links between them.
file(GLOB documents RELATIVE "${PROJECT_SOURCE_DIR}" LICENSE README.md */README.md conformance/protocol.md tools/CHANGELOG.md tools/picture.svg)
foreach(document IN LISTS documents)
  cmake_path(GET document PARENT_PATH parent)
  install(FILES "${document}" DESTINATION "${CMAKE_INSTALL_DOCDIR}/${parent}" COMPONENT development)
endforeach()
