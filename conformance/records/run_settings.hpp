// SPDX-License-Identifier: Apache-2.0
// The options of a run that decide what it records: those of the command line, which the header of
// its records keeps, and with which a run that was cut short goes on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gathercheck {

struct RunSettings {
    std::string folder;  ///< in which it ran; relative names are meant from there
    std::vector<std::string> implementations;
    std::vector<std::string> cases;
    std::vector<std::string> filters;
    std::vector<std::string> known_failures;
    bool no_known_failures = false;
    bool update_known_failures = false;  ///< write what the run saw into the files
    std::string reason;                  ///< of known failures that this adds; empty: to be written
    bool strict = false;
    std::string sweeps;       ///< "all", "sample", "none"; empty: sample for slow implementations
    std::string shard;        ///< "i/n"; empty: everything
    std::string reproducers;  ///< folder for stand-alone files of failures; empty: none
    bool verify = false;      ///< run each of them, and see that it shows what it says
    double seconds_per_call = 20;
    double seconds_of_known_timeout = 0;  ///< 0: seconds_per_call
    std::int64_t restarts = 200;
    std::uint64_t bytes_of_memory = 0;  ///< for each implementation's process; 0: no limit
    std::string finding;                ///< in place of `reason`: the finding that they show
};

/// The options by which it asked for a part of its cases, for a shell: "--filter type=f32 --sweeps
/// none"; empty: for all, as far as the implementation's speed let it.
std::string options_for_part(const RunSettings& settings);

/// Calls use(key, member) for each, in the order of the header: the one list of them that writers
/// and readers have. `Settings` is RunSettings, const or not.
template <class Settings, class Use>
void each_setting(Settings& settings, const Use& use) {
    use("folder", settings.folder);
    use("implementations", settings.implementations);
    use("cases", settings.cases);
    use("filters", settings.filters);
    use("known_failures", settings.known_failures);
    use("no_known_failures", settings.no_known_failures);
    use("update_known_failures", settings.update_known_failures);
    use("reason", settings.reason);
    use("finding", settings.finding);
    use("strict", settings.strict);
    use("sweeps", settings.sweeps);
    use("shard", settings.shard);
    use("reproducers", settings.reproducers);
    use("verify", settings.verify);
    use("time_limit", settings.seconds_per_call);
    use("known_timeout_limit", settings.seconds_of_known_timeout);
    use("restarts", settings.restarts);
    use("memory_limit", settings.bytes_of_memory);
}

}  // namespace gathercheck
