// SPDX-License-Identifier: Apache-2.0
// The memory of one workload: aligned, in huge pages where the system has them, touched beforehand.
#pragma once

#include <cstddef>
#include <span>

#include "tools/bench/workload.hpp"

namespace gathercheck::bench {

/// Zeroed memory that begins at a 2 MiB boundary. Throws std::bad_alloc where there is none.
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t size);
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer();

    std::byte* data() { return begin_; }
    const std::byte* data() const { return begin_; }
    std::size_t size() const { return size_; }
    std::span<std::byte> bytes() { return {begin_, size_}; }
    std::span<const std::byte> bytes() const { return {begin_, size_}; }

private:
    void* mapped_ = nullptr;
    std::size_t mapped_size_ = 0;
    std::byte* begin_ = nullptr;
    std::size_t size_ = 0;
};

/// Everything that is shared by all who are timed on a workload.
struct Buffers {
    explicit Buffers(const Workload& workload);

    Buffer data;
    Buffer indices;
    Buffer output;
    Buffer expected;  ///< the right output, empty until somebody computes it
};

}  // namespace gathercheck::bench
