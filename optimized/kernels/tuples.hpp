// SPDX-License-Identifier: Apache-2.0
// Kernels on tuples of indices: check them, and turn each into the position of a row, or pick its
// element at once.
#pragma once

#include "optimized/kernels/elements.hpp"
#include "optimized/kernels/indices.hpp"

namespace gathercheck::optimized {
namespace {

/// The bounds of a tuple's components repeat; kept once more than a vector is
/// long, they can be loaded from any component on.
template <class Raw, class A>
IndexSummary scan_tuples(const std::byte* indices, std::int64_t tuples, std::int64_t components,
                         const std::int64_t* extents, bool negative_allowed) {
    using Signed = std::make_signed_t<Raw>;
    constexpr std::int64_t lanes = lanes_of<Signed, A>;
    constexpr std::int64_t most_components = 64;
    const std::int64_t count = tuples * components;
    if (components == 1) {
        return scan<Raw, A>(indices, count, negative_allowed ? -extents[0] : 0, extents[0] - 1);
    }
    Signed biases[most_components + lanes];
    Signed limits[most_components + lanes];
    const std::int64_t pattern = count < lanes ? components : components + lanes;
    for (std::int64_t k = 0; k < pattern; ++k) {
        const std::int64_t extent = extents[k < components ? k : k % components];
        const RangeCheck<Raw> range(negative_allowed ? -extent : 0, extent - 1);
        biases[k] = range.bias;
        limits[k] = range.limit;
    }
    IndexSummary summary{false, false, compiled_for};
    Mask<Signed, A> bad(false);
    Batch<Signed, A> signs(Signed{0});
    const std::int64_t step = lanes % components;
    std::int64_t k = 0;
    std::int64_t component = 0;
    for (; k + lanes <= count; k += lanes) {
        ask_for_next(indices + k * raw_size<Raw>, count * raw_size<Raw>);
        const auto x = load<Signed, A>(indices + k * raw_size<Raw>);
        const auto bias = Batch<Signed, A>::load_unaligned(biases + component);
        const auto limit = Batch<Signed, A>::load_unaligned(limits + component);
        bad = bad | (x + bias > limit);
        signs = signs | x;
        component += step;
        if (component >= components) component -= components;
    }
    summary.out_of_bounds = xsimd::any(bad);
    if constexpr (std::is_signed_v<Raw>) {
        summary.negative = xsimd::any(signs < Batch<Signed, A>(Signed{0}));
    }
    for (; k < count; ++k) {
        RangeCheck<Raw> range;
        range.bias = biases[component];
        range.limit = limits[component];
        const Raw x = element<Raw>(indices, k);
        summary.out_of_bounds |= range.broken_by(x);
        summary.negative |= is_negative(x);
        component = component + 1 == components ? 0 : component + 1;
    }
    return summary;
}

/// Tuples whose positions have 32 bits, a vector of them at a time. Indices are mostly positions as
/// they are: they can be taken for such until others are seen.
template <std::int64_t Components, bool Checked, class Raw, class A>
class TupleReader {
public:
    static_assert(Components >= 2 && Components <= 4);
    using Vector = Batch<std::int32_t, A>;

    static constexpr std::int64_t lanes = lanes_of<std::int32_t, A>;

    explicit TupleReader(const FlattenJob& job) : far_(job.far) {
        for (std::int64_t t = 0; t < Components; ++t) {
            const auto extent = static_cast<std::int32_t>(job.extents[t]);
            from_end_[t] = Vector(job.negative_allowed ? extent : 0);
            if (t < last) stride_[t] = Vector(static_cast<std::int32_t>(job.strides[t]));
            wrapped_[t] = as_they_are_[t] = PositionCheck<std::int32_t, A>(extent);
        }
    }

