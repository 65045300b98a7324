// SPDX-License-Identifier: Apache-2.0
// The workloads for Google Benchmark: the optimized library, the plain loops and the copies,
// without engines.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/measure.hpp"
#include "tools/bench/ours.hpp"
#include "tools/bench/plain.hpp"

namespace gathercheck::bench {
namespace {

/// The tensors of one workload and all who are timed on it. Benchmarks of a workload follow each
/// other, so only one is kept.
class Prepared {
public:
    static Prepared& of(const Workload& workload) {
        static std::unique_ptr<Prepared> current;
        if (current == nullptr || current->workload_.id != workload.id) {
            current.reset();
            current = std::make_unique<Prepared>(workload);
        }
        return *current;
    }

    explicit Prepared(const Workload& workload)
        : workload_(workload), buffers_(workload), why_(compute_expected(workload, buffers_)) {
        const Tensors tensors = tensors_of(workload_, buffers_, 1);
        entries_ = our_contenders(tensors, {.targets = true});
        for (Entry& entry : plain_contenders(tensors)) entries_.push_back(std::move(entry));
    }

    /// The contender of that name; the text is why it cannot be timed.
    std::pair<Contender*, std::string> contender(const std::string& name) {
        if (!why_.empty()) return {nullptr, why_};
        for (const Entry& entry : entries_) {
            if (entry.name != name) continue;
            if (entry.contender == nullptr) return {nullptr, entry.unsupported};
            State state = State::timed;
            std::string why;
            if (gives_answer(entry.kind)) why = judge(*entry.contender, buffers_, state);
            return {why.empty() ? entry.contender.get() : nullptr, why};
        }
        return {nullptr, "there is none"};
    }

    std::int64_t output_bytes() const { return static_cast<std::int64_t>(buffers_.output.size()); }

private:
    Workload workload_;
    Buffers buffers_;
    std::string why_;
    std::vector<Entry> entries_;
};

void run(benchmark::State& state, const Workload& workload, const std::string& name) {
    Prepared& prepared = Prepared::of(workload);
    const auto [contender, why] = prepared.contender(name);
    if (contender == nullptr) {
        state.SkipWithError(why.c_str());
        return;
    }
    // Calls are timed in batches: one alone may be shorter than a look at the clock.
    const double once = contender->time(16) / 16;
    const auto calls = static_cast<std::int64_t>(std::clamp(20e-6 / once, 1.0, 1000.0));
    while (state.KeepRunningBatch(calls)) contender->time(calls);
    state.SetBytesProcessed(state.iterations() * prepared.output_bytes());
}

std::vector<std::string> contender_names() {
    std::vector<std::string> names{"optimized", "optimized:one-shot"};
    for (const std::string& set : our_instruction_sets()) names.push_back("optimized:" + set);
    for (const char* const name :
         {"plain loop", "memcpy per row", "copy", "streaming copy", "lines", "streaming lines"}) {
        names.emplace_back(name);
    }
    return names;
}

}  // namespace
}  // namespace gathercheck::bench

int main(int argc, char** argv) {
    using namespace gathercheck::bench;
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 4;
    const auto read = read_workloads(GATHERCHECK_WORKLOADS);
    if (const auto* why = std::get_if<std::string>(&read)) {
        std::fprintf(stderr, "gathercheck_google_benchmark: %s\n", why->c_str());
        return 3;
    }
    for (const Workload& workload : std::get<std::vector<Workload>>(read)) {
        if (workload.more) continue;
        for (const std::string& name : contender_names()) {
            std::string label = workload.id + "/" + name;
            for (char& letter : label) letter = letter == ' ' ? '_' : letter;
            benchmark::RegisterBenchmark(label.c_str(), [workload, name](benchmark::State& state) {
                run(state, workload, name);
            });
        }
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
