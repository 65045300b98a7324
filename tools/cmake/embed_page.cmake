# SPDX-License-Identifier: Apache-2.0
# Writes the files of conformance/report/page/ as C++ string literals: cmake -D FOLDER= -D MODULES= -D OUTPUT= -P embed_page.cmake
# The modules become one: what they import from each other is in one scope, in the order given. `MODULES` has commas between.
set(written "// Written by tools/cmake/embed_page.cmake.\n")
foreach(name IN ITEMS index.html style.css)
  file(READ "${FOLDER}/${name}" text)
  string(MAKE_C_IDENTIFIER "page_${name}" identifier)
  string(APPEND written "constexpr std::string_view ${identifier} = R\"page(${text})page\";\n")
endforeach()
# A literal for each: compilers need not take one of more than 64 KiB.
string(APPEND written "constexpr std::string_view page_modules[] = {\n")
string(REPLACE "," ";" MODULES "${MODULES}")
foreach(module IN LISTS MODULES)
  file(READ "${FOLDER}/${module}" text)
  string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
  string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
  string(APPEND written "    R\"page(${text})page\",\n")
endforeach()
string(APPEND written "};\n")
file(WRITE "${OUTPUT}" "${written}")
