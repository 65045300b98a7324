// SPDX-License-Identifier: Apache-2.0
// The published schemas: they name what the tables name, and an independent validator agrees with
// the loader.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/tests/load_fixture.hpp"
#include "conformance/tests/places.hpp"
#include "conformance/tests/python.hpp"
#include "reference/element_type.hpp"
#include "reference/error.hpp"
#include "reference/operator_version.hpp"

using namespace gathercheck;
namespace fs = std::filesystem;

namespace {

fs::path schemas() { return fixture::source_tree() / "conformance/schemas"; }

std::vector<std::string> names_in(const char* definition) {
    const JsonResult result = read_json(schemas() / "case.schema.json");
    if (const auto* problems = std::get_if<std::vector<Problem>>(&result)) {
        FAIL(to_string(problems->front()));
    }
    return std::get<Json>(result)["$defs"][definition]["enum"].get<std::vector<std::string>>();
}

}  // namespace

TEST_CASE("the schema of cases names every element type, operator version, category and phase") {
    INFO("name them in conformance/schemas/case.schema.json, in the order of their table");
    std::vector<std::string> types;
    for (const ElementTypeInfo& row : element_types()) types.emplace_back(row.name);
    CHECK(names_in("type") == types);
    std::vector<std::string> versions;
    for (const OperatorInfo& row : operator_versions().first(enumerated_version_count)) {
        versions.emplace_back(row.name);
    }
    CHECK(names_in("enumerated_operator") == versions);
    std::vector<std::string> categories;
    for (std::size_t k = 0; k < category_count; ++k) {
        categories.emplace_back(name(static_cast<Category>(k)));
    }
    CHECK(names_in("category") == categories);
    CHECK(names_in("phase") == std::vector<std::string>{"build", "shape", "run"});
}

TEST_CASE("an independent validator takes the shipped data and refuses damaged data") {
    const PythonAnswer answer =
        run_python(fixture::source_tree() / "conformance/tests/check_schemas.py");
    if (answer.cannot()) SKIP(answer.output);
    CAPTURE(answer.output);
    CHECK(answer.code == 0);
}
