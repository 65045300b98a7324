// SPDX-License-Identifier: Apache-2.0
// What the optional module for LibTorch exports.
#pragma once

#include "tools/bench/contender.hpp"

namespace gathercheck::bench {

inline constexpr const char* torch_module_file = "gathercheck_bench_torch.so";

}  // namespace gathercheck::bench

/// A new peer, which the caller owns.
extern "C" [[gnu::visibility("default")]] gathercheck::bench::Peer* gathercheck_bench_torch();
