// SPDX-License-Identifier: Apache-2.0
// Brings calls into canonical form.
#include "optimized/plan.hpp"

#include <bit>

#include "optimized/small_calls.hpp"

namespace gathercheck::optimized {
namespace {

/// Fewer bytes and indices are not worth a second thread, nor the thought.
constexpr std::int64_t serial_bytes = 4096;
constexpr std::int64_t serial_indices = 512;

/// Of the types that pass the checks: i8 to i64 and u8 to u64.
IndexKind index_kind(ElementType type) {
    const int log = std::countr_zero(static_cast<unsigned>(bits(type) / 8));
    const bool is_signed = info(type).kind == ElementKind::signed_integer;
    return static_cast<IndexKind>(is_signed ? log : 4 + log);
}
static_assert(static_cast<int>(IndexKind::i64) == 3 && static_cast<int>(IndexKind::u8) == 4);

/// The product of dimensions first to last - 1. The caller knows that it fits:
/// the tensor has elements, and its size fits.
std::int64_t product(const Shape& shape, std::int64_t first, std::int64_t last) {
    std::int64_t result = 1;
    for (std::int64_t k = first; k < last; ++k) result *= shape[k];
    return result;
}

// N and M: the shapes of data and of indices, as the specifications call them.

void set_indices(Plan& plan) {
    const CheckedCall& call = plan.call;
    const Shape& M = call.indices.shape;
    const bool tuples = info(call.version).family == Family::gather_nd;
    plan.kind = index_kind(call.indices.type);
    plan.index_count = *element_count(M);
    plan.components = tuples ? M[M.rank() - 1] : 1;
    for (std::int64_t t = 0; t < plan.components; ++t) {
        const std::int64_t extent = call.data.shape[(tuples ? call.batch_dims : call.axis) + t];
        plan.extents.push_back(extent);
        plan.empty_extent |= extent == 0;
    }
}

void set_axis(Plan& plan) {
    const Shape& N = plan.call.data.shape;
    const Shape& M = plan.call.indices.shape;
    const std::int64_t a = plan.call.axis;
    const std::int64_t b = plan.call.batch_dims;
    plan.front = Front::axis;
    plan.batches = product(N, 0, b);
    plan.tables = product(N, b, a);
    plan.picks = product(M, b, M.rank());
    plan.table_units = N[a];
    plan.unit_bits = product(N, a + 1, N.rank()) * bits(plan.call.data.type);
}

void set_tuples(Plan& plan) {
    const Shape& N = plan.call.data.shape;
    const Shape& M = plan.call.indices.shape;
    const std::int64_t b = plan.call.batch_dims;
    const std::int64_t n = plan.components;
    plan.front = n == 1 ? Front::axis : Front::tuples;
    plan.batches = product(N, 0, b);
    plan.picks = product(M, b, M.rank() - 1);
    plan.table_units = product(N, b, b + n);
    plan.unit_bits = product(N, b + n, N.rank()) * bits(plan.call.data.type);
    for (std::int64_t t = 0; t < n; ++t) plan.strides.push_back(product(N, b + t + 1, b + n));
}

/// Dimensions of size 1 in the output are dropped, and neighbours that step alike in data become
/// one. The axis steps by 0: its place comes from the index; so does what data broadcasts.
void set_elementwise(Plan& plan) {
    const Shape& N = plan.call.data.shape;
    const Shape& M = plan.call.indices.shape;
    const Shape& output = plan.call.output.shape;
    const std::int64_t a = plan.call.axis;
    plan.front = Front::elementwise;
    plan.broadcasts_indices = M != output;
    plan.unit_bits = bits(plan.call.data.type);
    plan.table_units = N[a];
    plan.index_step = product(N, a + 1, N.rank());
    Shape sizes;  // innermost first
    Shape steps;
    std::int64_t step = 1;
    for (std::int64_t k = N.rank() - 1; k >= 0; step *= N[k], --k) {
        const std::int64_t own = k == a || N[k] == 1 ? 0 : step;
        if (output[k] == 1) continue;
        const std::int64_t last = sizes.rank() - 1;
        if (last >= 0 && own == steps[last] * sizes[last]) {
            sizes[last] *= output[k];
        } else {
            sizes.push_back(output[k]);
            steps.push_back(own);
        }
    }
    if (sizes.rank() > 0) {
        plan.picks = sizes[0];
        plan.column_step = steps[0];
    }
    if (sizes.rank() > 1) {
        plan.rows = sizes[1];
        plan.row_step = steps[1];
    }
    for (std::int64_t k = sizes.rank() - 1; k >= 2; --k) {
        plan.outer_sizes.push_back(sizes[k]);
        plan.outer_steps.push_back(steps[k]);
    }
}

/// The output has elements.
void set_units(Plan& plan) {
    if (*element_count(plan.call.data.shape) == 0) {
        plan.front = Front::zeros;
        return;
    }
    // From here on no dimension is 0, so every product of some of them fits.
    switch (info(plan.call.version).family) {
        case Family::gather:
            set_axis(plan);
            break;
        case Family::gather_elements:
            set_elementwise(plan);
            break;
        case Family::gather_nd:
            set_tuples(plan);
            break;
    }
    plan.packed = plan.unit_bits % 8 != 0;
    plan.pitch = plan.unit_bits / 8;
    plan.width = plan.reach() < narrow_limit ? PositionWidth::narrow : PositionWidth::wide;
}

}  // namespace

void trust_indices(Plan& plan) {
    plan.trusted_indices = true;
    plan.small = SmallCall::no;  // they check
}

IndexRule index_rule(OperatorVersion version) {
    const OperatorInfo& op = info(version);
    return {op.negative_indices, op.out_of_bounds};
}

Plan make_plan(const CheckedCall& call, bool versioned, IndexRule rule, const Kernels& kernels,
               const Tuning& tuning) {
    Plan plan;
    plan.call = call;
    plan.call.data.contents = nullptr;
    plan.call.indices.contents = nullptr;
    plan.versioned = versioned;
    plan.rule = rule;
    plan.kernels = &kernels;
    set_indices(plan);
    plan.output_bytes = *byte_size(call.output);
    plan.serial = plan.output_bytes <= serial_bytes && plan.index_count <= serial_indices;
    if (plan.output_bytes > 0) set_units(plan);
    if (plan.moves() && !plan.packed) plan.access = choose_access(plan, kernels, tuning);
    plan.small = small_call(plan);
    return plan;
}

}  // namespace gathercheck::optimized
