// SPDX-License-Identifier: Apache-2.0
// The table of engines, and what Python knows about where they are.
#include "tools/bench/peers.hpp"

#include <array>
#include <chrono>
#include <cstdlib>

#include "conformance/util/json.hpp"
#include "tools/bench/exchange.hpp"

namespace gathercheck::bench {
namespace {

constexpr std::array<KnownPeer, 5> peers{{
    {"onnxruntime", "in process",
     "tools/setup.sh onnxruntime; GATHERCHECK_PYTHON=build/venv/bin/python", open_onnxruntime},
    {"openvino", "in process", "tools/setup.sh openvino; GATHERCHECK_PYTHON=build/venv/bin/python",
     open_openvino},
    {"torch", "in process",
     "tools/setup.sh --bench (Debian: apt-get install libtorch-dev), then configure and build "
     "again",
     open_torch},
    {"numpy", "in process", "tools/setup.sh numpy; GATHERCHECK_PYTHON=build/venv/bin/python",
     open_numpy},
    {"jax", "other process", "tools/setup.sh jax; GATHERCHECK_PYTHON=build/venv/bin/python",
     open_jax},
}};

constexpr const char* question = R"(
import glob, importlib.util, importlib.metadata, json, os, sys, sysconfig

def folder(package):
    found = importlib.util.find_spec(package)
    return list(found.submodule_search_locations)[0] if found and found.submodule_search_locations else None

def first(*patterns):
    for pattern in patterns:
        for file in sorted(glob.glob(pattern)):
            return file
    return ""

def version(package):
    return importlib.metadata.version(package) if folder(package) else ""

def library():
    name = sysconfig.get_config_var("INSTSONAME") or ""
    if ".so" not in name:
        return ""
    places = [sysconfig.get_config_var("LIBDIR") or "", os.path.join(sysconfig.get_config_var("LIBDIR") or "",
              sysconfig.get_config_var("MULTIARCH") or "")]
    return first(*(os.path.join(place, name) for place in places if place))

ort, ov, np = folder("onnxruntime"), folder("openvino"), folder("numpy")
print(json.dumps({
    "prefix": sys.base_prefix,
    "library": library(),
    "site_packages": os.path.dirname(np) if np else "",
    "onnxruntime": first(os.path.join(ort, "capi", "libonnxruntime.so*")) if ort else "",
    "openvino": first(os.path.join(ov, "libs", "libopenvino_c.so*")) if ov else "",
    "numpy": version("numpy"),
    "jax": version("jax"),
}))
)";

}  // namespace

std::span<const KnownPeer> known_peers() { return peers; }

PythonFacts ask_python() {
    PythonFacts facts;
    const char* chosen = std::getenv("GATHERCHECK_PYTHON");
    facts.program = chosen != nullptr && *chosen != '\0' ? chosen : "python3";
    auto started = Exchange::start({facts.program, "-c", question});
    if (auto* why = std::get_if<std::string>(&started)) {
        facts.problem = facts.program + " cannot be started: " + *why;
        return facts;
    }
    const auto answer = std::get<Exchange>(started).receive(30);
    if (const auto* why = std::get_if<std::string>(&answer)) {
        facts.problem = facts.program + " does not answer: " + *why;
        return facts;
    }
    const Json& told = std::get<Json>(answer);
    const auto text = [&](const char* key) {
        const Json* member = find_member(told, key);
        return member != nullptr && member->is_string() ? member->get<std::string>() : "";
    };
    facts.prefix = text("prefix");
    facts.library = text("library");
    facts.site_packages = text("site_packages");
    facts.onnxruntime = text("onnxruntime");
    facts.openvino = text("openvino");
    facts.numpy = text("numpy");
    facts.jax = text("jax");
    return facts;
}

}  // namespace gathercheck::bench
