// SPDX-License-Identifier: Apache-2.0
// Mapping, placing and checking guarded buffers.
#include "conformance/util/guarded_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

namespace gathercheck {
namespace {

/// Inaccessible memory costs address space only; so much of it catches strides too.
constexpr std::size_t guard_size = std::size_t{1} << 20;

/// Buffers up to this size are kept for later calls.
constexpr std::size_t largest_kept = std::size_t{1} << 20;

std::size_t page_size() {
    static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return size;
}

std::size_t whole_pages(std::size_t size) {
    const std::size_t page = page_size();
    return std::max<std::size_t>((size + page - 1) / page, 1) * page;
}

/// True where all bytes are `value`.
bool all_are(std::span<const std::byte> bytes, std::byte value) {
    if (bytes.empty()) return true;
    return bytes.front() == value &&
           std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

std::optional<std::uint64_t> number_in(const std::string& file) {
    std::ifstream stream(file);
    std::uint64_t number = 0;
    if (stream >> number) return number;
    return std::nullopt;
}

}  // namespace

std::unique_ptr<GuardedBuffer> GuardedBuffer::make(std::size_t size) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 4;
    if (size > most) return nullptr;
    const std::size_t capacity = whole_pages(size);
    void* mapping =
        ::mmap(nullptr, capacity + 2 * guard_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return nullptr;
    auto* start = static_cast<std::byte*>(mapping);
    if (::mprotect(start + guard_size, capacity, PROT_READ | PROT_WRITE) != 0) {
        ::munmap(mapping, capacity + 2 * guard_size);
        return nullptr;
    }
    return std::unique_ptr<GuardedBuffer>(new GuardedBuffer(start, capacity));
}

GuardedBuffer::~GuardedBuffer() { ::munmap(mapping_, capacity_ + 2 * guard_size); }

std::span<std::byte> GuardedBuffer::place(std::size_t size, Flush flush, std::byte canary,
                                          std::size_t gap) {
    std::byte* const start = mapping_ + guard_size;
    if (read_only_ && ::mprotect(start, capacity_, PROT_READ | PROT_WRITE) != 0) return {};
    read_only_ = false;
    const std::size_t before = flush == Flush::start ? gap : capacity_ - size - gap;
    canary_ = canary;
    contents_ = {start + before, size};
    std::memset(start, std::to_integer<int>(canary), before);
    std::memset(start + before + size, std::to_integer<int>(canary), capacity_ - before - size);
    return contents_;
}

void GuardedBuffer::make_read_only() {
    read_only_ = ::mprotect(mapping_ + guard_size, capacity_, PROT_READ) == 0;
}

std::optional<std::int64_t> GuardedBuffer::changed_slack() const {
    const std::byte* const start = mapping_ + guard_size;
    const std::byte* const end = start + capacity_;
    const std::span<const std::byte> before(start, contents_.data());
    const std::span<const std::byte> behind(contents_.data() + contents_.size(), end);
    if (!all_are(behind, canary_)) {
        const auto* changed =
            std::find_if(behind.data(), end, [&](std::byte byte) { return byte != canary_; });
        return changed - contents_.data();
    }
    if (!all_are(before, canary_)) {
        const auto changed = std::find_if(before.rbegin(), before.rend(),
                                          [&](std::byte byte) { return byte != canary_; });
        return -1 - (changed - before.rbegin());
    }
    return std::nullopt;
}

std::optional<std::int64_t> GuardedBuffer::offset_in_guard(std::uintptr_t address) const {
    const auto start = std::bit_cast<std::uintptr_t>(mapping_);
    const std::uintptr_t accessible = start + guard_size;
    const std::uintptr_t end_guard = accessible + capacity_;
    if (address < start || address >= end_guard + guard_size) return std::nullopt;
    const bool between = address >= accessible && address < end_guard;
    if (between && !read_only_) return std::nullopt;
    return static_cast<std::int64_t>(address - std::bit_cast<std::uintptr_t>(contents_.data()));
}

GuardedBuffer* GuardedPool::acquire(std::size_t size) {
    if (size > largest_kept) {
        large_.push_back(GuardedBuffer::make(size));
        return large_.back().get();
    }
    // Powers of two from a page on: the slack that is filled and checked stays small.
    const std::size_t capacity = std::bit_ceil(whole_pages(size));
    SizeClass& size_class = classes_[capacity];
    if (size_class.in_use == size_class.buffers.size()) {
        auto made = GuardedBuffer::make(capacity);
        if (made == nullptr) return nullptr;
        size_class.buffers.push_back(std::move(made));
    }
    return size_class.buffers[size_class.in_use++].get();
}

void GuardedPool::release() {
    for (auto& [capacity, size_class] : classes_) size_class.in_use = 0;
    large_.clear();
}

std::uint64_t available_memory() {
    std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
    std::ifstream file("/proc/meminfo");
    std::string key;
    std::uint64_t kilobytes = 0;
    std::string rest;
    while (file >> key >> kilobytes && std::getline(file, rest)) {
        if (key == "MemAvailable:") available = kilobytes * 1024;
    }
    const auto most = number_in("/sys/fs/cgroup/memory.max");  // "max" where there is no limit
    const auto current = number_in("/sys/fs/cgroup/memory.current");
    if (most && current) available = std::min(available, *most - std::min(*most, *current));
    return available;
}

}  // namespace gathercheck
