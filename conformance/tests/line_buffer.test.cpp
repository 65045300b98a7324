// SPDX-License-Identifier: Apache-2.0
// Lines come out of a buffer as they went in, however the bytes come.
#include "conformance/util/line_buffer.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>

using namespace gathercheck;

namespace {

void put(LineBuffer& buffer, std::string_view text) {
    while (!text.empty()) {
        const auto room = buffer.room();
        const std::size_t count = std::min(room.size(), text.size());
        std::ranges::copy(text.substr(0, count), room.begin());
        buffer.add(count);
        text.remove_prefix(count);
    }
}

}  // namespace

TEST_CASE("a buffer has a line once its newline has come") {
    LineBuffer buffer;
    CHECK_FALSE(buffer.line());
    CHECK(buffer.text().empty());
    put(buffer, "on");
    CHECK_FALSE(buffer.line());
    put(buffer, "e\ntw");
    CHECK(buffer.line() == "one");
    CHECK(buffer.text() == "one\ntw");
    put(buffer, "o\n\n");
    CHECK(buffer.line() == "one");
    buffer.drop_line();
    CHECK(buffer.line() == "two");
    buffer.drop_line();
    CHECK(buffer.line() == "");
    buffer.drop_line();
    CHECK_FALSE(buffer.line());
    CHECK(buffer.text().empty());
    put(buffer, "three");
    buffer.drop_line();  // there is none
    CHECK(buffer.text().empty());
}

TEST_CASE("a buffer that is cleared keeps what was looked at until it is written to") {
    LineBuffer buffer;
    put(buffer, "one\nrest");
    const std::string_view line = *buffer.line();
    buffer.clear();
    CHECK(line == "one");
    CHECK(buffer.text().empty());
    CHECK_FALSE(buffer.line());
    put(buffer, "two\n");
    CHECK(buffer.line() == "two");
}

TEST_CASE("lines of every length and in every piece come through a buffer") {
    std::string all;
    for (std::size_t size = 0; size < 900; ++size) all += std::string(size, 'x') + "\n";
    all += std::string(9'000'000, 'y') + "\n" + std::string(700'000, 'z') + "\n";
    LineBuffer buffer;
    std::string seen;
    std::string_view rest = all;
    for (std::size_t piece = 1; !rest.empty(); piece = piece * 2 % 100'003) {
        put(buffer, rest.substr(0, piece));
        rest.remove_prefix(std::min(piece, rest.size()));
        for (; buffer.line(); buffer.drop_line()) seen += std::string(*buffer.line()) + "\n";
    }
    CHECK(seen == all);
}
