// SPDX-License-Identifier: Apache-2.0
// Chooses kernels, prefetch distances and the kind of store.
#include "optimized/access.hpp"

#include <algorithm>
#include <bit>

#include "optimized/plan.hpp"

namespace gathercheck::optimized {
namespace {

/// Slices in flight: so many that about this many bytes are, but not more than so many slices.
constexpr std::int64_t bytes_in_flight = 8192;
constexpr std::int64_t most_slices_in_flight = 32;

/// Elements in flight.
constexpr std::int64_t elements_in_flight = 128;

/// Picks from a table that are worth loading it into registers.
constexpr std::int64_t register_table_picks = 32;

/// Runs of larger units gain nothing by being merged.
constexpr std::int64_t widest_run_unit = 1024;

class Chooser {
public:
    Chooser(const Plan& plan, const Kernels& kernels, const Tuning& tuning)
        : plan_(plan), kernels_(kernels), tuning_(tuning), bytes_(plan.unit_bits / 8) {}

    Access choose() {
        access_.streaming = passes_through_caches();
        // Threads that share an output about as large as L3 are faster through the caches.
        access_.streaming_in_parts = access_.streaming && plan_.output_bytes >= tuning_.stream_from;
        const bool element = bytes_ <= 16 && std::has_single_bit(std::uint64_t(bytes_));
        if (tuning_.runs && bytes_ <= widest_run_unit) choose_patterns(element);
        if (element) {
            choose_element_kernels();
        } else {
            choose_slice_kernels(bytes_, access_.move);
            choose_slice_kernels(bytes_, access_.move_or_zero);
            access_.prefetch_distance = slices_in_flight(bytes_);
        }
        // Rows of GatherElements that lie in data as they lie in the output, and all start from the
        // same place.
        if (tuning_.runs && plan_.front == Front::elementwise && plan_.row_step == 0 &&
            plan_.rule.beyond != OutOfBounds::zero && plan_.rows > 1 && plan_.column_step == 1 &&
            plan_.picks <= block_positions) {
            choose_slice_kernels(plan_.picks * bytes_, access_.move_whole_rows);
            access_.whole_rows_distance = slices_in_flight(plan_.picks * bytes_);
        }
        return access_;
    }

private:
    /// Whether the output, with indices and as much data, does not stay in the caches until the
    /// call is repeated.
    bool passes_through_caches() const {
        const std::int64_t output = plan_.output_bytes;
        const CheckedCall& call = plan_.call;
        const std::int64_t data = *byte_size({call.data.type, call.data.shape});
        const std::int64_t indices = *byte_size({call.indices.type, call.indices.shape});
        return output >= tuning_.stream_from / 2 &&
               indices >= tuning_.stream_from - output - std::min(data, output);
    }

    void choose_patterns(bool element) {
        if (plan_.column_step == 1) {
            access_.copied = Pattern::constant;
        } else if (plan_.column_step == 0) {
            if (plan_.index_step == 1) access_.copied = Pattern::consecutive;
            if (element) access_.filled = Pattern::constant;
        }
    }

    void choose_element_kernels() {
        const auto log = static_cast<std::size_t>(std::countr_zero(std::uint64_t(bytes_)));
        // Gathers take positions of 32 bits, and wait for all of their elements: not where most of
        // these come from beyond L2.
        const bool by_gathers = tuning_.methods[log] == Method::gathers &&
                                table_bytes() / 2 < tuning_.prefetch_from &&
                                plan_.reach() < narrow_limit;
        const Method method = by_gathers ? Method::gathers : Method::loads;
        const int size = plan_.has_columns() ? -1 : register_table_size(log);
        for (int width = 0; width < position_width_count; ++width) {
            access_.move_or_zero[width] = kernels_.elements[static_cast<int>(method)][width][log];
            access_.move[width] = size >= 0 ? kernels_.register_tables[width][log][size]
                                            : access_.move_or_zero[width];
        }
        access_.by_register_table = size >= 0;
        access_.fill = kernels_.fill[log];
        if (table_bytes() >= tuning_.prefetch_elements_from)
            access_.prefetch_distance = elements_in_flight;
    }

    /// -1 where no table in registers holds all units or pays.
    int register_table_size(std::size_t log) const {
        const std::int64_t picks = std::max(register_table_picks, plan_.table_units);
        if (!tuning_.register_tables || plan_.picks < picks) return -1;
        for (int size = 0; size < table_size_count; ++size) {
            if (plan_.position_limit() <= kernels_.table_entries[log][size]) return size;
        }
        return -1;
    }

    void choose_slice_kernels(std::int64_t bytes, Move (&moves)[position_width_count]) const {
        const std::int64_t* const wide_enough = std::ranges::lower_bound(slice_class_widths, bytes);
        for (int width = 0; width < position_width_count; ++width) {
            moves[width] = kernels_.slices[width][wide_enough - slice_class_widths];
        }
    }

    std::int64_t slices_in_flight(std::int64_t bytes) const {
        if (table_bytes() < tuning_.prefetch_from) return 0;
        return std::clamp(bytes_in_flight / bytes, std::int64_t{2}, most_slices_in_flight);
    }

    std::int64_t table_bytes() const { return (plan_.reach() + 1) * bytes_; }

    const Plan& plan_;
    const Kernels& kernels_;
    const Tuning& tuning_;
    const std::int64_t bytes_;
    Access access_;
};

}  // namespace

Access choose_access(const Plan& plan, const Kernels& kernels, const Tuning& tuning) {
    return Chooser(plan, kernels, tuning).choose();
}

}  // namespace gathercheck::optimized
