# SPDX-License-Identifier: Apache-2.0
# What is installed: the command with its cases and adapters, and the libraries as a CMake package.
include(CMakePackageConfigHelpers)

set(share "${CMAKE_INSTALL_DATADIR}/gathercheck")
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/gathercheck")

install(TARGETS gathercheck RUNTIME)
if(TARGET gathercheck_onnx_shapes)
  install(TARGETS gathercheck_onnx_shapes RUNTIME)
endif()
install(DIRECTORY spec_cases/ DESTINATION "${share}/spec_cases")
install(DIRECTORY conformance/adapters/ DESTINATION "${share}/adapters" FILES_MATCHING PATTERN "*.py" PATTERN "*.hpp"
        PATTERN "*.mjs" PATTERN "Cargo.*" PATTERN tests EXCLUDE PATTERN __pycache__ EXCLUDE)

install(TARGETS gathercheck_reference gathercheck_optimized EXPORT gathercheck ARCHIVE LIBRARY)
install(DIRECTORY reference optimized DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/gathercheck" FILES_MATCHING PATTERN "*.hpp"
        PATTERN tests EXCLUDE PATTERN kernels EXCLUDE)
install(FILES conformance/plugin.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/gathercheck")
install(FILES tools/examples/my_plugin.c DESTINATION "${share}/examples")
install(EXPORT gathercheck NAMESPACE gathercheck:: FILE gathercheckTargets.cmake DESTINATION "${package}")
configure_package_config_file(tools/cmake/gathercheckConfig.cmake.in "${PROJECT_BINARY_DIR}/gathercheckConfig.cmake"
                              INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/gathercheckConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/gathercheckConfig.cmake" "${PROJECT_BINARY_DIR}/gathercheckConfigVersion.cmake"
        DESTINATION "${package}")
