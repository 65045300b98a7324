# SPDX-License-Identifier: Apache-2.0
# Mutants of the optimized library: for each planted bug of mutants.txt a shared library, in which the file with the bug is
# compiled anew and all else is what gathercheck_optimized has. They are made by the target gathercheck_kernel_mutants, which is
# not part of all; `gathercheck mutants --kernels` finds them beside the command. AVX2, since it has all kinds of kernels and
# most CPUs have it, and -O1: what they take is time to compile.
set(folder "${CMAKE_CURRENT_LIST_DIR}")
set(list "${folder}/mutants.txt")
set(libraries "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/gathercheck/kernel_mutants")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")

set(mutated_flags ${baseline} ${flags_avx2} -O1 -w)
set(hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
# xsimd takes nine tenths of the time of a file that includes it. Compiled with all flags that the mutants have: else it is not used.
add_library(gathercheck_mutant_pch OBJECT EXCLUDE_FROM_ALL "${folder}/precompiled.cpp")
gathercheck_target(gathercheck_mutant_pch)
set_target_properties(gathercheck_mutant_pch PROPERTIES ${hidden})
target_link_libraries(gathercheck_mutant_pch PRIVATE xsimd)
target_compile_options(gathercheck_mutant_pch PRIVATE ${mutated_flags})
target_precompile_headers(gathercheck_mutant_pch PRIVATE <xsimd/xsimd.hpp>)

add_library(gathercheck_mutant_runner OBJECT EXCLUDE_FROM_ALL "${folder}/runner.cpp")
gathercheck_target(gathercheck_mutant_runner)

add_custom_target(gathercheck_kernel_mutants)
set(names)
file(STRINGS "${list}" lines REGEX "^(mutant|in): ")
list(APPEND lines "mutant: ")
foreach(line IN LISTS lines)
  if(line MATCHES "^in: (.*)")
    set(file "${CMAKE_MATCH_1}")
    continue()
  endif()
  if(name)
    set(copy "${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}")
    set(target gathercheck_mutant_${name})
    set(changed)
    if(file)
      set(changed BYPRODUCTS "${copy}/optimized/${file}")
    endif()
    add_custom_command(
      OUTPUT "${copy}/planted.cpp" ${changed} COMMAND "${Python3_EXECUTABLE}" -B "${folder}/plant.py" "${list}" "${PROJECT_SOURCE_DIR}" ${name} "${copy}"
      DEPENDS "${list}" "${folder}/plant.py" "${CMAKE_CURRENT_SOURCE_DIR}/${file}"
      VERBATIM)
    add_library(${target} MODULE EXCLUDE_FROM_ALL "${copy}/planted.cpp" $<TARGET_OBJECTS:gathercheck_mutant_runner>)
    gathercheck_target(${target})
    target_include_directories(${target} BEFORE PRIVATE "${copy}")
    target_compile_options(${target} PRIVATE -O1 -w)
    if(file MATCHES "^kernels/")
      target_compile_options(${target} PRIVATE ${mutated_flags})
      target_link_libraries(${target} PRIVATE xsimd)
      target_precompile_headers(${target} REUSE_FROM gathercheck_mutant_pch)
    endif()
    # The linker takes of an archive only what is not there yet: never the file whose place a mutant's takes.
    target_link_libraries(${target} PRIVATE gathercheck_optimized gathercheck_reference)
    target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${libraries}" DEFINE_SYMBOL "" ${hidden})
    add_dependencies(gathercheck_kernel_mutants ${target})
    list(APPEND names ${name})
  endif()
  set(file)
  string(REGEX REPLACE "^mutant: " "" name "${line}")
endforeach()
list(JOIN names "\n" names)
file(CONFIGURE OUTPUT "${libraries}/names.txt" CONTENT "${names}\n" @ONLY)

add_test(NAME "optimized: every bug of the kernels' mutants can be planted"
         COMMAND "${Python3_EXECUTABLE}" -B "${folder}/plant.py" "${list}" "${PROJECT_SOURCE_DIR}")
set_tests_properties("optimized: every bug of the kernels' mutants can be planted" PROPERTIES LABELS optimized)
add_test(NAME "optimized: the kernels' mutants are built"
         COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target gathercheck_kernel_mutants --parallel 2)
set_tests_properties("optimized: the kernels' mutants are built" PROPERTIES LABELS optimized TIMEOUT 1200 PROCESSORS 2
                                                                            FIXTURES_SETUP kernel_mutants)
