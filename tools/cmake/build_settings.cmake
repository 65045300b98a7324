# SPDX-License-Identifier: Apache-2.0
# What all targets of the project share: build type, warnings, sanitizers, and one way to declare tests.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
   OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14))
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} is version ${CMAKE_CXX_COMPILER_VERSION}; "
                      "needed is g++ 12 or newer, or clang 14 or newer (set CXX to one)")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(BUILD_SHARED_LIBS AND NOT DEFINED CMAKE_INSTALL_RPATH)
  set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()

if(GATHERCHECK_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(GATHERCHECK_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang") # a sixth of the time of the build, and of the tests' too
    add_compile_options("-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitize_ignorelist.txt")
  endif()
endif()

# libFuzzer comes with clang. OSS-Fuzz says in the environment what to link instead, and gives its own flags to compile with.
include(CheckCXXSourceCompiles)
set(GATHERCHECK_FUZZING_ENGINE "$ENV{LIB_FUZZING_ENGINE}")
if(NOT GATHERCHECK_FUZZING_ENGINE)
  set(GATHERCHECK_FUZZING_ENGINE -fsanitize=fuzzer)
  if(GATHERCHECK_FUZZERS)
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
endif()
if(GATHERCHECK_FUZZERS OR GATHERCHECK_SANITIZE)
  set(CMAKE_REQUIRED_LINK_OPTIONS ${GATHERCHECK_FUZZING_ENGINE})
  check_cxx_source_compiles("extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }"
                            GATHERCHECK_HAS_LIBFUZZER)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  if(GATHERCHECK_FUZZERS AND NOT GATHERCHECK_HAS_LIBFUZZER)
    message(FATAL_ERROR "GATHERCHECK_FUZZERS needs a clang with libFuzzer, which ${CMAKE_CXX_COMPILER} is not (set CXX to one)")
  endif()
endif()

# Others include our headers as <gathercheck/...>. A project that adds this one finds them so in the build tree, and by their
# names of before, without gathercheck/; these will be dropped in the next version.
if(NOT PROJECT_IS_TOP_LEVEL)
  include(headers)
  set(folders reference optimized)
  if(GATHERCHECK_TOOLS)
    list(APPEND folders conformance tools)
  endif()
  gathercheck_write_headers("${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/headers" read ${folders})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${read})
endif()

# Gives a target of ours its warnings and its include path: includes are relative to the root of the project.
function(gathercheck_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}" INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(NOT PROJECT_IS_TOP_LEVEL)
    # The warnings that others ask for are about their code, not about ours.
    target_compile_options(${target} PRIVATE -w)
    set(headers "${PROJECT_BINARY_DIR}/headers")
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${headers}> $<BUILD_INTERFACE:${headers}/gathercheck>)
    set_target_properties(${target} PROPERTIES SYSTEM ON)
    return()
  endif()
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch-enum
                                           $<$<BOOL:${GATHERCHECK_WERROR}>:-Werror>)
  # g++ 12 sees overlapping copies in its own std::string where there are none.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
endfunction()

# Declares the library gathercheck_<folder> from every .cpp file of the folder and of those in it but tests,
# adapters and kernels, which are targets of their own (gathercheck::<folder> to others).
# Sources added later are found by the next build. What it links is the folder's own business. A further argument is STATIC
# where BUILD_SHARED_LIBS is not to make it a shared library.
function(gathercheck_library folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" *.cpp)
  list(FILTER sources EXCLUDE REGEX "^(tests|adapters|kernels)/")
  if(NOT sources)
    add_library(gathercheck_${folder} INTERFACE)
    return()
  endif()
  add_library(gathercheck_${folder} ${ARGN} ${sources})
  add_library(gathercheck::${folder} ALIAS gathercheck_${folder})
  # Nothing says that two versions of the library have the same classes, but for those that differ in their PATCH.
  set_target_properties(gathercheck_${folder} PROPERTIES EXPORT_NAME ${folder} VERSION ${PROJECT_VERSION}
                                                         SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  gathercheck_target(gathercheck_${folder})
endfunction()

# gathercheck_program(<target> <variable>): the file by which tests start a program of ours as a process. Of another machine's
# that is a script that has the emulator start it.
function(gathercheck_program target variable)
  set(program "$<TARGET_FILE:${target}>")
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR "' '" emulator)
    set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.sh")
    file(GENERATE OUTPUT "${script}" CONTENT "#!/bin/sh\nexec '${emulator}' '${program}' \"$@\"\n"
         FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    set(program "${script}")
  endif()
  set(${variable} "${program}" PARENT_SCOPE)
endfunction()

# How programs run with ThreadSanitizer: oneTBB is not built with it, so that it does not see how its threads wait for each other.
set(gathercheck_thread_sanitizer "TSAN_OPTIONS=halt_on_error=1:suppressions=${PROJECT_SOURCE_DIR}/tools/tests/threads.supp")

# Declares the program <folder>_tests from tests/*.test.cpp of the folder and hands each of its tests to CTest.
# Further arguments are the libraries to link. The label is "quick-<folder>" (`ctest -L quick`: what takes a minute at most
# together), but for tools. A tag [engine] becomes the label "engine". Tests tagged [release] make many
# thousands of calls that other tests make, too: with sanitizers they take minutes and show nothing more, and are left out.
# ThreadSanitizer gets those tagged [threads], under the label "threads".
function(gathercheck_tests folder)
  if(NOT GATHERCHECK_TESTS)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS tests/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${folder}_tests ${sources})
  gathercheck_target(${folder}_tests)
  target_link_libraries(${folder}_tests PRIVATE ${ARGN} Catch2::Catch2WithMain)
  # What takes time in a test is what it tests.
  target_compile_options(${folder}_tests PRIVATE $<$<CONFIG:Release>:-O1>)
  # In-process implementations may die by design in a child process: the signal must arrive, so the sanitizers leave it.
  set(environment "ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0")
  set(seconds 300)
  set(tests "~[engine]")
  if(GATHERCHECK_SANITIZE)
    set(seconds 900)
    string(APPEND tests "~[release]")
  endif()
  set(label quick-${folder})
  if(folder STREQUAL "tools" AND NOT CMAKE_CROSSCOMPILING)
    set(label tools)
  endif()
  if(GATHERCHECK_SANITIZE STREQUAL "thread")
    set(environment "${gathercheck_thread_sanitizer}")
    string(APPEND tests "[threads]")
    set(label threads)
  endif()
  catch_discover_tests(${folder}_tests TEST_SPEC "${tests}" TEST_PREFIX "${folder}: " DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS ${label} TIMEOUT ${seconds} ENVIRONMENT ${environment})
  catch_discover_tests(${folder}_tests TEST_SPEC "[engine]" TEST_PREFIX "${folder}: " TEST_SUFFIX " (engine)"
                       DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS engine TIMEOUT 1800
                                  ENVIRONMENT "GATHERCHECK_PYTHON=${PROJECT_SOURCE_DIR}/build/venv/bin/python")
endfunction()
