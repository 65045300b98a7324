// SPDX-License-Identifier: Apache-2.0
// Brings calls into canonical form and chooses kernels.
#include "optimized/plan.hpp"

#include <bit>
#include <limits>

namespace gathercheck::optimized {
namespace {

constexpr std::int64_t narrow_limit = std::numeric_limits<std::int32_t>::max();

/// Below this many picks a table is not worth putting into registers.
constexpr std::int64_t register_table_picks = 32;

/// Batches of fewer picks are resolved together.
constexpr std::int64_t flat_batch_picks = 64;

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

/// Fills a plan in, part by part.
class Planner {
public:
    Planner(Plan& plan, Choices choices) : plan_(plan), choices_(choices) {}

    void indices() {
        const CheckedCall& call = plan_.call;
        plan_.kind = index_kind(call.indices.type);
        plan_.index_count = *element_count(call.indices.shape);
        const bool tuples = family() == Family::gather_nd;
        plan_.components = tuples ? M_shape()[M_shape().rank() - 1] : 1;
        for (std::int64_t t = 0; t < plan_.components; ++t) {
            const std::int64_t extent = call.data.shape[(tuples ? call.batch_dims : call.axis) + t];
            plan_.extents.push_back(extent);
            plan_.empty_extent |= extent == 0;
        }
    }

    void units() {
        const CheckedCall& call = plan_.call;
        plan_.output_bytes = *byte_size(call.output);
        if (plan_.output_bytes == 0) return;  // Front::nothing
        if (*element_count(call.data.shape) == 0) {
            plan_.front = Front::zeros;
            return;
        }
        // From here on no dimension is 0, so every product of some of them fits.
        switch (family()) {
            case Family::gather:
                axis();
                break;
            case Family::gather_elements:
                elementwise();
                break;
            case Family::gather_nd:
                tuples();
                break;
        }
        plan_.packed = plan_.unit_bits % 8 != 0;
        positions();
        if (!plan_.packed) choose_kernels();
    }

private:
    Family family() const { return info(plan_.call.version).family; }
    const Shape& N_shape() const { return plan_.call.data.shape; }
    const Shape& M_shape() const { return plan_.call.indices.shape; }

    void axis() {
        const std::int64_t a = plan_.call.axis;
        const std::int64_t b = plan_.call.batch_dims;
        plan_.front = Front::axis;
        plan_.batches = product(N_shape(), 0, b);
        plan_.tables = product(N_shape(), b, a);
        plan_.picks = product(M_shape(), b, M_shape().rank());
        plan_.table_units = N_shape()[a];
        plan_.unit_bits = product(N_shape(), a + 1, N_shape().rank()) * bits(plan_.call.data.type);
        plan_.strides.push_back(1);
        plan_.flat = plan_.batches > 1 && plan_.tables == 1 && plan_.picks < flat_batch_picks;
    }

    void tuples() {
        const std::int64_t b = plan_.call.batch_dims;
        const std::int64_t n = plan_.components;
        plan_.front = Front::tuples;
        plan_.batches = product(N_shape(), 0, b);
        plan_.picks = product(M_shape(), b, M_shape().rank() - 1);
        plan_.table_units = product(N_shape(), b, b + n);
        plan_.unit_bits = product(N_shape(), b + n, N_shape().rank()) * bits(plan_.call.data.type);
        for (std::int64_t t = 0; t < n; ++t) {
            plan_.strides.push_back(product(N_shape(), b + t + 1, b + n));
        }
        plan_.flat = true;
    }

    /// Dimensions of size 1 in indices are dropped, and neighbours that step alike
    /// in data become one. The axis steps by 0: its place comes from the index.
    void elementwise() {
        const std::int64_t a = plan_.call.axis;
        const std::int64_t rank = N_shape().rank();
        plan_.front = Front::elementwise;
        plan_.unit_bits = bits(plan_.call.data.type);
        plan_.table_units = N_shape()[a];
        plan_.index_step = product(N_shape(), a + 1, rank);
        Shape sizes;  // innermost first
        Shape steps;
        std::int64_t step = 1;
        for (std::int64_t k = rank - 1; k >= 0; step *= N_shape()[k], --k) {
            const std::int64_t size = M_shape()[k];
            const std::int64_t own = k == a ? 0 : step;
            if (size == 1) continue;
            const std::int64_t last = sizes.rank() - 1;
            if (last >= 0 && own == steps[last] * sizes[last]) {
                sizes[last] *= size;
            } else {
                sizes.push_back(size);
                steps.push_back(own);
            }
        }
        if (sizes.rank() > 0) {
            plan_.lanes = sizes[0];
            plan_.lane_step = steps[0];
        }
        if (sizes.rank() > 1) {
            plan_.rows = sizes[1];
            plan_.row_step = steps[1];
        }
        for (std::int64_t k = sizes.rank() - 1; k >= 2; --k) {
            plan_.outer_sizes.push_back(sizes[k]);
            plan_.outer_steps.push_back(steps[k]);
        }
    }

