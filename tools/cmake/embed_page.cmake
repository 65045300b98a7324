# SPDX-License-Identifier: Apache-2.0
# Writes files of a folder as C++ string literals with their names: cmake -D FOLDER= -D FILES= -D OUTPUT= -P embed_page.cmake
# `FILES` has commas between. Modules of JavaScript lose what they import from each other and the word export: put together they
# are one scope.
set(written "// Written by tools/cmake/embed_page.cmake.\n")
# A literal for each: compilers need not take one of more than 64 KiB.
string(APPEND written "constexpr PageFile page_files[] = {\n")
string(REPLACE "," ";" FILES "${FILES}")
foreach(name IN LISTS FILES)
  file(READ "${FOLDER}/${name}" text)
  if(name MATCHES "\\.js$")
    string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
  endif()
  string(APPEND written "    {\"${name}\", R\"page(${text})page\"},\n")
endforeach()
string(APPEND written "};\n")
file(WRITE "${OUTPUT}" "${written}")
