// SPDX-License-Identifier: Apache-2.0
// gathercheck bench: times the optimized library beside the engines that are here.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "tools/bench/bench.hpp"
#include "tools/bench/ours.hpp"
#include "tools/bench/report.hpp"
#include "tools/installed.hpp"
#include "tools/suite.hpp"
#include "tools/verbs.hpp"

namespace gathercheck {
namespace {

using namespace bench;

constexpr int exit_trouble = 3;

/// The workloads of the command line; an exit code where something is refused.
std::variant<std::vector<Workload>, int> workloads_of(const BenchVerb& options,
                                                      const std::filesystem::path& folder) {
    std::vector<Workload> chosen;
    if (options.workloads.empty() || !options.filters.empty() || options.list) {
        auto all = read_workloads(folder / "workloads.txt");
        if (const auto* why = std::get_if<std::string>(&all)) return refuse(*why);
        std::vector<std::string> filters = options.filters;
        if (options.list && filters.empty()) filters.push_back("*");
        auto selected = select_workloads(std::get<std::vector<Workload>>(all), filters);
        if (const auto* why = std::get_if<std::string>(&selected)) return refuse(*why);
        chosen = std::get<std::vector<Workload>>(std::move(selected));
    }
    for (const std::string& text : options.workloads) {
        const std::string id = "own-" + std::to_string(&text - options.workloads.data() + 1);
        auto parsed = parse_workload(id, text);
        if (const auto* why = std::get_if<std::string>(&parsed)) {
            return refuse("--workload '" + text + "': " + *why);
        }
        chosen.push_back(std::get<Workload>(std::move(parsed)));
    }
    return chosen;
}

/// The names of "numpy,jax", "all" or "none"; an exit code for an unknown one.
std::variant<std::vector<std::string>, int> peers_of(const std::string& list) {
    std::vector<std::string> all;
    for (const KnownPeer& known : known_peers()) all.emplace_back(known.name);
    if (list == "all") return all;
    std::vector<std::string> names;
    if (list == "none") return names;
    for (std::size_t start = 0; start <= list.size();) {
        const std::size_t end = std::min(list.find(',', start), list.size());
        const std::string one = list.substr(start, end - start);
        if (std::find(all.begin(), all.end(), one) == all.end()) {
            std::string known;
            for (const std::string& name : all) known += name + ", ";
            return refuse("--peers: there is no engine '" + one + "'; there are " + known +
                          "all and none");
        }
        names.push_back(one);
        start = end + 1;
    }
    return names;
}

/// The folder of optional modules, beside the folder that the command lies in.
std::string modules_folder() {
    std::error_code error;
    const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
    return (executable.parent_path().parent_path() / GATHERCHECK_MODULES).string();
}

bool write_file(const std::string& file, const std::string& text) {
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream << text;
    stream.close();
    if (stream.good()) return true;
    std::fprintf(stderr, "gathercheck: %s cannot be written\n", file.c_str());
    return false;
}

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

/// Times everything, and prints as it goes where the format is text. The exit code.
int run_bench(const BenchVerb& options, const std::vector<Workload>& workloads,
              const std::vector<int>& cpus, std::vector<OpenPeer>& peers, BenchResult& result) {
    const bool text = options.format == "text";
    int exit_code = 0;
    if (text) print(machine_text(result) + peers_text(result) + "\n" + table_head(result.peers));
    for (const Workload& workload : workloads) {
        auto measured = measure(workload, result.settings, result.machine, cpus, peers);
        if (const auto* why = std::get_if<std::string>(&measured)) {
            std::fprintf(stderr, "gathercheck: %s: %s\n", workload.id.c_str(), why->c_str());
            exit_code = exit_trouble;
            continue;
        }
        result.workloads.push_back(std::get<WorkloadResult>(std::move(measured)));
        if (text) print(table_line(result.workloads.back(), result.peers));
    }
    print(text ? closing_text(result) : json_text(result));
    for (const std::string& file : options.outputs) {
        const bool page = file.ends_with(".html") || file.ends_with(".htm");
        if (!write_file(file, page ? html_text(result) : json_text(result))) {
            exit_code = exit_bad_input;
        }
    }
    return exit_code == 0 && ours_is_wrong(result) ? 1 : exit_code;
}

}  // namespace

int bench_verb(const BenchVerb& options) {
    BenchResult result;
    if (options.machine) {
        describe_machine(result);
        result.thresholds.push_back(cost_of_waking());
        print(options.format == "json" ? json_text(result) : machine_text(result));
        return 0;
    }
    const auto installed = find_installed();
    if (const auto* why = std::get_if<std::string>(&installed)) return refuse(*why);
    const std::filesystem::path folder =
        std::get<Installed>(installed).adapters.parent_path() / "bench";
    const auto chosen = workloads_of(options, folder);
    if (const int* code = std::get_if<int>(&chosen)) return *code;
    const auto& workloads = std::get<std::vector<Workload>>(chosen);
    if (options.list) {
        for (const Workload& workload : workloads) {
            print(workload.id +
                  std::string(workload.id.size() < 18 ? 18 - workload.id.size() : 1, ' ') +
                  workload.text + "\n");
        }
        return 0;
    }
    const auto names = peers_of(options.peers);
    if (const int* code = std::get_if<int>(&names)) return *code;

    describe_machine(result);
    const std::vector<int> cpus = choose_cpus(options.threads);
    if (cpus.empty()) {
        return refuse("--threads " + std::to_string(options.threads) + ": this process may use " +
                      std::to_string(result.machine.cpus) + " CPUs");
    }
    result.settings = {options.threads,
                       options.rounds,
                       options.sample_us * 1e-6,
                       options.cold,
                       {options.rows, options.unchecked}};
    PeerSettings settings;
    settings.cpus = cpus;
    settings.modules = modules_folder();
    settings.script_jax = (folder / "jax_peer.py").string();
    const auto& wanted = std::get<std::vector<std::string>>(names);
    if (!wanted.empty()) settings.python = ask_python();
    std::vector<OpenPeer> peers = open_peers(wanted, settings, result.peers);
    const int exit_code = run_bench(options, workloads, cpus, peers, result);
    if (peers.empty()) return exit_code;
    // Not every engine survives the end of a process that has others in it.
    peers.clear();
    std::fflush(nullptr);
    std::_Exit(exit_code);
}

}  // namespace gathercheck
