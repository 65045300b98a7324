// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and the other signals to end, for verbs that end in good order.
#pragma once

namespace gathercheck {

/// From here on the first signal to end, Ctrl-C too, only says so; one that comes
/// a second later or more ends the process.
void watch_for_interruption();

/// True once such a signal came. Any thread may ask.
bool is_interrupted();

}  // namespace gathercheck
