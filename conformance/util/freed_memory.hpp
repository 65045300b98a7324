// SPDX-License-Identifier: Apache-2.0
// What becomes of memory that this process no longer needs.
#pragma once

namespace gathercheck {

/// From here on some tens of megabytes stay with the process when they are freed. By itself the C
/// library gives them back to the system, page by page, and calls of tensors that follow each other
/// would get the same pages anew each time, which takes longer than what is done with them.
void keep_freed_memory();

}  // namespace gathercheck
