# SPDX-License-Identifier: Apache-2.0
# What is installed, in two components: the command with its cases and adapters, and the libraries as a CMake package.
include(CMakePackageConfigHelpers)

set(share "${CMAKE_INSTALL_DATADIR}/gathercheck")
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/gathercheck")

install(TARGETS gathercheck RUNTIME COMPONENT command)
if(TARGET gathercheck_onnx_shapes)
  install(TARGETS gathercheck_onnx_shapes RUNTIME COMPONENT command)
endif()
install(DIRECTORY spec_cases/ DESTINATION "${share}/spec_cases" COMPONENT command)
install(DIRECTORY conformance/adapters/ DESTINATION "${share}/adapters" COMPONENT command FILES_MATCHING PATTERN "*.py" PATTERN "*.hpp"
        PATTERN "*.mjs" PATTERN "Cargo.*" PATTERN tests EXCLUDE PATTERN __pycache__ EXCLUDE)
install(FILES conformance/plugin.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/gathercheck" COMPONENT command)
install(FILES tools/examples/my_plugin.c tools/examples/my_worker.cpp tools/examples/my_worker.py DESTINATION "${share}/examples"
        COMPONENT command)

install(TARGETS gathercheck_reference gathercheck_optimized EXPORT gathercheck ARCHIVE COMPONENT development LIBRARY
        COMPONENT development)
install(DIRECTORY reference optimized DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/gathercheck" COMPONENT development
        FILES_MATCHING PATTERN "*.hpp" PATTERN tests EXCLUDE PATTERN kernels EXCLUDE)
install(EXPORT gathercheck NAMESPACE gathercheck:: FILE gathercheckTargets.cmake DESTINATION "${package}" COMPONENT development)
configure_package_config_file(tools/cmake/gathercheckConfig.cmake.in "${PROJECT_BINARY_DIR}/gathercheckConfig.cmake"
                              INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/gathercheckConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/gathercheckConfig.cmake" "${PROJECT_BINARY_DIR}/gathercheckConfigVersion.cmake"
        DESTINATION "${package}" COMPONENT development)

include(wheel)
