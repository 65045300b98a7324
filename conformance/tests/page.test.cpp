// SPDX-License-Identifier: Apache-2.0
// The page of a report: one file with the data in it, whatever texts of others say.
#include "conformance/report/page.hpp"

#include <stdlib.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "conformance/tests/temporary.hpp"
#include "conformance/util/base64.hpp"
#include "conformance/util/gzip.hpp"
#include "conformance/util/input_file.hpp"

namespace gathercheck {
namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string decompressed(const std::string& bytes) {
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "data.gz", std::ios::binary) << bytes;
    InputFile file(folder.path() / "data.gz");
    std::string text;
    std::array<char, 4096> block;
    for (std::size_t count = file.read(block); count > 0; count = file.read(block)) {
        text.append(block.data(), count);
    }
    CHECK(file.fault().empty());
    return text;
}

/// What stands between the first `begin` and the `end` that follows.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
    const std::size_t from = text.find(begin) + begin.size();
    return text.substr(from, text.find(end, from) - from);
}

}  // namespace

TEST_CASE("gzip compresses what is written, more than a pipe holds, too") {
    const std::string long_text(std::size_t{3} << 20, 'a');
    const auto bytes = gzipped(long_text + "end");
    REQUIRE(bytes);
    CHECK(bytes->size() < long_text.size() / 100);
    CHECK(decompressed(*bytes) == long_text + "end");
    CHECK(decompressed(gzipped("").value_or("none")).empty());
}

TEST_CASE("gzip may take its time between the last byte and its end") {
    const test::TemporaryFolder folder;
    const auto program = folder.path() / "gzip";
    std::ofstream(program) << "#!/bin/sh\n"
                              "PATH=${PATH#*:} gzip \"$@\"\n"
                              "exec >&- 2>&-\n"
                              "sleep 0.2\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const std::string path = ::getenv("PATH");
    ::setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
    const auto bytes = gzipped("text");
    const auto text = bytes ? decompressed(*bytes) : "";
    ::setenv("PATH", path.c_str(), 1);
    REQUIRE(bytes);
    CHECK(text == "text");
}

TEST_CASE("the data of a page is in it, compressed") {
    const std::string html = page_html({"title", "text", R"({"of":"others"})"});
    const auto bytes =
        base64_decode(between(html, R"(<script id="data" type="application/gzip">)", "</script>"));
    REQUIRE(bytes);
    CHECK(decompressed(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())) ==
          R"({"of":"others"})");
}

TEST_CASE("what others write is no markup of a page, and takes no place in it") {
    const std::string html =
        page_html({"a <title> of /*script*/", "<b> <!--data--> /*style*/", "{}"});
    CHECK(has(html, "<title>a &lt;title&gt; of /*script*/</title>"));
    CHECK(has(html, "<pre>&lt;b&gt; &lt;!--data--&gt; /*style*/</pre>"));
    CHECK(!has(html, "<b>"));
    CHECK(has(html, "<style>/* SPDX-License-Identifier"));
    CHECK(has(html, "<script type=\"module\">// SPDX-License-Identifier"));
}

TEST_CASE("the modules of a page are one script, which imports and exports nothing") {
    const std::string html = page_html({"title", "text", "{}"});
    CHECK(!has(html, "\nimport "));
    CHECK(!has(html, "\nexport "));
    CHECK(has(html, "\nfunction "));
}

}  // namespace gathercheck
