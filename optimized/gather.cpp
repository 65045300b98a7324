// SPDX-License-Identifier: Apache-2.0
// The public face: targets, typed operands, and errors in the reference's words.
#include "optimized/gather.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <utility>

#include "optimized/cpu.hpp"
#include "optimized/execute/execute.hpp"
#include "optimized/partition.hpp"
#include "optimized/small_calls.hpp"
#include "optimized/tuning.hpp"
#include "reference/check.hpp"

namespace gathercheck::optimized {
namespace {

Error wrong_size(std::size_t given, std::int64_t needed) {
    return {Category::output_shape_mismatch, Phase::run, "",
            "the output buffer has " + std::to_string(given) + " bytes, the output " +
                std::to_string(needed)};
}

/// A version whose static checks are those of the typed operands.
OperatorVersion version_for_checks(Family family) {
    switch (family) {
        case Family::gather:
            return OperatorVersion::openvino_gather_8;
        case Family::gather_elements:
            return OperatorVersion::onnx_gather_elements_13;
        case Family::gather_nd:
            return OperatorVersion::onnx_gather_nd_13;
    }
    return {};
}

/// A version whose rule on index values is that of the typed operands.
OperatorVersion version_for_indices(Family family, bool negative) {
    switch (family) {
        case Family::gather:
            return negative ? OperatorVersion::onnx_gather_13 : OperatorVersion::openvino_gather_7;
        case Family::gather_elements:
            return negative ? OperatorVersion::onnx_gather_elements_13
                            : OperatorVersion::openvino_gather_elements_6;
        case Family::gather_nd:
            return negative ? OperatorVersion::onnx_gather_nd_13
                            : OperatorVersion::openvino_gather_nd_5;
    }
    return {};
}

Error index_error_of(const Plan& plan, const std::byte* indices, std::int64_t flat_position) {
    CheckedCall call = plan.call;
    call.indices.contents = indices;
    if (plan.versioned) return index_error(call, flat_position);
    call.version = version_for_indices(info(call.version).family, plan.rule.negative);
    Error error = index_error(call, flat_position);
    error.rule.clear();
    return error;
}

/// For a plan that is run many times it is found out once whether more threads could help.
Result<Plan> kept(Result<Plan> plan) {
    if (plan && !plan->serial) plan->serial = !worth_partitioning(*plan);
    return plan;
}

bool fits(const Plan& plan, std::span<std::byte> output) {
    return static_cast<std::int64_t>(output.size()) == plan.output_bytes;
}

/// Runs a plan on an output that fits.
Outcome outcome_of(const Plan& plan, const std::byte* data, const std::byte* indices,
                   std::byte* output, Executor* executor, int parts = 0) {
    if (executor == nullptr || (parts == 0 && plan.serial)) {
        return execute(plan, data, indices, output);
    }
    if (parts == 0) parts = parts_for(plan, *executor);
    return execute_in_parts(plan, data, indices, output, *executor, parts);
}

Result<void> result_of(const Plan& plan, const std::byte* indices, const Outcome& outcome) {
    if (outcome.bad_position >= 0) return index_error_of(plan, indices, outcome.bad_position);
    return {};
}

/// Apart from small calls, which need less of a frame on the stack.
[[gnu::noinline]] Result<void> run_any(const Plan& plan, const std::byte* data,
                                       const std::byte* indices, std::span<std::byte> output,
                                       Executor* executor) {
    if (!fits(plan, output)) return wrong_size(output.size(), plan.output_bytes);
    return result_of(plan, indices, outcome_of(plan, data, indices, output.data(), executor));
}

constexpr TypeSet index_types{ElementType::i8,  ElementType::i16, ElementType::i32,
                              ElementType::i64, ElementType::u8,  ElementType::u16,
                              ElementType::u32, ElementType::u64};

Result<Plan> plan_typed(Family family, const TensorView& data, const TensorView& indices,
                        std::int64_t axis, std::int64_t batch_dims, IndexRule rule,
                        const Target& target) {
    const Kernels* table = kernels(target.instruction_set);
    assert(table != nullptr);
    if (!index_types.contains(indices.type)) {
        return Error{
            Category::unsupported_type, Phase::build, "",
            "indices of element type " + std::string(name(indices.type)) + " are not possible"};
    }
    const Result<CheckedCall> checked =
        check_operands(version_for_checks(family), data, indices, axis, batch_dims);
    if (!checked) {
        Error error = checked.error();
        error.rule.clear();
        return error;
    }
    return make_plan(*checked, false, rule, *table, Tuning::of_this_machine(table->set));
}

Result<void> run_typed(const Result<Plan>& plan, const TensorView& data, const TensorView& indices,
                       std::span<std::byte> output, Executor* executor) {
    if (!plan) return plan.error();
    return run(*plan, data.contents, indices.contents, output, executor);
}

IndexRule rejecting(bool from_end_too) {
    return from_end_too ? IndexRule::from_end_too : IndexRule::from_zero;
}

TensorView without_contents(const Descriptor& descriptor) {
    return {descriptor.type, descriptor.shape, nullptr};
}

Result<Descriptor> describe(const Call& call) {
    const Result<CheckedCall> checked = check(call);
    if (!checked) return checked.error();
    return checked->output;
}

Result<Plan> plan_on(InstructionSet set, const Call& call) {
    const Kernels* table = kernels(set);
    assert(table != nullptr);
    const Result<CheckedCall> checked = check(call);
    if (!checked) return checked.error();
    return make_plan(*checked, true, index_rule(call.version), *table,
                     Tuning::of_this_machine(table->set));
}

Result<Trace> trace_on(InstructionSet set, const Call& call, std::span<std::byte> output,
                       Executor* executor = nullptr, int parts = 0) {
    const Result<Plan> planned = plan_on(set, call);
    if (!planned) return planned.error();
    if (!fits(*planned, output)) return wrong_size(output.size(), planned->output_bytes);
    const std::byte* indices = call.input("indices")->contents;
    const Outcome outcome =
        outcome_of(*planned, call.input("data")->contents, indices, output.data(), executor, parts);
    if (outcome.bad_position >= 0) return index_error_of(*planned, indices, outcome.bad_position);
    return Trace{outcome.scanned, outcome.moved};
}

template <InstructionSet Set>
Result<void> run_on(const Call& call, std::span<std::byte> output) {
    const Result<Trace> done = trace_on(Set, call, output);
    if (!done) return done.error();
    return {};
}

template <InstructionSet Set>
constexpr Target target_of() {
    return {name(Set), Set, describe, run_on<Set>};
}

template <std::size_t... Set>
constexpr std::array<Target, instruction_set_count> targets_of(std::index_sequence<Set...>) {
    return {target_of<static_cast<InstructionSet>(Set)>()...};
}

constexpr auto all_targets = targets_of(std::make_index_sequence<instruction_set_count>());

}  // namespace

bool Target::available() const { return kernels(instruction_set) != nullptr; }

std::span<const Target> targets() { return all_targets; }

const Target& best_target() {
    // Every x86-64 CPU has SSE2, and every aarch64 CPU has NEON.
    static const Target& best = *std::ranges::find_if(all_targets, &Target::available);
    return best;
}

Result<Descriptor> output_descriptor(const Call& call) { return describe(call); }

Result<void> run(const Call& call, std::span<std::byte> output, Executor* executor) {
    const Result<Trace> done = trace_on(best_target().instruction_set, call, output, executor);
    if (!done) return done.error();
    return {};
}

Result<Trace> trace(const Target& target, const Call& call, std::span<std::byte> output,
                    Executor* executor, int parts) {
    if (parts < 0) {
        return Error{Category::too_large, Phase::build, "",
                     "parts is " + std::to_string(parts) +
                         ": give a number of parts, or 0 for as many as are worth it"};
    }
    return trace_on(target.instruction_set, call, output, executor, parts);
}

Result<Plan> plan(const Call& call, const Target& target) {
    return kept(plan_on(target.instruction_set, call));
}

Result<Plan> plan_gather(const Descriptor& data, const Descriptor& indices, std::int64_t axis,
                         std::int64_t batch_dims, IndexRule rule, const Target& target) {
    return kept(plan_typed(Family::gather, without_contents(data), without_contents(indices), axis,
                           batch_dims, rule, target));
}

Result<Plan> plan_gather_elements(const Descriptor& data, const Descriptor& indices,
                                  std::int64_t axis, bool from_end_too, const Target& target) {
    return kept(plan_typed(Family::gather_elements, without_contents(data),
                           without_contents(indices), axis, 0, rejecting(from_end_too), target));
}

Result<Plan> plan_gather_nd(const Descriptor& data, const Descriptor& indices,
                            std::int64_t batch_dims, bool from_end_too, const Target& target) {
    return kept(plan_typed(Family::gather_nd, without_contents(data), without_contents(indices), 0,
                           batch_dims, rejecting(from_end_too), target));
}

const Descriptor& output_descriptor(const Plan& plan) { return plan.call.output; }

Result<void> run(const Plan& plan, const std::byte* data, const std::byte* indices,
                 std::span<std::byte> output, Executor* executor) {
    if (fits(plan, output) && (executor == nullptr || plan.serial) &&
        run_small(plan, data, indices, output.data())) {
        return {};
    }
    return run_any(plan, data, indices, output, executor);
}

Result<void> gather(const TensorView& data, const TensorView& indices, std::int64_t axis,
                    std::int64_t batch_dims, std::span<std::byte> output, IndexRule rule,
                    Executor* executor) {
    return run_typed(
        plan_typed(Family::gather, data, indices, axis, batch_dims, rule, best_target()), data,
        indices, output, executor);
}

Result<void> gather_elements(const TensorView& data, const TensorView& indices, std::int64_t axis,
                             std::span<std::byte> output, bool from_end_too, Executor* executor) {
    return run_typed(plan_typed(Family::gather_elements, data, indices, axis, 0,
                                rejecting(from_end_too), best_target()),
                     data, indices, output, executor);
}

Result<void> gather_nd(const TensorView& data, const TensorView& indices, std::int64_t batch_dims,
                       std::span<std::byte> output, bool from_end_too, Executor* executor) {
    return run_typed(plan_typed(Family::gather_nd, data, indices, 0, batch_dims,
                                rejecting(from_end_too), best_target()),
                     data, indices, output, executor);
}

}  // namespace gathercheck::optimized
