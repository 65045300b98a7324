// SPDX-License-Identifier: Apache-2.0
// Counts the lines that a workload touches, and touches as many in order.
#include "tools/bench/lines.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gathercheck::bench {
namespace {

constexpr std::int64_t line_bytes = 64;

/// Calls use(unit) with the number of the unit of data that each pick of the workload touches. A
/// unit is `inner` elements, for GatherElements one.
template <class Use>
void each_pick(const Workload& workload, const Geometry& sizes, const std::byte* indices, Use use) {
    const auto position = [&](std::int64_t k, std::int64_t extent) {
        const std::int64_t index = *integer_element(workload.indices.type, indices, k);
        if (workload.clamps()) return std::clamp(index, std::int64_t{0}, extent - 1);
        return index < 0 ? index + extent : index;
    };
    const std::int64_t tables = sizes.batches * sizes.outer;
    const std::int64_t rows_of_batch = *element_count(sizes.extents);
    for (std::int64_t t = 0; t < tables; ++t) {
        for (std::int64_t k = 0; k < sizes.picks; ++k) {
            switch (workload.family()) {
                case Family::gather: {
                    const std::int64_t batch = t / sizes.outer;
                    use(t * sizes.extent + position(batch * sizes.picks + k, sizes.extent));
                    break;
                }
                case Family::gather_elements:
                    for (std::int64_t i = 0; i < sizes.inner; ++i) {
                        const std::int64_t at = (t * sizes.picks + k) * sizes.inner + i;
                        const std::int64_t row = position(at, sizes.extent);
                        use((t * sizes.extent + row) * sizes.inner + i);
                    }
                    break;
                case Family::gather_nd: {
                    std::int64_t row = 0;
                    for (std::int64_t c = 0; c < sizes.components; ++c) {
                        const std::int64_t at = (t * sizes.picks + k) * sizes.components + c;
                        row = row * sizes.extents[c] + position(at, sizes.extents[c]);
                    }
                    use(t * rows_of_batch + row);
                    break;
                }
                case Family::stablehlo_gather:  // family() is none
                    break;
            }
        }
    }
}

/// Reads `size` bytes in order, what follows being on its way.
void read_bytes(const std::byte* from, std::size_t size) {
    constexpr std::size_t bytes_ahead = 4096;
    std::array<std::uint64_t, line_bytes / 8> words{};
    std::uint64_t seen = 0;
    std::size_t k = 0;
    for (; k + sizeof words <= size; k += sizeof words) {
        __builtin_prefetch(from + k + bytes_ahead);
        std::memcpy(words.data(), from + k, sizeof words);
        for (const std::uint64_t word : words) seen ^= word;
    }
    for (; k < size; ++k) seen ^= static_cast<std::uint64_t>(from[k]);
    asm volatile("" : : "r"(seen));
}

using Write = void (*)(std::byte* to, std::size_t size);

void write_bytes(std::byte* to, std::size_t size) { std::memset(to, 0x5A, size); }

#ifdef __SSE2__
/// By stores that go around the caches.
void stream_bytes(std::byte* to, std::size_t size) {
    const std::size_t head = std::min(size, (64 - reinterpret_cast<std::uintptr_t>(to) % 64) % 64);
    std::memset(to, 0x5A, head);
    const __m128i value = _mm_set1_epi8(0x5A);
    std::size_t k = head;
    for (; k + 16 <= size; k += 16) _mm_stream_si128(reinterpret_cast<__m128i*>(to + k), value);
    std::memset(to + k, 0x5A, size - k);
}
#endif

class LinesContender final : public InProcess<LinesContender> {
public:
    LinesContender(const Tensors& tensors, std::size_t data_bytes, Write write,
                   std::shared_ptr<Team> team)
        : tensors_(tensors),
          data_bytes_(data_bytes),
          write_(write),
          team_(std::move(team)),
          job_([this](int k) { part(k); }) {}

    bool call() {
        team_->run(job_);
        return true;
    }

private:
    /// Its share of each tensor, in so many steps that no stream waits for another.
    void part(int k) {
        constexpr std::size_t step_bytes = 1024;
        const std::size_t most =
            std::max({tensors_.indices_bytes, data_bytes_, tensors_.output_bytes});
        const auto steps = static_cast<std::int64_t>(most / step_bytes + 1);
        const auto [first, last] = Team::share(steps, k, team_->size());
        for (std::int64_t step = first; step < last; ++step) {
            const auto piece = [&](std::size_t bytes, auto use) {
                const std::size_t begin = share_of(bytes, step, steps);
                use(begin, share_of(bytes, step + 1, steps) - begin);
            };
            piece(tensors_.indices_bytes, [&](std::size_t begin, std::size_t size) {
                read_bytes(tensors_.indices + begin, size);
            });
            piece(data_bytes_, [&](std::size_t begin, std::size_t size) {
                read_bytes(tensors_.data + begin, size);
            });
            piece(tensors_.output_bytes, [&](std::size_t begin, std::size_t size) {
                write_(tensors_.output + begin, size);
            });
        }
#ifdef __SSE2__
        _mm_sfence();
#endif
    }

    /// Where step number `step` of so many begins in `bytes`: at a line.
    static std::size_t share_of(std::size_t bytes, std::int64_t step, std::int64_t steps) {
        if (step == steps) return bytes;
        const auto lines = static_cast<std::int64_t>(bytes) / line_bytes;
        return static_cast<std::size_t>(lines * step / steps * line_bytes);
    }

    Tensors tensors_;
    std::size_t data_bytes_;
    Write write_;
    std::shared_ptr<Team> team_;
    std::function<void(int)> job_;
};

}  // namespace

std::int64_t picked_bytes(const Workload& workload, const std::byte* indices) {
    const Geometry sizes = geometry(workload);
    const bool rows = workload.family() != Family::gather_elements;
    const std::int64_t unit_bytes = sizes.element_bytes * (rows ? sizes.inner : 1);
    const std::int64_t data_bytes = *byte_size(workload.data);
    std::vector<bool> picked(static_cast<std::size_t>((data_bytes + line_bytes - 1) / line_bytes));
    each_pick(workload, sizes, indices, [&](std::int64_t unit) {
        const std::int64_t last = ((unit + 1) * unit_bytes - 1) / line_bytes;
        for (std::int64_t line = unit * unit_bytes / line_bytes; line <= last; ++line) {
            picked[static_cast<std::size_t>(line)] = true;
        }
    });
    return std::min(data_bytes, std::ranges::count(picked, true) * line_bytes);
}

std::vector<Entry> lines_contenders(const Tensors& tensors, const std::shared_ptr<Team>& team,
                                    std::int64_t cache_bytes) {
    const auto picked = static_cast<std::size_t>(picked_bytes(*tensors.workload, tensors.indices));
    const auto touched =
        static_cast<std::int64_t>(tensors.indices_bytes + picked + tensors.output_bytes);
    const bool near = touched <= cache_bytes;
    const auto entry = [&](std::string name, Write write) -> Entry {
        if (near) {
            return {std::move(name), Kind::lines, nullptr, "the level 2 cache holds all of them"};
        }
        return {std::move(name), Kind::lines,
                std::make_unique<LinesContender>(tensors, picked, write, team), ""};
    };
    std::vector<Entry> entries;
    entries.push_back(entry("lines", write_bytes));
#ifdef __SSE2__
    entries.push_back(entry("streaming lines", stream_bytes));
#else
    entries.push_back(
        {"streaming lines", Kind::lines, nullptr, "this CPU is none that it was written for"});
#endif
    return entries;
}

}  // namespace gathercheck::bench