    /// Of the tuples from `from` on. Any numbers where an index is illegal or, unless `Wraps`,
    /// negative.
    template <bool Wraps>
    [[gnu::always_inline]] Vector positions(const std::byte* from) {
        Vector indices[Components];
        for (std::int64_t v = 0; v < Components; ++v) {
            indices[v] = read<Wraps>(from + v * lanes * raw_size<Raw>);
        }
        if constexpr (Components == 2) {
            return place<Wraps, 0>(firsts<A>(indices[0], indices[1])) +
                   place<Wraps, 1>(seconds<A>(indices[0], indices[1], A{}));
        }
        if constexpr (Components == 3) {
            return place<Wraps, 0>(each_third<0>(indices)) +
                   place<Wraps, 1>(each_third<1>(indices)) +
                   place<Wraps, 2>(each_third<2>(indices));
        }
        if constexpr (Components == 4) {
            const auto even_a = firsts<A>(indices[0], indices[1]);
            const auto even_b = firsts<A>(indices[2], indices[3]);
            const auto odd_a = seconds<A>(indices[0], indices[1], A{});
            const auto odd_b = seconds<A>(indices[2], indices[3], A{});
            return place<Wraps, 0>(firsts<A>(even_a, even_b)) +
                   place<Wraps, 1>(firsts<A>(odd_a, odd_b)) +
                   place<Wraps, 2>(seconds<A>(even_a, even_b, A{})) +
                   place<Wraps, 3>(seconds<A>(odd_a, odd_b, A{}));
        }
    }

    /// Whether all that were not wrapped were legal and not negative.
    [[gnu::always_inline]] bool all_as_they_are() const {
        return !Checked || !(narrower_.lost_high_bits() || any_broken(as_they_are_));
    }

    /// Whether tuples come from past the caches.
    [[gnu::always_inline]] bool far() const { return far_; }

    /// Whether one that was wrapped is illegal.
    bool bad() const { return narrower_.lost_bits() || any_broken(wrapped_); }

private:
    using Checks = PositionCheck<std::int32_t, A>[Components];

    static constexpr std::int64_t last = Components - 1;

    template <bool Wraps>
    [[gnu::always_inline]] Vector read(const std::byte* from) {
        if constexpr (sizeof(Raw) == sizeof(std::int32_t)) return load<std::int32_t, A>(from);
        return Wraps ? narrower_(from) : narrower_.as_they_are(from);
    }

    /// What component T adds to positions; the last one's stride is 1.
    template <bool Wraps, std::int64_t T>
    [[gnu::always_inline]] Vector place(const Vector& index) {
        const Vector at = Wraps ? count_from_end(index, from_end_[T]) : index;
        if constexpr (Wraps) {
            wrapped_[T].add(at);
        } else if constexpr (Checked) {
            as_they_are_[T].add(at);
        }
        if constexpr (T < last) return at * stride_[T];
        return at;
    }

    [[gnu::always_inline]] static bool any_broken(const Checks& checks) {
        bool broken = false;
        for (const auto& check : checks) broken |= check.broken();
        return broken;
    }

    /// The lane of three vectors in which the component of a tuple lies.
    template <std::int64_t Component>
    static constexpr std::int64_t third_of(std::size_t tuple) {
        return 3 * static_cast<std::int64_t>(tuple) + Component;
    }

    /// That lane of the first two vectors; any for what lies in the last.
    template <std::int64_t Component>
    struct InFirstTwo {
        static constexpr std::int32_t get(std::size_t tuple, std::size_t /*lanes*/) {
            const std::int64_t at = third_of<Component>(tuple);
            return static_cast<std::int32_t>(at < 2 * lanes ? at : 0);
        }
    };

    /// The lane of two vectors: of the components from the first two, put in order, and of the
    /// last.
    template <std::int64_t Component>
    struct OrInLast {
        static constexpr std::int32_t get(std::size_t tuple, std::size_t /*lanes*/) {
            const std::int64_t at = third_of<Component>(tuple);
            const std::int64_t behind = at - lanes;
            return static_cast<std::int32_t>(at < 2 * lanes ? static_cast<std::int64_t>(tuple)
                                                            : behind);
        }
    };

    /// Whether a lane of vector V is the component's. No two vectors have it in the same lane.
    template <std::int64_t Component, std::int64_t V>
    struct InVector {
        static constexpr bool get(std::size_t lane, std::size_t /*lanes*/) {
            return (V * lanes + static_cast<std::int64_t>(lane)) % 3 == Component;
        }
    };

    /// The component's lane, whichever vector it is of.
    template <std::int64_t Component>
    struct InAny {
        static constexpr std::uint32_t get(std::size_t tuple, std::size_t /*lanes*/) {
            return static_cast<std::uint32_t>(third_of<Component>(tuple) % lanes);
        }
    };

