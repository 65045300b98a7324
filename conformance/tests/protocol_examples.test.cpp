// SPDX-License-Identifier: Apache-2.0
// The examples of protocol.md and the kept session of version 1: the runner takes what they say it
// takes, refuses what they say it refuses, and an independent validator agrees.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "conformance/implementations/worker/protocol.hpp"
#include "conformance/tests/places.hpp"
#include "conformance/tests/python.hpp"
#include "conformance/util/json.hpp"
#include "reference/element_type.hpp"
#include "reference/error.hpp"

using namespace gathercheck;
namespace fs = std::filesystem;

namespace {

fs::path conformance() { return fixture::source_tree() / "conformance"; }

std::vector<std::string> lines_of(const fs::path& path) {
    std::ifstream stream(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

struct Counts {
    int asked = 0;
    int taken = 0;
    int refused = 0;
};

/// Why the runner refuses an answer to the message asked; empty where it takes it.
std::string refusal(const Json& asked, const std::string& answer) {
    const auto kind = asked.at("message").get<std::string>();
    const auto why = [](const auto& read) {
        const auto* malformed = std::get_if<Malformed>(&read);
        return malformed == nullptr ? std::string() : malformed->why;
    };
    if (kind == "hello") return why(read_hello(answer));
    const auto seq = asked.at("seq").get<std::int64_t>();
    if (kind == "reproduce") return why(read_source(answer, seq));
    return why(read_answer(answer, seq, kind == "describe"));
}

/// Checks the lines "-> ...", "<- ..." and "<! ..." of a file.
Counts check_session(const fs::path& path) {
    Counts counts;
    Json asked;
    const std::vector<std::string> lines = lines_of(path);
    for (std::size_t k = 0; k < lines.size(); ++k) {
        const std::string arrow = lines[k].substr(0, 3);
        const std::string text = lines[k].size() > 3 ? lines[k].substr(3) : std::string();
        CAPTURE(path.filename().string(), k + 1, text);
        if (arrow == "-> ") {
            const JsonResult parsed = parse_json(text, "line");
            REQUIRE(std::holds_alternative<Json>(parsed));
            asked = std::get<Json>(parsed);
            ++counts.asked;
        } else if (arrow == "<- ") {
            REQUIRE(asked.is_object());
            CHECK(refusal(asked, text).empty());
            ++counts.taken;
        } else if (arrow == "<! ") {
            REQUIRE(asked.is_object());
            REQUIRE(k + 1 < lines.size());
            CHECK(refusal(asked, text) == lines[k + 1].substr(3));
            ++counts.refused;
        }
    }
    return counts;
}

}  // namespace

TEST_CASE("the runner takes and refuses what the protocol's document says") {
    const Counts counts = check_session(conformance() / "protocol.md");
    CHECK(counts.asked >= 8);
    CHECK(counts.taken >= 20);
    CHECK(counts.refused >= 15);
}

TEST_CASE("the runner takes what a worker of version 1 said when that was new") {
    const Counts counts = check_session(conformance() / "tests/adapters_v1/session.txt");
    CHECK(counts.asked >= 20);
    CHECK(counts.taken >= 20);
}

TEST_CASE("the protocol's document shows the hello that is sent, and today's versions") {
    const std::vector<std::string> lines = lines_of(conformance() / "protocol.md");
    const auto hello = hello_message();
    CHECK(std::ranges::count(lines, "-> " + hello.substr(0, hello.size() - 1)) == 2);
    CHECK(lines.front() == "# The worker protocol, version " + std::to_string(protocol_max));
}

TEST_CASE("the protocol's document names every element type and category") {
    std::string text;
    for (const std::string& line : lines_of(conformance() / "protocol.md")) text += line + "\n";
    const auto names = [&](std::string_view word) {
        for (std::size_t at = text.find(word); at != std::string::npos;
             at = text.find(word, at + 1)) {
            const auto is_edge = [&](std::size_t place) {
                return place >= text.size() || text[place] == '`' || text[place] == ' ';
            };
            if (is_edge(at - 1) && is_edge(at + word.size())) return true;
        }
        return false;
    };
    for (const ElementTypeInfo& row : element_types()) {
        CAPTURE(row.name);
        CHECK(names(row.name));
    }
    for (std::size_t k = 0; k < category_count; ++k) {
        CAPTURE(name(static_cast<Category>(k)));
        CHECK(names(name(static_cast<Category>(k))));
    }
}

TEST_CASE("an independent validator agrees with the runner about the protocol's examples") {
    const fs::path tests = conformance() / "tests";
    const PythonAnswer answer = run_python(
        tests / "check_protocol.py", "'" + (tests / "adapters_v1/session.txt").string() + "'");
    if (answer.cannot()) SKIP(answer.output);
    CAPTURE(answer.output);
    CHECK(answer.code == 0);
}
