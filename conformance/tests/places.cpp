// SPDX-License-Identifier: Apache-2.0
// The places that CMake knows; no other file has them, so that only this one depends on them.
#include "conformance/tests/places.hpp"

namespace gathercheck::fixture {

std::filesystem::path source_tree() { return SOURCE_TREE; }

std::string fake_worker() { return FAKE_WORKER; }

bool is_emulated() { return EMULATED != 0; }

}  // namespace gathercheck::fixture
