// SPDX-License-Identifier: Apache-2.0
// Runs calls by the library that it is linked with, in which a bug is planted.
#include "conformance/mutants/kernel_mutant.hpp"
#include "optimized/cpu.hpp"
#include "optimized/gather.hpp"
#include "optimized/partition.hpp"
#include "optimized/plan.hpp"
#include "optimized/tests/mutants/planted.hpp"
#include "reference/check.hpp"

namespace gathercheck::optimized {
namespace {

constexpr InstructionSet mutated = InstructionSet::avx2;

const Kernels& table_with_bug() {
    static const Kernels table = [] {
        Kernels made = *kernels(mutated);
        plant(made);
        return made;
    }();
    return table;
}

Tuning tuning_of(const RunSettings& settings) {
    Tuning tuning;
    tuning.methods.fill(settings.loads ? Method::loads : Method::gathers);
    if (settings.prefetch) tuning.prefetch_from = tuning.prefetch_elements_from = 0;
    if (settings.stream) tuning.stream_from = 0;
    return tuning;
}

/// The parts of a call one after the other: threads would not survive a fork.
class InTurn : public Executor {
public:
    int threads() const override { return 3; }
    void run(int count, Job job, void* context) override {
        for (int k = 0; k < count; ++k) job(context, k);
    }
};

bool available() { return kernels(mutated) != nullptr; }

Result<Descriptor> describe(const Call& call) {
    const Result<CheckedCall> checked = check(call);
    if (!checked) return checked.error();
    return checked->output;
}

Result<void> run_with(const Call& call, std::span<std::byte> output, const RunSettings& settings) {
    const Result<CheckedCall> checked = check(call);
    if (!checked) return checked.error();
    const Plan plan =
        make_plan(*checked, true, index_rule(call.version), table_with_bug(), tuning_of(settings));
    const std::byte* data = call.input("data")->contents;
    const std::byte* indices = call.input("indices")->contents;
    if (settings.small) return run(plan, data, indices, output);
    InTurn in_turn;
    const Outcome outcome = settings.parts
                                ? execute_in_parts(plan, data, indices, output.data(), in_turn, 3)
                                : execute(plan, data, indices, output.data());
    if (outcome.bad_position < 0) return {};
    return index_error(*checked, outcome.bad_position);
}

Result<void> run_mutant(const Call& call, std::span<std::byte> output) {
    return run_with(call, output, planted.settings);
}

}  // namespace
}  // namespace gathercheck::optimized

extern "C" [[gnu::visibility("default")]] const gathercheck::KernelMutant*
gathercheck_kernel_mutant() {
    using namespace gathercheck::optimized;
    static const gathercheck::KernelMutant mutant{
        planted.name, planted.theme, planted.idea, planted.settings.large,
        available,    describe,      run_mutant};
    return &mutant;
}
