// SPDX-License-Identifier: Apache-2.0
// Shared memory on an anonymous file.
#include "conformance/util/shared_area.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "conformance/util/guarded_buffer.hpp"

namespace gathercheck {
namespace {

std::byte* map_file(int file, std::size_t size, bool read_only) {
    void* mapping =
        ::mmap(nullptr, size, read_only ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return mapping == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapping);
}

}  // namespace

FileHandle memory_file(std::size_t size) {
    FileHandle file(::memfd_create("gathercheck", MFD_CLOEXEC));
    if (!file || ::ftruncate(file.number(), static_cast<off_t>(size)) != 0) return {};
    // A child puts its standard streams in their places: this must not lie there.
    if (!lift(file)) return {};
    return file;
}

std::unique_ptr<SharedArea> SharedArea::make(std::size_t size) {
    FileHandle file = memory_file(size);
    if (!file) return nullptr;
    std::byte* const mapping = map_file(file.number(), size, false);
    if (mapping == nullptr) return nullptr;
    return std::unique_ptr<SharedArea>(new SharedArea(std::move(file), mapping, size));
}

SharedArea::~SharedArea() { ::munmap(mapping_, size_); }

bool SharedArea::map(std::size_t size) {
    std::byte* const mapping = map_file(file_.number(), size, read_only_);
    if (mapping == nullptr) return false;
    ::munmap(mapping_, size_);
    mapping_ = mapping;
    size_ = size;
    return true;
}

bool SharedArea::reserve(std::size_t size) {
    if (size <= size_) return true;
    constexpr std::size_t unasked = std::size_t{64} << 20;
    if (size > std::numeric_limits<std::size_t>::max() / 4) return false;
    // Touching memory that is not there ends the process, so ask first.
    if (size - size_ > unasked && size - size_ > available_memory()) return false;
    const std::size_t grown = size < unasked ? std::max(size, 2 * size_) : size + size / 8;
    if (::ftruncate(file_.number(), static_cast<off_t>(grown)) != 0) return false;
    return map(grown);
}

void SharedArea::shrink(std::size_t size) {
    if (size < size_ && ::ftruncate(file_.number(), static_cast<off_t>(size)) == 0) map(size);
}

bool SharedArea::follow() {
    struct stat information{};
    if (::fstat(file_.number(), &information) != 0) return false;
    const auto size = static_cast<std::size_t>(information.st_size);
    return size == size_ || map(size);
}

void SharedArea::make_read_only() {
    read_only_ = true;
    ::mprotect(mapping_, size_, PROT_READ);
}

}  // namespace gathercheck
