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

#include "conformance/util/shared_area.hpp"

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

/// Lays new memory there that can only be read; returns where it can be written, null where the
/// system has none.
std::byte* map_twice(std::byte* read_only, std::size_t size) {
    const FileHandle file = memory_file(size);
    if (!file) return nullptr;
    void* writable = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (writable == MAP_FAILED) return nullptr;
    void* const mapped =
        ::mmap(read_only, size, PROT_READ, MAP_SHARED | MAP_FIXED, file.number(), 0);
    if (mapped != MAP_FAILED) return static_cast<std::byte*>(writable);
    ::munmap(writable, size);
    return nullptr;
}

std::optional<std::uint64_t> number_in(const std::string& file) {
    std::ifstream stream(file);
    std::uint64_t number = 0;
    if (stream >> number) return number;
    return std::nullopt;
}

}  // namespace

std::unique_ptr<GuardedBuffer> GuardedBuffer::make(std::size_t size, bool read_only) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 4;
    if (size > most) return nullptr;
    const std::size_t capacity = whole_pages(size);
    void* mapping =
        ::mmap(nullptr, capacity + 2 * guard_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return nullptr;
    auto* const start = static_cast<std::byte*>(mapping);
    std::byte* const accessible = start + guard_size;
    std::byte* const writable = read_only ? map_twice(accessible, capacity) : accessible;
    const bool made = read_only ? writable != nullptr
                                : ::mprotect(accessible, capacity, PROT_READ | PROT_WRITE) == 0;
    if (!made) {
        ::munmap(mapping, capacity + 2 * guard_size);
        return nullptr;
    }
    return std::unique_ptr<GuardedBuffer>(new GuardedBuffer(start, writable, capacity));
}

GuardedBuffer::~GuardedBuffer() {
    if (is_read_only()) ::munmap(writable_, capacity_);
    ::munmap(mapping_, capacity_ + 2 * guard_size);
}

std::byte* GuardedBuffer::accessible() const { return mapping_ + guard_size; }

std::span<std::byte> GuardedBuffer::place(std::size_t size, Flush flush, std::byte canary,
                                          std::size_t gap) {
    const std::size_t before = flush == Flush::start ? gap : capacity_ - size - gap;
    canary_ = canary;
    contents_ = {accessible() + before, size};
    std::memset(writable_, std::to_integer<int>(canary), before);
    std::memset(writable_ + before + size, std::to_integer<int>(canary), capacity_ - before - size);
    return contents_;
}

std::optional<std::int64_t> GuardedBuffer::changed_slack() const {
    const std::byte* const start = accessible();
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
    const auto first = std::bit_cast<std::uintptr_t>(accessible());
    const std::uintptr_t end_guard = first + capacity_;
    if (address < start || address >= end_guard + guard_size) return std::nullopt;
    const bool between = address >= first && address < end_guard;
    if (between && !is_read_only()) return std::nullopt;
    return static_cast<std::int64_t>(address - std::bit_cast<std::uintptr_t>(contents_.data()));
}

GuardedBuffer* GuardedPool::acquire(std::size_t size, bool read_only) {
    if (size > largest_kept) {
        large_.push_back(GuardedBuffer::make(size, read_only));
        return large_.back().get();
    }
    // Powers of two from a page on: the slack that is filled and checked stays small.
    const std::size_t capacity = std::bit_ceil(whole_pages(size));
    SizeClass& size_class = classes_[{capacity, read_only}];
    if (size_class.in_use == size_class.buffers.size()) {
        auto made = GuardedBuffer::make(capacity, read_only);
        if (made == nullptr) return nullptr;
        size_class.buffers.push_back(std::move(made));
    }
    return size_class.buffers[size_class.in_use++].get();
}

void GuardedPool::release() {
    for (auto& [kind, size_class] : classes_) size_class.in_use = 0;
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
