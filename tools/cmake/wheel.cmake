# SPDX-License-Identifier: Apache-2.0
# The component wheel: what a wheel has beside the component command, and an installed tree has not. tools/python/pyproject.toml
# puts both into the folder gathercheck/ of the Python package.
set(metadata metadata)
if(SKBUILD)
  set(metadata "${SKBUILD_METADATA_DIR}")
endif()

# The module that workers in Python are written with.
install(DIRECTORY conformance/adapters/gathercheck/ DESTINATION . COMPONENT wheel EXCLUDE_FROM_ALL OPTIONAL FILES_MATCHING PATTERN "*.py")

# gathercheck_license(<name> <target> <folder>): the licence of a library of headers, which the command contains. It lies in the
# library's archive beside include/, or where a system keeps licences.
function(gathercheck_license name target folder)
  get_target_property(include ${target} INTERFACE_INCLUDE_DIRECTORIES)
  string(GENEX_STRIP "${include}" include)
  list(GET include 0 include)
  file(REAL_PATH "${include}/${folder}" headers)
  cmake_path(GET headers PARENT_PATH prefix)
  cmake_path(GET prefix PARENT_PATH prefix)
  file(GLOB texts "${prefix}/LICENSE*" "${prefix}/share/licenses/*${name}*/*" "${prefix}/share/doc/*${name}*/copyright"
       "${prefix}/share/doc/*${name}*/LICENSE*")
  if(NOT texts)
    message(STATUS "The licence of ${name} was not found below ${prefix}; a wheel that is passed on needs it")
    return()
  endif()
  list(GET texts 0 text)
  install(FILES "${text}" DESTINATION "${metadata}/licenses" RENAME "${name}.txt" COMPONENT wheel EXCLUDE_FROM_ALL)
endfunction()

gathercheck_license(xsimd xsimd xsimd)
gathercheck_license(nlohmann nlohmann_json::nlohmann_json nlohmann)
gathercheck_license(cli11 CLI11::CLI11 CLI)
install(FILES LICENSE DESTINATION "${metadata}/licenses" RENAME gathercheck.txt COMPONENT wheel EXCLUDE_FROM_ALL)

set(GATHERCHECK_RUNTIME_LICENSES "" CACHE PATH "Folder with the licences of the C++ runtime, where the command contains it")
mark_as_advanced(GATHERCHECK_RUNTIME_LICENSES)
if(GATHERCHECK_RUNTIME_LICENSES)
  install(DIRECTORY "${GATHERCHECK_RUNTIME_LICENSES}/" DESTINATION "${metadata}/licenses" COMPONENT wheel EXCLUDE_FROM_ALL)
endif()
