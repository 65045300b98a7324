// SPDX-License-Identifier: Apache-2.0
// Maps and fills the memory of workloads.
#include "tools/bench/buffers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace gathercheck::bench {

Buffer::Buffer(std::size_t size) : size_(size) {
    constexpr std::size_t huge_page = std::size_t{2} << 20;
    // Whole ones: whether a part of one is made huge depends on where the system maps it.
    const std::size_t whole =
        (std::max<std::size_t>(size, 1) + huge_page - 1) / huge_page * huge_page;
    mapped_size_ = whole + huge_page;
    mapped_ =
        mmap(nullptr, mapped_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) {
        mapped_ = nullptr;
        throw std::bad_alloc();
    }
    const auto address = reinterpret_cast<std::uintptr_t>(mapped_);
    const std::uintptr_t aligned = (address + huge_page - 1) / huge_page * huge_page;
    begin_ = static_cast<std::byte*>(mapped_) + (aligned - address);
    madvise(begin_, whole, MADV_HUGEPAGE);  // a wish, not a need
    std::memset(begin_, 0, size_);          // so that every page is there
}

Buffer::Buffer(Buffer&& other) noexcept { *this = std::move(other); }

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    std::swap(mapped_, other.mapped_);
    std::swap(mapped_size_, other.mapped_size_);
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    return *this;
}

Buffer::~Buffer() {
    if (mapped_ != nullptr) munmap(mapped_, mapped_size_);
}

Buffers::Buffers(const Workload& workload)
    : data(static_cast<std::size_t>(*byte_size(workload.data))),
      indices(static_cast<std::size_t>(*byte_size(workload.indices))),
      output(static_cast<std::size_t>(*byte_size(workload.output))) {
    fill_data(workload, data.bytes());
    fill_indices(workload, indices.bytes());
}

}  // namespace gathercheck::bench
