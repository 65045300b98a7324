// SPDX-License-Identifier: Apache-2.0
// Calls the optimized library by its planned and its typed functions.
#include "tools/bench/ours.hpp"

#include <map>
#include <memory>
#include <span>
#include <utility>

#include "optimized/gather.hpp"
#include "optimized/tuning.hpp"

namespace gathercheck::bench {
namespace {

/// None for one thread: then a call runs on its caller's.
using Threads = std::shared_ptr<optimized::Executor>;

class Planned final : public InProcess<Planned> {
public:
    Planned(const Tensors& tensors, optimized::Plan plan, Threads threads)
        : tensors_(tensors), plan_(plan), threads_(std::move(threads)) {}

    bool call() {
        return optimized::run(plan_, tensors_.data, tensors_.indices,
                              std::span(tensors_.output, tensors_.output_bytes), threads_.get())
            .ok();
    }

private:
    Tensors tensors_;
    optimized::Plan plan_;
    Threads threads_;
};

class OneShot final : public InProcess<OneShot> {
public:
    OneShot(const Tensors& tensors, Threads threads)
        : tensors_(tensors),
          threads_(std::move(threads)),
          workload_(*tensors.workload),
          data_{workload_.data.type, workload_.data.shape, tensors.data},
          indices_{workload_.indices.type, workload_.indices.shape, tensors.indices},
          rule_(optimized::index_rule(workload_.version)) {}

    bool call() {
        const std::span<std::byte> output(tensors_.output, tensors_.output_bytes);
        switch (workload_.family()) {
            case Family::gather:
                return optimized::gather(data_, indices_, workload_.axis, workload_.batch_dims,
                                         output, rule_, threads_.get())
                    .ok();
            case Family::gather_elements:
                return optimized::gather_elements(data_, indices_, workload_.axis, output,
                                                  rule_.negative, threads_.get())
                    .ok();
            case Family::gather_nd:
                return optimized::gather_nd(data_, indices_, workload_.batch_dims, output,
                                            rule_.negative, threads_.get())
                    .ok();
            case Family::stablehlo_gather:  // family() is none
                break;
        }
        return false;
    }

private:
    Tensors tensors_;
    Threads threads_;
    const Workload& workload_;
    TensorView data_;
    TensorView indices_;
    optimized::IndexRule rule_;
};

/// The same ones for all workloads. What it costs to wake them is found out while no other
/// engine's threads are there.
Threads threads_for(int count) {
    static std::map<int, Threads> made;
    if (count <= 1) return nullptr;
    Threads& threads = made[count];
    if (threads == nullptr) {
        threads = optimized::make_executor(count);
        threads->wake_cost(0);
    }
    return threads;
}

Entry planned(const Tensors& tensors, std::string name, Kind kind, const optimized::Target& target,
              const Threads& threads) {
    const auto plan = optimized::plan(call_of(*tensors.workload, nullptr, nullptr), target);
    if (!plan) return {std::move(name), kind, nullptr, to_string(plan.error())};
    return {std::move(name), kind, std::make_unique<Planned>(tensors, *plan, threads), ""};
}

/// The same plan without the check, and so without a look for negative indices.
Entry unchecked(const Tensors& tensors, const Threads& threads) {
    const std::string name = "optimized:unchecked";
    if (tensors.workload->negative > 0) {
        return {name, Kind::variant, nullptr, "there are negative indices"};
    }
    if (tensors.workload->beyond > 0) {
        return {name, Kind::variant, nullptr, "there are indices outside their range"};
    }
    auto plan = optimized::plan(call_of(*tensors.workload, nullptr, nullptr));
    if (!plan) return {name, Kind::variant, nullptr, to_string(plan.error())};
    optimized::trust_indices(*plan);
    return {name, Kind::variant, std::make_unique<Planned>(tensors, *plan, threads), ""};
}

}  // namespace

std::vector<Entry> our_contenders(const Tensors& tensors, const Variants& variants) {
    const Threads threads = threads_for(tensors.threads);
    std::vector<Entry> entries;
    entries.push_back(planned(tensors, "optimized", Kind::ours, optimized::best_target(), threads));
    entries.push_back({"optimized:one-shot", Kind::variant, nullptr,
                       "of the typed functions gather alone clamps"});
    if (!tensors.workload->clamps() || tensors.workload->family() == Family::gather) {
        entries.back() = {"optimized:one-shot", Kind::variant,
                          std::make_unique<OneShot>(tensors, threads), ""};
    }
    if (variants.unchecked) entries.push_back(unchecked(tensors, threads));
    if (!variants.targets) return entries;
    for (const optimized::Target& target : optimized::targets()) {
        if (!target.available()) continue;
        entries.push_back(planned(tensors, "optimized:" + std::string(target.name), Kind::variant,
                                  target, threads));
    }
    return entries;
}

std::vector<std::string> our_instruction_sets() {
    std::vector<std::string> names;
    for (const optimized::Target& target : optimized::targets()) {
        if (target.available()) names.emplace_back(target.name);
    }
    return names;
}

std::vector<Threshold> our_thresholds() {
    std::vector<Threshold> thresholds;
    for (const optimized::Setting& one :
         optimized::settings(optimized::best_target().instruction_set)) {
        thresholds.push_back({std::string(one.name), one.value, one.origin});
    }
    return thresholds;
}

Threshold cost_of_waking() {
    const Threads two = optimized::make_executor(2);
    if (two->threads() < 2) {
        return {
            "waking a thread", "never",
            optimized::has_tbb() ? "oneTBB has one thread here" : "this build is without oneTBB"};
    }
    const std::string asleep = std::to_string(two->wake_cost(0));
    const std::string at_hand = std::to_string(two->wake_cost(0));  // who came for the first
    return {"waking a thread", asleep + " ns",
            "until two threads met; right after that " + at_hand + " ns"};
}

}  // namespace gathercheck::bench