    /// Units that positions count.
    std::int64_t table_size() const {
        return plan_.flat ? plan_.batches * plan_.table_units : plan_.table_units;
    }

    /// The farthest unit of a kernel's table, from its start.
    std::int64_t reach() const {
        return (table_size() - 1) * plan_.index_step + (plan_.lanes - 1) * plan_.lane_step;
    }

    void positions() {
        plan_.resolved = table_size() <= narrow_limit ? PositionWidth::narrow : PositionWidth::wide;
        plan_.in_place = plan_.kind == IndexKind::i32 ? PositionWidth::narrow : PositionWidth::wide;
        plan_.usable_in_place = (plan_.kind == IndexKind::i32 || plan_.kind == IndexKind::i64) &&
                                plan_.components == 1 && (!plan_.flat || plan_.batches == 1);
    }

    void choose_kernels() {
        const Kernels& kernels = *plan_.kernels;
        const std::int64_t bytes = plan_.unit_bits / 8;
        const bool element = bytes <= 16 && std::has_single_bit(static_cast<std::uint64_t>(bytes));
        if (!element) {
            const auto row_class = static_cast<std::size_t>(class_of(bytes));
            for (int width = 0; width < position_width_count; ++width) {
                plan_.move[width] = plan_.marked_move[width] = kernels.rows[width][row_class];
            }
            return;
        }
        const int log = std::countr_zero(static_cast<std::uint64_t>(bytes));
        const bool lanes = plan_.lane_step != 0 || plan_.index_step != 1;
        const int method =
            static_cast<int>(reach() <= narrow_limit ? choices_.method : Method::loads);
        const bool in_registers =
            !lanes && choices_.register_tables && table_size() <= kernels.table_entries[log] &&
            (plan_.front == Front::elementwise ? plan_.lanes : plan_.picks) >= register_table_picks;
        for (int width = 0; width < position_width_count; ++width) {
            const Move other = (lanes ? kernels.lanes : kernels.elements)[method][width][log];
            plan_.marked_move[width] = other;
            plan_.move[width] = in_registers ? kernels.tables[width][log] : other;
        }
    }

    static RowClass class_of(std::int64_t bytes) {
        if (bytes <= 4) return RowClass::to_4;
        if (bytes <= 8) return RowClass::to_8;
        if (bytes <= 16) return RowClass::to_16;
        if (bytes <= 32) return RowClass::to_32;
        if (bytes <= 64) return RowClass::to_64;
        if (bytes <= 128) return RowClass::to_128;
        return RowClass::more;
    }

    Plan& plan_;
    Choices choices_;
};

}  // namespace

Choices Choices::of_this_machine() {
    Choices choices;
    if (machine().fast_gather_instructions) choices.method = Method::gathers;
    return choices;
}

IndexRule index_rule(OperatorVersion version) {
    const OperatorInfo& op = info(version);
    if (op.out_of_bounds == OutOfBounds::zero) return IndexRule::zeros_beyond;
    return op.negative_indices ? IndexRule::from_end_too : IndexRule::from_zero;
}

Plan make_plan(const CheckedCall& call, bool versioned, IndexRule rule, const Kernels& kernels,
               Choices choices) {
    Plan plan;
    plan.call = call;
    plan.call.data.contents = nullptr;
    plan.call.indices.contents = nullptr;
    plan.versioned = versioned;
    plan.rule = rule;
    plan.kernels = &kernels;
    Planner planner(plan, choices);
    planner.indices();
    planner.units();
    return plan;
}

}  // namespace gathercheck::optimized
