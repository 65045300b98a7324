// SPDX-License-Identifier: Apache-2.0
// Describes the machine and opens engines.
#include "tools/bench/bench.hpp"

#include <algorithm>
#include <utility>

#include "tools/bench/ours.hpp"

namespace gathercheck::bench {
namespace {

/// An engine's reason in one line of bearable length.
std::string one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    constexpr std::size_t most = 300;
    return text.size() <= most ? text : text.substr(0, most) + "...";
}

}  // namespace

void describe_machine(BenchResult& result) {
    result.machine = machine_facts();
    result.instruction_sets = our_instruction_sets();
    result.thresholds = our_thresholds();
}

std::vector<int> choose_cpus(int threads) {
    std::vector<int> cpus = allowed_cpus();
    if (cpus.size() < static_cast<std::size_t>(threads)) return {};
    cpus.resize(static_cast<std::size_t>(threads));
    confine(0, cpus);
    return cpus;
}

std::vector<OpenPeer> open_peers(const std::vector<std::string>& names,
                                 const PeerSettings& settings, std::vector<PeerState>& states) {
    std::vector<OpenPeer> opened;
    for (const KnownPeer& known : known_peers()) {
        bool wanted = false;
        for (const std::string& name : names) wanted = wanted || name == known.name;
        if (!wanted) continue;
        PeerState& state = states.emplace_back();
        state.name = known.name;
        state.where = known.where;
        PeerResult peer = known.open(settings);
        if (auto* why = std::get_if<std::string>(&peer)) {
            state.missing = one_line(*why);
            state.install = known.install;
            continue;
        }
        auto& here = std::get<std::unique_ptr<Peer>>(peer);
        state.version = here->version();
        opened.push_back({state.name, std::move(here)});
    }
    return opened;
}

}  // namespace gathercheck::bench
