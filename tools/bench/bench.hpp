// SPDX-License-Identifier: Apache-2.0
// Finds engines and times workloads: what the verb of the command does, without options and
// printing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/bench/measure.hpp"
#include "tools/bench/peers.hpp"
#include "tools/bench/result.hpp"

namespace gathercheck::bench {

/// The machine and the library's view of it.
void describe_machine(BenchResult& result);

/// Confines this process to as many CPUs as there are threads; empty where it has fewer.
std::vector<int> choose_cpus(int threads);

/// Opens the engines of these names, and says of each whether it is here.
std::vector<OpenPeer> open_peers(const std::vector<std::string>& names,
                                 const PeerSettings& settings, std::vector<PeerState>& states);

}  // namespace gathercheck::bench
