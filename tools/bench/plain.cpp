// SPDX-License-Identifier: Apache-2.0
// Plain checked loops as one would write them for one type each, and plain copies.
#include "tools/bench/plain.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "optimized/tuning.hpp"
#include "tools/bench/buffers.hpp"
#include "tools/bench/lines.hpp"
#include "tools/bench/team.hpp"

namespace gathercheck::bench {
namespace {

/// A loop over a part of the work: of batches x outer (or outer rows), or of picks. False where an
/// index is out of bounds.
struct Part {
    std::int64_t first_table = 0;
    std::int64_t last_table = 0;
    std::int64_t first_pick = 0;
    std::int64_t last_pick = 0;
};
using Loop = bool (*)(const Geometry&, const std::byte* data, const std::byte* indices,
                      std::byte* output, Part);

/// What becomes of an index outside its range.
enum class Beyond : std::uint8_t { is_refused, is_clamped };

/// The index as a position in [0, extent); false where it is out of bounds.
template <Beyond beyond, class Index>
bool resolve(Index index, std::int64_t extent, std::int64_t& position) {
    if constexpr (beyond == Beyond::is_clamped) {
        const auto last = static_cast<Index>(extent - 1);  // parse_workload sees to it that it fits
        position = static_cast<std::int64_t>(std::clamp(index, Index{0}, last));
        return true;
    }
    if constexpr (sizeof(Index) == 8 && !std::is_signed_v<Index>) {
        if (index >= static_cast<std::uint64_t>(extent)) return false;
    }
    position = static_cast<std::int64_t>(index);
    if (position < 0) position += extent;
    return position >= 0 && position < extent;
}

struct Word16 {
    std::uint64_t low;
    std::uint64_t high;
};

template <Beyond beyond, class Word, class Index>
bool gather_loop(const Geometry& sizes, const std::byte* data, const std::byte* indices,
                 std::byte* output, Part part) {
    const auto* table = reinterpret_cast<const Word*>(data);
    const auto* index = reinterpret_cast<const Index*>(indices);
    auto* out = reinterpret_cast<Word*>(output);
    for (std::int64_t u = part.first_table; u < part.last_table; ++u) {
        const Word* const rows = table + u * sizes.extent * sizes.inner;
        const Index* const picks = index + u / sizes.outer * sizes.picks;
        Word* to = out + (u * sizes.picks + part.first_pick) * sizes.inner;
        for (std::int64_t k = part.first_pick; k < part.last_pick; ++k) {
            std::int64_t row = 0;
            if (!resolve<beyond>(picks[k], sizes.extent, row)) return false;
            const Word* const from = rows + row * sizes.inner;
            for (std::int64_t i = 0; i < sizes.inner; ++i) *to++ = from[i];
        }
    }
    return true;
}

/// The same with a memcpy for each row.
template <Beyond beyond, class Index>
bool gather_memcpy(const Geometry& sizes, const std::byte* data, const std::byte* indices,
                   std::byte* output, Part part) {
    const auto* index = reinterpret_cast<const Index*>(indices);
    const std::int64_t row_bytes = sizes.inner * sizes.element_bytes;
    for (std::int64_t u = part.first_table; u < part.last_table; ++u) {
        const std::byte* const rows = data + u * sizes.extent * row_bytes;
        const Index* const picks = index + u / sizes.outer * sizes.picks;
        std::byte* to = output + (u * sizes.picks + part.first_pick) * row_bytes;
        for (std::int64_t k = part.first_pick; k < part.last_pick; ++k) {
            std::int64_t row = 0;
            if (!resolve<beyond>(picks[k], sizes.extent, row)) return false;
            std::memcpy(to, rows + row * row_bytes, static_cast<std::size_t>(row_bytes));
            to += row_bytes;
        }
    }
    return true;
}

template <Beyond beyond, class Word, class Index>
bool elements_loop(const Geometry& sizes, const std::byte* data, const std::byte* indices,
                   std::byte* output, Part part) {
    const auto* table = reinterpret_cast<const Word*>(data);
    const auto* index = reinterpret_cast<const Index*>(indices);
    auto* out = reinterpret_cast<Word*>(output);
    for (std::int64_t u = part.first_table; u < part.last_table; ++u) {
        const Word* const rows = table + u * sizes.extent * sizes.inner;
        for (std::int64_t k = part.first_pick; k < part.last_pick; ++k) {
            const std::int64_t at = (u * sizes.picks + k) * sizes.inner;
            for (std::int64_t i = 0; i < sizes.inner; ++i) {
                std::int64_t row = 0;
                if (!resolve<beyond>(index[at + i], sizes.extent, row)) return false;
                out[at + i] = rows[row * sizes.inner + i];
            }
        }
    }
    return true;
}

/// The number of the row that a tuple picks; false where a component is out of bounds.
template <Beyond beyond, class Index>
bool resolve_tuple(const Geometry& sizes, const Index* tuple, std::int64_t& row) {
    row = 0;
    for (std::int64_t c = 0; c < sizes.components; ++c) {
        std::int64_t component = 0;
        if (!resolve<beyond>(tuple[c], sizes.extents[c], component)) return false;
        row = row * sizes.extents[c] + component;
    }
    return true;
}

template <Beyond beyond, class Word, class Index>
bool tuples_loop(const Geometry& sizes, const std::byte* data, const std::byte* indices,
                 std::byte* output, Part part) {
    const auto* table = reinterpret_cast<const Word*>(data);
    const auto* index = reinterpret_cast<const Index*>(indices);
    auto* out = reinterpret_cast<Word*>(output);
    const std::int64_t rows_of_batch = *element_count(sizes.extents);
    for (std::int64_t b = part.first_table; b < part.last_table; ++b) {
        const Word* const rows = table + b * rows_of_batch * sizes.inner;
        for (std::int64_t k = part.first_pick; k < part.last_pick; ++k) {
            const std::int64_t at = b * sizes.picks + k;
            std::int64_t row = 0;
            if (!resolve_tuple<beyond>(sizes, index + at * sizes.components, row)) return false;
            const Word* const from = rows + row * sizes.inner;
            Word* const to = out + at * sizes.inner;
            for (std::int64_t i = 0; i < sizes.inner; ++i) to[i] = from[i];
        }
    }
    return true;
}

template <Beyond beyond, class Index>
bool tuples_memcpy(const Geometry& sizes, const std::byte* data, const std::byte* indices,
                   std::byte* output, Part part) {
    const auto* index = reinterpret_cast<const Index*>(indices);
    const std::int64_t rows_of_batch = *element_count(sizes.extents);
    const std::int64_t row_bytes = sizes.inner * sizes.element_bytes;
    for (std::int64_t b = part.first_table; b < part.last_table; ++b) {
        const std::byte* const rows = data + b * rows_of_batch * row_bytes;
        for (std::int64_t k = part.first_pick; k < part.last_pick; ++k) {
            const std::int64_t at = b * sizes.picks + k;
            std::int64_t row = 0;
            if (!resolve_tuple<beyond>(sizes, index + at * sizes.components, row)) return false;
            std::memcpy(output + at * row_bytes, rows + row * row_bytes,
                        static_cast<std::size_t>(row_bytes));
        }
    }
    return true;
}

template <Beyond beyond, class Index>
Loop loop_for(Family family, std::int64_t element_bytes) {
    constexpr std::array<std::array<Loop, 5>, 3> loops{{
        {gather_loop<beyond, std::uint8_t, Index>, gather_loop<beyond, std::uint16_t, Index>,
         gather_loop<beyond, std::uint32_t, Index>, gather_loop<beyond, std::uint64_t, Index>,
         gather_loop<beyond, Word16, Index>},
        {elements_loop<beyond, std::uint8_t, Index>, elements_loop<beyond, std::uint16_t, Index>,
         elements_loop<beyond, std::uint32_t, Index>, elements_loop<beyond, std::uint64_t, Index>,
         elements_loop<beyond, Word16, Index>},
        {tuples_loop<beyond, std::uint8_t, Index>, tuples_loop<beyond, std::uint16_t, Index>,
         tuples_loop<beyond, std::uint32_t, Index>, tuples_loop<beyond, std::uint64_t, Index>,
         tuples_loop<beyond, Word16, Index>},
    }};
    std::size_t width = 0;
    while (std::int64_t{1} << width < element_bytes) ++width;
    return loops[static_cast<std::size_t>(family)][width];
}

/// The loop, and the loop with a memcpy (null for GatherElements).
struct Loops {
    Loop plain = nullptr;
    Loop with_memcpy = nullptr;
};

template <Beyond beyond, class Index>
Loops loops_for(Family family, std::int64_t element_bytes) {
    const Loop with_memcpy = family == Family::gather      ? gather_memcpy<beyond, Index>
                             : family == Family::gather_nd ? tuples_memcpy<beyond, Index>
                                                           : nullptr;
    return {loop_for<beyond, Index>(family, element_bytes), with_memcpy};
}

template <Beyond beyond>
Loops loops_with(const Workload& workload) {
    const Family family = workload.family();
    const std::int64_t element_bytes = bits(workload.data.type) / 8;
    const bool is_signed = info(workload.indices.type).kind == ElementKind::signed_integer;
    switch (bits(workload.indices.type)) {
        case 8:
            return is_signed ? loops_for<beyond, std::int8_t>(family, element_bytes)
                             : loops_for<beyond, std::uint8_t>(family, element_bytes);
        case 16:
            return is_signed ? loops_for<beyond, std::int16_t>(family, element_bytes)
                             : loops_for<beyond, std::uint16_t>(family, element_bytes);
        case 32:
            return is_signed ? loops_for<beyond, std::int32_t>(family, element_bytes)
                             : loops_for<beyond, std::uint32_t>(family, element_bytes);
        default:
            return is_signed ? loops_for<beyond, std::int64_t>(family, element_bytes)
                             : loops_for<beyond, std::uint64_t>(family, element_bytes);
    }
}

Loops loops_of(const Workload& workload) {
    return workload.clamps() ? loops_with<Beyond::is_clamped>(workload)
                             : loops_with<Beyond::is_refused>(workload);
}

class LoopContender final : public InProcess<LoopContender> {
public:
    LoopContender(const Tensors& tensors, Loop loop, std::shared_ptr<Team> team)
        : tensors_(tensors),
          sizes_(geometry(*tensors.workload)),
          loop_(loop),
          team_(std::move(team)),
          job_([this](int k) { part(k); }) {
        // Waking others costs a microsecond or more: a nanosecond for each pick and for 25 bytes
        // are to be worth it.
        const std::int64_t picks =
            tables() * sizes_.picks *
            (tensors.workload->family() == Family::gather_elements ? sizes_.inner : 1);
        is_long_ = picks + static_cast<std::int64_t>(tensors.output_bytes) / 25 > 5000;
    }