    template <std::int64_t Component>
    [[gnu::always_inline]] static Vector each_third(const Vector (&indices)[Components]) {
        if constexpr (has_pick_lanes(A{})) {
            const auto first_two =
                xsimd::make_batch_constant<std::int32_t, InFirstTwo<Component>, A>();
            const auto or_in_last =
                xsimd::make_batch_constant<std::int32_t, OrInLast<Component>, A>();
            return pick_lanes<A>(pick_lanes<A>(indices[0], indices[1], first_two, A{}), indices[2],
                                 or_in_last, A{});
        } else {
            using xsimd::make_batch_bool_constant;
            constexpr auto in_first =
                make_batch_bool_constant<std::int32_t, InVector<Component, 0>, A>();
            constexpr auto in_second =
                make_batch_bool_constant<std::int32_t, InVector<Component, 1>, A>();
            const Vector all = xsimd::select(in_first, indices[0],
                                             xsimd::select(in_second, indices[1], indices[2]));
            return xsimd::swizzle(all,
                                  xsimd::make_batch_constant<std::uint32_t, InAny<Component>, A>());
        }
    }

    bool far_;
    Vector from_end_[Components];
    Vector stride_[last];
    Checks wrapped_;
    Checks as_they_are_;
    Narrower<A> narrower_;
};

/// What is done with one component of a tuple: its check, its wrap and its stride.
template <class Raw, class Position>
struct Component {
    using Limb = std::make_unsigned_t<Position>;  // arithmetic modulo its size is enough
    using Wide = std::make_unsigned_t<Raw>;
    using Signed = std::make_signed_t<Raw>;

    Component() = default;
    Component(const FlattenJob& job, std::int64_t t)
        : range(job.negative_allowed ? -job.extents[t] : 0, job.extents[t] - 1),
          last(static_cast<Wide>(job.extents[t] - 1)),
          from_end(job.negative_allowed ? static_cast<Wide>(job.extents[t]) : Wide{0}),
          extent(static_cast<Limb>(job.extents[t])),
          stride(static_cast<Limb>(job.strides[t])) {}

    /// Adds what `x` contributes to a position; negative where it is illegal.
    template <bool Checked>
    Signed add(Raw x, Limb& position) const {
        if constexpr (Checked && sizeof(Raw) == 8) {
            const Wide at = static_cast<Wide>(x) + (is_negative(x) ? from_end : Wide{0});
            position = static_cast<Limb>(position + static_cast<Limb>(at) * stride);
            // The one is negative below the range, the other one above it.
            return static_cast<Signed>(at | (last - at));
        } else {
            const Limb at =
                static_cast<Limb>(static_cast<Limb>(x) + (is_negative(x) ? extent : Limb{0}));
            position = static_cast<Limb>(position + at * stride);
            return Checked && range.broken_by(x) ? Signed{-1} : Signed{0};
        }
    }

