// SPDX-License-Identifier: Apache-2.0
// The engines to compare with: where each is looked for, and what to install where it is not found.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/bench/contender.hpp"

namespace gathercheck::bench {

/// What the chosen Python has, asked without importing any of it.
struct PythonFacts {
    std::string program;
    std::string problem;  ///< why nothing is known; empty where it was asked
    std::string prefix;   ///< of its own installation
    std::string library;  ///< its shared library; empty where there is none
    std::string site_packages;
    std::string onnxruntime;  ///< the engine's shared library; empty where it is missing
    std::string openvino;
    std::string numpy;  ///< version; empty where it is missing
    std::string jax;
};

/// Asks the Python that GATHERCHECK_PYTHON names, else python3.
PythonFacts ask_python();

struct PeerSettings {
    PythonFacts python;
    std::vector<int> cpus;   ///< that the process is confined to, as many as there are threads
    std::string modules;     ///< folder of optional modules of the build
    std::string script_jax;  ///< the program that runs JAX
};

/// A peer, or why it is not here.
using PeerResult = std::variant<std::unique_ptr<Peer>, std::string>;

PeerResult open_onnxruntime(const PeerSettings& settings);
PeerResult open_openvino(const PeerSettings& settings);
PeerResult open_torch(const PeerSettings& settings);
PeerResult open_numpy(const PeerSettings& settings);
PeerResult open_jax(const PeerSettings& settings);

/// One of the engines that are known here.
struct KnownPeer {
    std::string_view name;
    std::string_view where;    ///< "in process" or "other process"
    std::string_view install;  ///< the command that brings it
    PeerResult (*open)(const PeerSettings&);
};
std::span<const KnownPeer> known_peers();

}  // namespace gathercheck::bench