    bool call() {
        good_.store(true, std::memory_order_relaxed);
        if (team_->size() == 1 || !is_long_) {
            return loop_(sizes_, tensors_.data, tensors_.indices, tensors_.output,
                         {0, tables(), 0, sizes_.picks});
        }
        team_->run(job_);
        return good_.load(std::memory_order_relaxed);
    }
    std::string why() const { return "an index is out of bounds"; }

private:
    std::int64_t tables() const { return sizes_.batches * sizes_.outer; }
    void part(int k) {
        Part mine{0, tables(), 0, sizes_.picks};
        if (tables() >= team_->size()) {
            std::tie(mine.first_table, mine.last_table) = Team::share(tables(), k, team_->size());
        } else {
            std::tie(mine.first_pick, mine.last_pick) = Team::share(sizes_.picks, k, team_->size());
        }
        if (!loop_(sizes_, tensors_.data, tensors_.indices, tensors_.output, mine)) {
            good_.store(false, std::memory_order_relaxed);
        }
    }

    Tensors tensors_;
    Geometry sizes_;
    Loop loop_;
    std::shared_ptr<Team> team_;
    std::function<void(int)> job_;
    bool is_long_ = false;
    std::atomic<bool> good_{true};
};

void copy_with_memcpy(std::byte* to, const std::byte* from, std::size_t size) {
    std::memcpy(to, from, size);
}

#ifdef __SSE2__
/// Stores that go around the caches.
void copy_streaming(std::byte* to, const std::byte* from, std::size_t size) {
    const std::size_t head = std::min(size, (64 - reinterpret_cast<std::uintptr_t>(to) % 64) % 64);
    std::memcpy(to, from, head);
    std::size_t k = head;
    for (; k + 64 <= size; k += 64) {
        const auto* source = reinterpret_cast<const __m128i*>(from + k);
        auto* target = reinterpret_cast<__m128i*>(to + k);
        const __m128i a = _mm_loadu_si128(source);
        const __m128i b = _mm_loadu_si128(source + 1);
        const __m128i c = _mm_loadu_si128(source + 2);
        const __m128i d = _mm_loadu_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    std::memcpy(to + k, from + k, size - k);
    _mm_sfence();
}
#endif

using Copy = void (*)(std::byte* to, const std::byte* from, std::size_t size);

class CopyContender final : public InProcess<CopyContender> {
public:
    CopyContender(const Tensors& tensors, Copy copy, std::shared_ptr<const Buffer> source,
                  std::shared_ptr<Team> team)
        : tensors_(tensors),
          copy_(copy),
          source_(std::move(source)),
          team_(std::move(team)),
          job_([this](int k) {
              const auto [first, last] = Team::share(
                  static_cast<std::int64_t>(tensors_.output_bytes / 64), k, team_->size());
              const bool is_last = k + 1 == team_->size();
              const std::size_t begin = static_cast<std::size_t>(first) * 64;
              const std::size_t end =
                  is_last ? tensors_.output_bytes : static_cast<std::size_t>(last) * 64;
              copy_(tensors_.output + begin, source_->data() + begin, end - begin);
          }) {}

    bool call() {
        if (team_->size() == 1 || tensors_.output_bytes < 262144) {
            copy_(tensors_.output, source_->data(), tensors_.output_bytes);
        } else {
            team_->run(job_);
        }
        return true;
    }

private:
    Tensors tensors_;
    Copy copy_;
    std::shared_ptr<const Buffer> source_;
    std::shared_ptr<Team> team_;
    std::function<void(int)> job_;
};

}  // namespace

bool run_plain_loop(const Workload& workload, const std::byte* data, const std::byte* indices,
                    std::byte* output) {
    const Geometry sizes = geometry(workload);
    return loops_of(workload).plain(sizes, data, indices, output,
                                    {0, sizes.batches * sizes.outer, 0, sizes.picks});
}

std::vector<Entry> plain_contenders(const Tensors& tensors) {
    const auto team = std::make_shared<Team>(tensors.threads);
    const Loops loops = loops_of(*tensors.workload);
    std::vector<Entry> entries;
    entries.push_back({"plain loop", Kind::plain,
                       std::make_unique<LoopContender>(tensors, loops.plain, team), ""});
    entries.push_back({"memcpy per row", Kind::plain, nullptr, "GatherElements has no rows"});
    if (loops.with_memcpy != nullptr) {
        entries.back() = {"memcpy per row", Kind::plain,
                          std::make_unique<LoopContender>(tensors, loops.with_memcpy, team), ""};
    }
    const auto source = std::make_shared<const Buffer>(tensors.output_bytes);
    entries.push_back({"copy", Kind::bound,
                       std::make_unique<CopyContender>(tensors, copy_with_memcpy, source, team),
                       ""});
#ifdef __SSE2__
    entries.push_back({"streaming copy", Kind::bound,
                       std::make_unique<CopyContender>(tensors, copy_streaming, source, team), ""});
#else
    entries.push_back(
        {"streaming copy", Kind::bound, nullptr, "this CPU is none that it was written for"});
#endif
    for (Entry& entry : lines_contenders(tensors, team, optimized::caches().level2)) {
        entries.push_back(std::move(entry));
    }
    return entries;
}

}  // namespace gathercheck::bench
