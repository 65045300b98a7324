// SPDX-License-Identifier: Apache-2.0
// Judges and times all contenders of a workload side by side.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tools/bench/buffers.hpp"
#include "tools/bench/result.hpp"

namespace gathercheck::bench {

/// An opened engine, by its name.
struct OpenPeer {
    std::string name;
    std::unique_ptr<Peer> peer;
};

/// The tensors of a workload as contenders see them.
Tensors tensors_of(const Workload& workload, Buffers& buffers, int threads);

/// Computes the right output. The text is why it is not known: the plain loop and the reference
/// differ, or an index is out of bounds.
std::string compute_expected(const Workload& workload, Buffers& buffers);

/// Runs a contender once into an output that holds something else before. Empty where its answer
/// is right; `state` says what else it is.
std::string judge(Contender& contender, Buffers& buffers, State& state);

/// Times everybody on a workload. Each answer is judged before and after it is timed; samples are
/// taken in rounds, each round in another order. `cpus` are those that the process is confined to,
/// as many as there are threads. The text is why nothing could be timed.
std::variant<WorkloadResult, std::string> measure(const Workload& workload,
                                                  const Settings& settings,
                                                  const MachineFacts& machine,
                                                  const std::vector<int>& cpus,
                                                  std::vector<OpenPeer>& peers);

}  // namespace gathercheck::bench
