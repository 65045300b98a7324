// SPDX-License-Identifier: Apache-2.0
// LibTorch in this process, through the optional module that is built where LibTorch is found.
#include <filesystem>
#include <memory>

#include "tools/bench/library.hpp"
#include "tools/bench/peers.hpp"
#include "tools/bench/torch_module.hpp"

namespace gathercheck::bench {

PeerResult open_torch(const PeerSettings& settings) {
    const std::filesystem::path file = std::filesystem::path(settings.modules) / torch_module_file;
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
        return "this build has no module for LibTorch (" + file.generic_string() +
               "): CMake did not find LibTorch";
    }
    Library library(file.string());
    decltype(gathercheck_bench_torch)* make = nullptr;
    library.load(make, "gathercheck_bench_torch");
    if (!library) return library.why();
    return std::unique_ptr<Peer>(make());
}

}  // namespace gathercheck::bench
