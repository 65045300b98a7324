// SPDX-License-Identifier: Apache-2.0
// What the tests share: buffers between inaccessible pages, calls, and random
// ones.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "optimized/gather.hpp"
#include "reference/call.hpp"

namespace gathercheck::optimized::test {

/// Where a buffer lies between its two inaccessible pages.
enum class Flush { at_start, at_end };

/// A buffer that begins right behind or ends right before an inaccessible page.
class Guarded {
public:
    Guarded(std::size_t size, Flush flush) : size_(size) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t inner = (size + page - 1) / page * page;
        mapped_ = inner + 2 * page;
        void* all = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) throw std::runtime_error("mmap");
        region_ = static_cast<std::byte*>(all);
        if (inner != 0 && mprotect(region_ + page, inner, PROT_READ | PROT_WRITE) != 0) {
            throw std::runtime_error("mprotect");
        }
        begin_ = region_ + page + (flush == Flush::at_end ? inner - size : 0);
    }
    Guarded(std::span<const std::byte> contents, Flush flush) : Guarded(contents.size(), flush) {
        if (!contents.empty()) std::memcpy(begin_, contents.data(), contents.size());
    }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    ~Guarded() { munmap(region_, mapped_); }

    /// A copy of `contents`, which must not be longer than the buffer, flush with
    /// one end of it. For many calls: what is mapped stays mapped.
    std::span<std::byte> place(std::span<const std::byte> contents, Flush flush) const {
        if (contents.size() > size_) throw std::length_error("the buffer is too small");
        std::byte* to = flush == Flush::at_start ? begin_ : begin_ + size_ - contents.size();
        if (!contents.empty()) std::memcpy(to, contents.data(), contents.size());
        return {to, contents.size()};
    }

    std::byte* data() const { return begin_; }
    std::span<std::byte> span() const { return {begin_, size_}; }

private:
    std::byte* region_ = nullptr;
    std::byte* begin_ = nullptr;
    std::size_t mapped_ = 0;
    std::size_t size_ = 0;
};

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class T>
std::vector<T> values_of(std::span<const std::byte> bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

/// A tensor whose elements are `values`, of the C++ type that has their width.
template <class T>
Tensor tensor(ElementType type, const Shape& shape, const std::vector<T>& values) {
    Tensor result;
    result.type = type;
    result.shape = shape;
    result.contents = bytes_of(values);
    return result;
}

/// A call and the tensors that it borrows from.
struct OwnedCall {
    OperatorVersion version;
    Tensor data;
    Tensor indices;
    std::int64_t axis = 0;
    std::int64_t batch_dims = 0;
    Tensor axis_input;
    std::vector<Attribute> attributes = {};  ///< beside axis and batch_dims

    /// The call with these contents.
    Call call(const std::byte* data_contents, const std::byte* indices_contents) {
        const OperatorInfo& op = info(version);
        Call result;
        result.version = version;
        result.attributes = attributes;
        if (op.axis == AxisSource::attribute) result.attributes.push_back({"axis", axis});
        if (op.batch_dims != BatchDims::none) {
            result.attributes.push_back({"batch_dims", batch_dims});
        }
        result.inputs.push_back({"data", {data.type, data.shape, data_contents}});
        result.inputs.push_back({"indices", {indices.type, indices.shape, indices_contents}});
        if (op.axis == AxisSource::input) {
            axis_input = tensor<std::int64_t>(ElementType::i64, {}, {axis});
            result.inputs.push_back({"axis", axis_input.view()});
        }
        return result;
    }
    Call call() { return call(data.contents.data(), indices.contents.data()); }

    std::string text() const {
        std::string further;
        for (const auto& [name, value] : attributes) further += " " + name + " " + to_string(value);
        return std::string(name(version)) + " data " + std::string(name(data.type)) +
               to_string(data.shape) + " indices " + std::string(name(indices.type)) +
               to_string(indices.shape) + " axis " + std::to_string(axis) + " batch_dims " +
               std::to_string(batch_dims) + further;
    }
};

inline std::vector<std::byte> filled(std::size_t size, unsigned char value) {
    return std::vector<std::byte>(size, std::byte{value});
}

/// Numbers from a seed; the same on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    std::int64_t between(std::int64_t first, std::int64_t last) {
        const auto range = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + 1;
        const std::uint64_t number = range == 0 ? engine_() : engine_() % range;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + number);
    }
    bool one_in(std::int64_t n) { return between(1, n) == 1; }
    std::byte byte() { return static_cast<std::byte>(engine_() & 0xFFU); }

    std::vector<std::byte> bytes(std::size_t size) {
        std::vector<std::byte> result(size);
        for (std::byte& value : result) value = byte();
        return result;
    }
    ElementType type(TypeSet set) {
        for (;;) {
            const auto type =
                static_cast<ElementType>(between(0, static_cast<int>(element_type_count) - 1));
            if (set.contains(type)) return type;
        }
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace gathercheck::optimized::test
