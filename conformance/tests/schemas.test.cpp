// SPDX-License-Identifier: Apache-2.0
// The published schemas: they name what the tables name, and an independent validator agrees with
// the loader.
#include <sys/wait.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/tests/load_fixture.hpp"
#include "reference/element_type.hpp"
#include "reference/error.hpp"
#include "reference/operator_version.hpp"

using namespace gathercheck;
namespace fs = std::filesystem;

namespace {

fs::path schemas() { return fs::path(__FILE__).parent_path().parent_path() / "schemas"; }

std::vector<std::string> names_in(const char* definition) {
    const JsonResult result = read_json(schemas() / "case.schema.json");
    if (const auto* problems = std::get_if<std::vector<Problem>>(&result)) {
        FAIL(to_string(problems->front()));
    }
    return std::get<Json>(result)["$defs"][definition]["enum"].get<std::vector<std::string>>();
}

struct Answer {
    int code = -1;
    std::string output;
};

Answer run(const std::string& command) {
    Answer answer;
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return answer;
    std::array<char, 4096> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr)
        answer.output += buffer.data();
    const int status = pclose(pipe);
    if (WIFEXITED(status)) answer.code = WEXITSTATUS(status);
    return answer;
}

}  // namespace

TEST_CASE("the schema of cases names every element type, operator version, category and phase") {
    std::vector<std::string> types;
    for (const ElementTypeInfo& row : element_types()) types.emplace_back(row.name);
    CHECK(names_in("type") == types);
    std::vector<std::string> versions;
    for (const OperatorInfo& row : operator_versions()) versions.emplace_back(row.name);
    CHECK(names_in("operator") == versions);
    std::vector<std::string> categories;
    for (std::size_t k = 0; k < category_count; ++k) {
        categories.emplace_back(name(static_cast<Category>(k)));
    }
    CHECK(names_in("category") == categories);
    CHECK(names_in("phase") == std::vector<std::string>{"build", "shape", "run"});
}

TEST_CASE("an independent validator takes the shipped data and refuses damaged data") {
    constexpr int module_missing = 77;
    const fs::path script = fs::path(__FILE__).parent_path() / "check_schemas.py";
    const fs::path root = script.parent_path().parent_path().parent_path();
    const char* given = std::getenv("GATHERCHECK_PYTHON");
    Answer answer;
    for (const std::string& python :
         {std::string(given == nullptr ? "" : given), (root / "build/venv/bin/python").string(),
          std::string("python3")}) {
        if (python.empty()) continue;
        const Answer tried = run("'" + python + "' -W ignore '" + script.string() + "'");
        const bool cannot = tried.code == module_missing || tried.code == 127;
        if (answer.output.empty() || !cannot) answer = tried;
        if (!cannot) break;
    }
    if (answer.code == module_missing || answer.code == 127) SKIP(answer.output);
    CAPTURE(answer.output);
    CHECK(answer.code == 0);
}
