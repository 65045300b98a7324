// SPDX-License-Identifier: Apache-2.0
// A worker whose implementation is a plug-in: a shared library with the interface of plugin.h.
#pragma once

#include <string>

namespace gathercheck {

/// Speaks the protocol on the standard streams until goodbye or their end; what the plug-in prints
/// goes to standard error. Returns the exit code of the process: 0, or 4 with a message where the
/// file is no plug-in, or where what comes in is no protocol.
int serve_plugin(const std::string& file);

}  // namespace gathercheck
