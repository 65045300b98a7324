// SPDX-License-Identifier: Apache-2.0
// gathercheck bench: times the optimized library beside the engines that are here.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "tools/bench/bench.hpp"
#include "tools/bench/ours.hpp"
#include "tools/bench/report.hpp"
#include "tools/shared/installed.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct BenchVerb {
    std::vector<std::string> filters;    ///< patterns of workload ids; empty: the default ones
    std::vector<std::string> workloads;  ///< of the command line
    std::string file;                    ///< of workloads; empty: the shipped one
    std::string peers = "all";           ///< names with commas between, "all" or "none"
    int threads = 1;
    int rounds = 7;
    double sample_us = 40;             ///< the least time of one sample
    bool cold = false;                 ///< every workload with empty caches
    bool targets = false;              ///< each instruction set of ours too
    bool unchecked = false;            ///< ours without a check of the indices too
    bool machine = false;              ///< print what is known about this machine, and nothing else
    bool list = false;                 ///< print the workloads, and nothing else
    std::vector<std::string> outputs;  ///< files: a page where it ends with .html, else JSON
    std::string format = "text";
};

using namespace bench;

constexpr int exit_trouble = 3;

/// The workloads of the command line; an exit code where something is refused.
std::variant<std::vector<Workload>, int> workloads_of(const BenchVerb& options,
                                                      const std::filesystem::path& folder) {
    std::vector<Workload> chosen;
    if (options.workloads.empty() || !options.filters.empty() || !options.file.empty() ||
        options.list) {
        auto all = read_workloads(options.file.empty() ? folder / "workloads.txt"
                                                       : std::filesystem::path(options.file));
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

/// 1 where an answer of ours was wrong. Ends the process where engines were opened.
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
                       {options.targets, options.unchecked}};
    PeerSettings settings;
    settings.cpus = cpus;
    settings.modules = modules_folder().string();
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

}  // namespace

void add_bench_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<BenchVerb>();
    const Verb verb = command.add_verb(
        "bench", "Speed: the optimized library beside engines, plain loops and copies");
    verb.add_option("--filter", options->filters,
                    "Id of a workload, with * and ? (default: all but those for special "
                    "questions); may be repeated")
        .type_name("ID");
    verb.add_option("--workload", options->workloads,
                    "A workload of your own: operator version, data, indices, options; may be "
                    "repeated")
        .type_name("TEXT");
    verb.add_option("--workloads", options->file,
                    "File of workloads, a line each: id, then as --workload (default: the shipped)")
        .type_name("FILE");
    verb.add_option("--peers", options->peers,
                    "Engines: onnxruntime, openvino, torch, numpy, jax with commas between, all or "
                    "none")
        .type_name("LIST")
        .show_default();
    verb.add_option("--threads", options->threads, "Threads of everybody, each on a CPU of its own")
        .in(Range<int>{1, 1000000})
        .show_default();
    verb.add_option("--rounds", options->rounds, "Samples of each contender, taken in turns")
        .in(Range<int>{1, 1000000})
        .show_default();
    verb.add_option("--sample", options->sample_us,
                    "Microseconds that one sample takes at least: short calls are repeated")
        .in(Range<double>{0.001, 1e9})
        .show_default();
    verb.add_flag("--cold", options->cold, "Empty the caches before each sample of any workload");
    verb.add_flag(
        "--targets,--rows", options->targets,
        "Time each instruction set too, and compare it with the next lower one; --rows is "
        "its name of before");
    verb.add_flag("--unchecked", options->unchecked,
                  "Time our calls without a check of their indices too");
    verb.add_flag("--machine", options->machine,
                  "Print CPU, caches, instruction sets and thresholds, and do nothing else");
    verb.add_flag("--list", options->list, "Print the workloads, and do nothing else");
    verb.add_option("--output", options->outputs,
                    "Write the results here: a page with plots where it ends with .html, else "
                    "JSON; may be repeated")
        .type_name("FILE");
    add_format(verb, options->format);
    verb.footer(
        "A workload is an operator version, type and shape of data and of indices, and of\n"
        "axis=N batch_dims=N indices=uniform|zipf|permutation|sorted|arange|zeros|rows|raster\n"
        "negative=SHARE beyond=SHARE form=FAMILY seed=N cold what it needs; axis and batch_dims "
        "are\n0 where not given.\n\n"
        "Examples:\n"
        "  gathercheck bench --filter 'G0*' --peers numpy,onnxruntime --output bench.html\n"
        "  gathercheck bench --workload 'onnx.Gather-13 f16[32000,4096] i64[512] indices=zipf "
        "cold'\n"
        "  gathercheck bench --targets --peers none --threads 2\n\n"
        "Engines that Python has are looked for in the one that GATHERCHECK_PYTHON names, else "
        "python3.\n\n"
        "Exit code: 0 measured; 1 an answer of ours was wrong; 3 a workload could not be measured; "
        "4 bad input or usage.");
    verb.callback([options, &exit_code] { exit_code = bench_verb(*options); });
}

}  // namespace gathercheck
