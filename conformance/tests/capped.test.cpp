// SPDX-License-Identifier: Apache-2.0
// Texts cut to what is kept of them.
#include "conformance/util/capped.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace gathercheck;

TEST_CASE("the start of a text does not end within a character") {
    CHECK(start_of("abc", 3) == "abc");
    CHECK(start_of("abc", 2) == "ab");
    CHECK(start_of("a\u00e9b", 2) == "a");
    CHECK(start_of("a\u00e9b", 3) == "a\u00e9");
    CHECK(start_of("\U0001F600!", 3).empty());
    CHECK(start_of("\U0001F600!", 4) == "\U0001F600");
    CHECK(start_of("\x80\x80\x80\x80\x80\x80", 5) == "\x80\x80\x80\x80\x80");
}

TEST_CASE("a message of 4 KiB is kept whole, a longer one by its start") {
    CHECK(capped(std::string(4096, 'x')) == std::string(4096, 'x'));
    CHECK(capped(std::string(4097, 'x')) == std::string(4096, 'x') + "... (1 bytes more)");
    CHECK(capped(std::string(4095, 'x') + "\u00e9") ==
          std::string(4095, 'x') + "... (2 bytes more)");
}
