# SPDX-License-Identifier: Apache-2.0
# The headers as others include them. In the source tree an include is relative to the root; for others it begins with gathercheck/,
# so that none of our folders is on their include path.

# gathercheck_write_headers(<root> <folder> <variable> <folder of the root>...): writes <folder>/gathercheck with the public headers
# of these folders and plugin.h, and removes what else is there. The variable becomes the list of the files that were read.
function(gathercheck_write_headers root folder variable)
  set(read conformance/plugin.h)
  foreach(part IN LISTS ARGN)
    file(GLOB_RECURSE headers RELATIVE "${root}" "${root}/${part}/*.hpp")
    list(APPEND read ${headers})
  endforeach()
  list(FILTER read EXCLUDE REGEX "/tests/|^conformance/adapters/|^optimized/(execute|kernels)/|^optimized/(partition|small_calls)\\.hpp$")
  set(temporary "${folder}/header")
  set(written)
  foreach(header IN LISTS read)
    string(REPLACE "conformance/plugin.h" "plugin.h" name "${header}")
    file(READ "${root}/${header}" text)
    string(REGEX REPLACE "#include \"(reference|optimized|conformance|tools)/" "#include \"gathercheck/\\1/" text "${text}")
    file(WRITE "${temporary}" "${text}")
    cmake_path(GET name PARENT_PATH parent)
    file(MAKE_DIRECTORY "${folder}/gathercheck/${parent}")
    file(COPY_FILE "${temporary}" "${folder}/gathercheck/${name}" ONLY_IF_DIFFERENT)
    list(APPEND written "${folder}/gathercheck/${name}")
  endforeach()
  file(GLOB_RECURSE others "${folder}/*")
  list(REMOVE_ITEM others ${written})
  file(REMOVE ${others})
  list(TRANSFORM read PREPEND "${root}/")
  set(${variable} "${read}" PARENT_SCOPE)
endfunction()
