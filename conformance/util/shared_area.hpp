// SPDX-License-Identifier: Apache-2.0
// Memory that a process shares with its forked child, and values packed into it: both sides are the
// same program, so the format is private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "conformance/util/subprocess.hpp"

namespace gathercheck {

/// Memory of that size that may be mapped several times; none where the system has none.
FileHandle memory_file(std::size_t size);

/// Shared memory that grows. A child made by fork shares it; each side maps it for itself.
class SharedArea {
public:
    /// Null where the system has none.
    static std::unique_ptr<SharedArea> make(std::size_t size);

    SharedArea(const SharedArea&) = delete;
    SharedArea& operator=(const SharedArea&) = delete;
    ~SharedArea();

    std::span<std::byte> bytes() const { return {mapping_, size_}; }
    int descriptor() const { return file_.number(); }

    /// Makes room for at least `size` bytes; addresses may change. False where the memory is not to
    /// be had.
    bool reserve(std::size_t size);

    /// Gives memory back down to `size` bytes; the contents are lost.
    void shrink(std::size_t size);

    /// Maps what the other side has made of the size. False where that fails.
    bool follow();

    /// From here on this side only reads.
    void make_read_only();

private:
    SharedArea(FileHandle file, std::byte* mapping, std::size_t size)
        : file_(std::move(file)), mapping_(mapping), size_(size) {}
    bool map(std::size_t size);

    FileHandle file_;
    std::byte* mapping_;
    std::size_t size_;
    bool read_only_ = false;
};

/// Appends values to an area. After a failure to grow nothing more is written.
class Packer {
public:
    explicit Packer(SharedArea& area, std::size_t position = 0)
        : area_(area), position_(position) {}

    std::size_t position() const { return position_; }
    bool ok() const { return ok_; }
    /// Goes back to an earlier position, and forgets a failure.
    void rewind(std::size_t position) {
        position_ = position;
        ok_ = true;
    }

    template <class T>
    void put(T value) {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
        put_bytes(std::as_bytes(std::span(&value, 1)));
    }
    void put_bytes(std::span<const std::byte> bytes) {
        std::byte* const target = skip(bytes.size());
        if (target != nullptr && !bytes.empty()) {
            std::memcpy(target, bytes.data(), bytes.size());
        }
    }
    void put_text(std::string_view text) {
        put<std::uint64_t>(text.size());
        put_bytes(std::as_bytes(std::span(text)));
    }
    /// Overwrites an earlier value.
    template <class T>
    void put_at(std::size_t position, T value) {
        if (ok_) std::memcpy(area_.bytes().data() + position, &value, sizeof value);
    }

private:
    std::byte* skip(std::size_t size) {
        if (!ok_) return nullptr;
        if (size > area_.bytes().size() - position_ && !area_.reserve(position_ + size)) {
            ok_ = false;
            return nullptr;
        }
        std::byte* const here = area_.bytes().data() + position_;
        position_ += size;
        return here;
    }

    SharedArea& area_;
    std::size_t position_;
    bool ok_ = true;
};

/// Reads packed values; what lies outside reads as zero and clears `ok`, since the other side's
/// memory may have been overwritten.
class Unpacker {
public:
    explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}

    bool ok() const { return ok_; }

    template <class T>
    T get() {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
        T value{};
        const std::span<const std::byte> bytes = get_bytes(sizeof value);
        if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }
    std::span<const std::byte> get_bytes(std::uint64_t size) {
        if (!ok_ || size > rest_.size()) {
            ok_ = false;
            return {};
        }
        const auto taken = rest_.first(static_cast<std::size_t>(size));
        rest_ = rest_.subspan(static_cast<std::size_t>(size));
        return taken;
    }
    std::string get_text() {
        const auto size = get<std::uint64_t>();
        const std::span<const std::byte> bytes = get_bytes(size);
        std::string text(bytes.size(), '\0');
        if (!bytes.empty()) std::memcpy(text.data(), bytes.data(), bytes.size());
        return text;
    }

private:
    std::span<const std::byte> rest_;
    bool ok_ = true;
};

}  // namespace gathercheck
