// SPDX-License-Identifier: Apache-2.0
// A worker whose implementation is the reference.
#pragma once

namespace gathercheck {

/// Speaks the protocol on the standard streams until goodbye or their end. Returns 0, or 4 with a
/// message where what comes in is no protocol.
int serve_reference();

}  // namespace gathercheck
