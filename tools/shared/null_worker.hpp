// SPDX-License-Identifier: Apache-2.0
// The worker behind `gathercheck worker --null`.
#pragma once

namespace gathercheck {

/// Answers each onnx.Gather-13 call with its data, which is right where the indices are 0, 1, 2 and
/// so on. Serves until its standard input ends; returns the exit code.
int serve_null();

}  // namespace gathercheck
