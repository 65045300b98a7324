// SPDX-License-Identifier: Apache-2.0
// Import: reads one ONNX node test, the only part that knows its files.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tools/import/import_case.hpp"

namespace gathercheck {

/// A model that is one gather node, with its data sets.
struct NodeTest {
    std::vector<std::pair<int, ImportedCall>> sets;  ///< by number; at least one
};

/// A readable model of something else.
struct OtherModel {
    std::string what;  ///< a clause that says how it differs
};

/// Why a node test cannot be said as cases, or not be read at all: a clause.
struct Refusal {
    std::string why;
};

/// Reads FOLDER/model.onnx and FOLDER/test_data_set_*.
std::variant<NodeTest, OtherModel, Refusal> read_node_test(const std::filesystem::path& folder);

/// The entries of a folder, sorted; a Refusal where it cannot be read.
std::variant<std::vector<std::filesystem::path>, Refusal> entries(
    const std::filesystem::path& folder);

}  // namespace gathercheck
