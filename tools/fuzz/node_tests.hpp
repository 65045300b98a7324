// SPDX-License-Identifier: Apache-2.0
// Mutated ONNX node tests, each as one text: a line a file, its path and its bytes in hex.
#pragma once

#include <string>

#include "conformance/model/rules.hpp"
#include "tools/fuzz/random.hpp"

namespace gathercheck::fuzz {

/// Whether this build has the import.
bool has_import();

/// A node test with a few mutations, of bytes or of fields of its messages.
std::string mutate_node_test(Random& random);

/// A bundle with a few such mutations; a new one where it has no file.
std::string mutate_bundle(const std::string& bundle, Random& random);

/// Imports a bundle; what is wrong with what came of it, if anything is.
std::string import_bundle(const std::string& bundle, const RuleCatalogue& rules);

}  // namespace gathercheck::fuzz