    RangeCheck<Raw> range;
    Wide last = 0;
    Wide from_end = 0;
    Limb extent = 0;
    Limb stride = 0;
};

/// Tuples of one batch, which begins at row `base`; true where an index is illegal.
/// `Components` is 0 where the number is not one of the common ones; the loops for
/// those are plain so that the compiler makes vectors of them.
template <std::int64_t Components, bool Checked, class Raw, class Position>
bool flatten_some(const FlattenJob& job, const std::byte* from, std::int64_t count,
                  std::int64_t base, Position* positions) {
    using One = Component<Raw, Position>;
    constexpr bool is_kept = Components != 0;
    One kept[is_kept ? Components : 1];
    if constexpr (is_kept) {
        for (std::int64_t t = 0; t < Components; ++t) kept[t] = One(job, t);
    }
    const std::int64_t components = is_kept ? Components : job.components;
    typename One::Signed bad = 0;
    for (std::int64_t k = 0; k < count; ++k) {
        auto position = static_cast<typename One::Limb>(base);
        for (std::int64_t t = 0; t < components; ++t) {
            const One one = is_kept ? kept[t] : One(job, t);
            bad |= one.template add<Checked>(element<Raw>(from, k * components + t), position);
        }
        positions[k] = static_cast<Position>(position);
    }
    return bad < 0;
}

/// Asks for what follows so many bytes of tuples: of all indices these are the most for each pick,
/// so that they are wanted from beyond the level 2 cache early: more than a block of them, as none
/// is asked for while what a block names is moved. From past the caches once more: what is asked
/// for while a CPU waits for as much as it can, it forgets.
[[gnu::always_inline]] inline void ask_behind(const std::byte* tuples, std::int64_t bytes,
                                              bool far) {
    constexpr std::int64_t far_ahead = 8 * bytes_ahead;
    constexpr std::int64_t once_more_ahead = 3 * bytes_ahead;
    constexpr std::int64_t near_ahead = bytes_ahead / 3;
    for (std::int64_t k = 0; k < bytes; k += line_bytes) {
        __builtin_prefetch(tuples + k + far_ahead, 0, level_2);
        __builtin_prefetch(tuples + k + near_ahead);
    }
    if (!far) return;
    for (std::int64_t k = 0; k < bytes; k += line_bytes) {
        __builtin_prefetch(tuples + k + once_more_ahead, 0, level_2);
    }
}

/// Calls `flatten(first index, tuples, first row of their batch, positions)` for some tuples of one
/// batch after the other.
template <class Raw, class Position, class Flatten>
[[gnu::always_inline]] inline void each_piece(const FlattenJob& job, Position* positions,
                                              Flatten flatten) {
    constexpr std::int64_t most = 128;  // few enough to look at them once more
    const std::byte* from = job.indices;
    const std::int64_t tuple_bytes = job.components * raw_size<Raw>;
    std::int64_t left_in_batch = job.per_batch - job.in_batch;
    std::int64_t base = job.base;
    for (std::int64_t done = 0; done < job.count;) {
        const std::int64_t left = job.count - done;
        std::int64_t count = left < left_in_batch ? left : left_in_batch;
        if (count > most) count = most;
        flatten(from, count, base, positions + done);
        from += count * tuple_bytes;
        done += count;
        left_in_batch -= count;
        if (left_in_batch == 0) {
            left_in_batch = job.per_batch;
            base += job.batch_rows;
        }
    }
}

template <std::int64_t Components, bool Checked, class Raw, class Position>
bool flatten_by_ones(const FlattenJob& job, Position* positions) {
    bool bad = false;
    each_piece<Raw>(
        job, positions,
        [&](const std::byte* from, std::int64_t count, std::int64_t base, Position* to) {
            ask_behind(from, count * job.components * raw_size<Raw>, job.far);
            bad |= flatten_some<Components, Checked, Raw>(job, from, count, base, to);
        });
    return bad;
}

/// Tuples of one batch by a reader, not fewer than its lanes.
template <bool Wraps, std::int64_t Components, class Raw, class Reader>
[[gnu::always_inline]] inline void read_some(Reader& read, const std::byte* from,
                                             std::int64_t count, std::int64_t base,
                                             std::int32_t* positions) {
    using Vector = typename Reader::Vector;
    constexpr std::int64_t tuple_bytes = Components * raw_size<Raw>;
    const Vector bases(static_cast<std::int32_t>(base));
    const auto step = [&](std::int64_t k) __attribute__((always_inline)) {
        const std::byte* tuples = from + k * tuple_bytes;
        ask_behind(tuples, Reader::lanes * tuple_bytes, read.far());
        (read.template positions<Wraps>(tuples) + bases).store_unaligned(positions + k);
    };
    std::int64_t k = 0;
    for (; k + Reader::lanes <= count; k += Reader::lanes) step(k);
    if (k < count) step(count - Reader::lanes);  // the rest, some of it a second time
}

template <std::int64_t Components, bool Checked, class Raw, class A>
bool flatten_by_vectors(const FlattenJob& job, std::int32_t* positions) {
    TupleReader<Components, Checked, Raw, A> read(job);
    bool bad = false;
    bool wraps = false;  // some were negative: more are expected
    each_piece<Raw>(
        job, positions,
        [&](const std::byte* from, std::int64_t count, std::int64_t base, std::int32_t* to) {
            if (count < read.lanes) {
                bad |= flatten_some<Components, Checked, Raw>(job, from, count, base, to);
                return;
            }
            if (!wraps) {
                read_some<false, Components, Raw>(read, from, count, base, to);
                wraps = !read.all_as_they_are();
            }
            if (wraps) read_some<true, Components, Raw>(read, from, count, base, to);
        });
    return bad || read.bad();
}

/// Picks the elements of 4 bytes of some tuples of one batch, not fewer than the reader's lanes.
/// What an illegal index names, or a negative one unless `Wraps`, is not known before the reader is
/// asked: meanwhile it is taken for the last row.
template <bool Wraps, std::int64_t Components, class Raw, class A, class Reader>
[[gnu::always_inline]] inline void gather_some(Reader& read, const std::byte* from,
                                               std::int64_t count, const std::byte* batch,
                                               std::int64_t batch_rows, std::byte* output) {
    constexpr std::int64_t tuple_bytes = Components * raw_size<Raw>;
    const Batch<std::uint32_t, A> last(static_cast<std::uint32_t>(batch_rows - 1));
    const auto pick = [&](std::int64_t k) __attribute__((always_inline)) {
        const std::byte* tuples = from + k * tuple_bytes;
        ask_behind(tuples, Reader::lanes * tuple_bytes, read.far());
        const auto places = read.template positions<Wraps>(tuples);
        const auto there = xsimd::min(xsimd::bitwise_cast<std::uint32_t>(places), last);
        store(output + k * 4, gather(batch, xsimd::bitwise_cast<std::int32_t>(there),
                                     Mask<std::int32_t, A>(true), A{}));
    };
    std::int64_t k = 0;
    for (; k + Reader::lanes <= count; k += Reader::lanes) pick(k);
    if (k < count) pick(count - Reader::lanes);  // some a second time
}

/// False after an illegal index.
template <std::int64_t Components, class Raw, class A>
bool pick_tuples_of(const FlattenJob& job, const std::byte* table, std::byte* output) {
    TupleReader<Components, true, Raw, A> read(job);
    bool bad = false;
    bool wraps = false;  // some were negative: more are expected
    const auto pick_some = [&](const std::byte* from, std::int64_t count, std::int64_t base,
                               std::uint32_t* picked) {
        if (bad) return;
        const std::byte* batch = table + base * 4;
        auto* to = reinterpret_cast<std::byte*>(picked);
        if (count < read.lanes) {
            std::int32_t positions[read.lanes];
            bad = flatten_some<Components, true, Raw>(job, from, count, 0, positions);
            if (!bad) pick_places<4>(batch, positions, count, to);
            return;
        }
        if (!wraps) {
            gather_some<false, Components, Raw, A>(read, from, count, batch, job.batch_rows, to);
            wraps = !read.all_as_they_are();
        }
        if (wraps) {
            gather_some<true, Components, Raw, A>(read, from, count, batch, job.batch_rows, to);
            bad = read.bad();
        }
    };
    each_piece<Raw>(job, reinterpret_cast<std::uint32_t*>(output), pick_some);
    return !bad;
}

template <class Raw, class A>
InstructionSet pick_tuples(const FlattenJob& job, const std::byte* table, std::byte* output) {
    const bool legal = job.components == 2   ? pick_tuples_of<2, Raw, A>(job, table, output)
                       : job.components == 3 ? pick_tuples_of<3, Raw, A>(job, table, output)
                                             : pick_tuples_of<4, Raw, A>(job, table, output);
    return legal ? compiled_for : InstructionSet::none;
}

template <std::int64_t Components, bool Checked, class Raw, class Position, class A>
bool flatten_tuples(const FlattenJob& job, Position* positions) {
    if constexpr (has_gathers(A{}) && Components >= 2 && std::is_signed_v<Raw> &&
                  sizeof(Raw) >= sizeof(Position) && sizeof(Position) == 4) {
        // What a reader costs to begin with is little beside so many.
        constexpr std::int64_t least = 64;
        if (job.count >= least && job.per_batch >= lanes_of<std::int32_t, A>) {
#if defined(__AVX512F__)
            // Longer vectors ask for so many lines at a time that a CPU forgets more of them.
            if (job.far)
                return flatten_by_vectors<Components, Checked, Raw, ThirtyTwo>(job, positions);
#endif
            return flatten_by_vectors<Components, Checked, Raw, A>(job, positions);
        }
    }
    return flatten_by_ones<Components, Checked, Raw>(job, positions);
}

template <bool Checked, class Raw, class Position, class A>
bool flatten_all(const FlattenJob& job, Position* positions) {
    switch (job.components) {
        case 2:
            return flatten_tuples<2, Checked, Raw, Position, A>(job, positions);
        case 3:
            return flatten_tuples<3, Checked, Raw, Position, A>(job, positions);
        case 4:
            return flatten_tuples<4, Checked, Raw, Position, A>(job, positions);
        default:
            return flatten_tuples<0, Checked, Raw, Position, A>(job, positions);
    }
}

template <class Raw, class Position, class A>
InstructionSet flatten(const FlattenJob& job, void* positions) {
    auto* out = static_cast<Position*>(positions);
    const bool bad = job.checked ? flatten_all<true, Raw, Position, A>(job, out)
                                 : flatten_all<false, Raw, Position, A>(job, out);
    return bad ? InstructionSet::none : compiled_for;
}

}  // namespace
}  // namespace gathercheck::optimized
