// SPDX-License-Identifier: Apache-2.0
// Each call is asked twice, in different order and surroundings: one outcome of two.
#pragma once

#include "conformance/model/outcome.hpp"

namespace gathercheck {

/// True where a call has no answer and is not asked a second time.
bool is_fatal(const Outcome& outcome);

/// One outcome of the two passes of a call. The first pass surrounds inputs and fills outputs with
/// the patterns of pass 0, the second with those of pass 1 (guarded_buffer.hpp): where the outputs
/// differ as these do, memory that is not the call's was read, or the output was not written.
Outcome merge(Outcome first, Outcome second);

}  // namespace gathercheck
