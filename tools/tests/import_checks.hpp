// SPDX-License-Identifier: Apache-2.0
// What tests of the import ask of its cases: that the loader takes them, and the reference's
// answer.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/load/load.hpp"
#include "conformance/util/problem.hpp"
#include "reference/reference.hpp"

namespace gathercheck::test {

inline RuleCatalogue catalogue() {
    auto rules = load_rules(std::filesystem::path(GATHERCHECK_SPEC_CASES) / "rules");
    REQUIRE(std::holds_alternative<RuleCatalogue>(rules));
    return std::get<RuleCatalogue>(std::move(rules));
}

/// The cases of an import, as the loader sees them.
inline std::vector<Case> load(const std::string& json) {
    auto loaded = load_cases_text(json, "imported.json", catalogue());
    if (const auto* problems = std::get_if<std::vector<Problem>>(&loaded)) {
        for (const Problem& problem : *problems) UNSCOPED_INFO(to_string(problem));
        FAIL(json);
    }
    return std::get<Suite>(std::move(loaded)).cases;
}

inline Tensor expected_output(const Case& from, std::size_t expectation = 0) {
    const auto& output =
        std::get<ExpectedOutput>(from.expect.at(expectation).alternatives.at(0)).output;
    return materialise(std::get<TensorSpec>(output));
}

inline std::string bytes_of(const Tensor& tensor) {
    if (tensor.type == ElementType::string) {
        std::string all;
        for (const std::string& text : *tensor.strings) all += text + "|";
        return all;
    }
    std::string bytes(tensor.contents.size(), '\0');
    if (!bytes.empty()) std::memcpy(bytes.data(), tensor.contents.data(), bytes.size());
    return bytes;
}

/// The reference's output of a case's call.
inline Tensor reference_output(const Case& from, OperatorVersion version) {
    const OwnedCall owned = make_call(from, version);
    const Result<Descriptor> descriptor = reference::output_descriptor(owned.call);
    INFO(from.id << " " << name(version));
    REQUIRE(descriptor);
    Tensor output;
    output.type = descriptor->type;
    output.shape = descriptor->shape;
    output.contents.resize(static_cast<std::size_t>(*byte_size(*descriptor)));
    const Result<void> done = reference::run(owned.call, output.contents);
    if (!done) FAIL(to_string(done.error()));
    if (output.type != ElementType::string) return output;
    std::vector<std::string> strings;
    for (std::size_t k = 0; k < output.contents.size(); k += sizeof(StringElement)) {
        StringElement element;
        std::memcpy(&element, output.contents.data() + k, sizeof element);
        strings.emplace_back(element.view());
    }
    return string_tensor(output.shape, std::move(strings));
}

}  // namespace gathercheck::test
