// SPDX-License-Identifier: Apache-2.0
// The flat positions of all elements of an output, for indices in and out of bounds alike.
#include "conformance/mutants/unchecked_index.hpp"

#include <cstdint>

#include "reference/check.hpp"

namespace gathercheck {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 18;

std::int64_t elements(const Shape& shape) { return element_count(shape).value_or(0); }

std::int64_t wrapping(std::int64_t a, std::int64_t b, bool product) {
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    return static_cast<std::int64_t>(product ? x * y : x + y);
}

std::int64_t sum(std::int64_t a, std::int64_t b) { return wrapping(a, b, false); }
std::int64_t product(std::int64_t a, std::int64_t b) { return wrapping(a, b, true); }

/// An index as it is used: the number that is multiplied by the stride of its dimension.
struct Used {
    std::int64_t index = 0;
    bool bad = false;       ///< it should not have been used so
    bool zeroed = false;    ///< out of bounds, and treated as the version says: zeros
    bool rejected = false;  ///< out of bounds, and treated as the version says: an error
};

Used use(const OperatorInfo& version, Unchecked which, std::optional<std::int64_t> given,
         std::int64_t s) {
    const bool takes_negative = version.negative_indices;
    if (given && *given >= 0 && *given < s) return {*given};
    if (given && takes_negative && *given < 0 && *given >= -s) {
        if (which == Unchecked::negative) return {*given, true};
        return {*given + s};
    }
    const bool below = given && *given < 0;
    bool used = given.has_value();
    switch (which) {
        case Unchecked::all:
            break;
        case Unchecked::size:
            used = used && *given == s;
            break;
        case Unchecked::just_below:
            used = used && *given == (takes_negative ? -s : 0) - 1;
            break;
        case Unchecked::above:
            used = used && !below;
            break;
        case Unchecked::below:
            used = used && below;
            break;
        case Unchecked::negative:
            used = false;
            break;
    }
    if (used) return {below && takes_negative ? sum(*given, s) : *given, true};
    switch (version.out_of_bounds) {
        case OutOfBounds::zero:
            return {.zeroed = true};
        case OutOfBounds::clamp:
            if (s == 0) return {.zeroed = true};
            return {below ? 0 : s - 1};
        case OutOfBounds::reject:
            break;
    }
    return {.rejected = true};
}

/// Every index as it is used, in the order of indices. Nothing where one is rejected, or none is
/// bad.
std::optional<std::vector<Used>> use_all(const CheckedCall& call, Unchecked which) {
    const OperatorInfo& version = info(call.version);
    const bool tuples = version.family == Family::gather_nd;
    const Shape& shape = call.indices.shape;
    const std::int64_t n = tuples ? shape[shape.rank() - 1] : 1;
    std::vector<Used> used;
    bool any = false;
    for (std::int64_t k = 0; k < elements(shape); ++k) {
        const std::int64_t s = call.data.shape[tuples ? call.batch_dims + k % n : call.axis];
        used.push_back(
            use(version, which, integer_element(call.indices.type, call.indices.contents, k), s));
        if (used.back().rejected) return std::nullopt;
        any = any || used.back().bad;
    }
    if (!any) return std::nullopt;
    return used;
}

class Reader {
public:
    Reader(const CheckedCall& call, std::vector<Used> used)
        : call_(call), used_(std::move(used)), count_(elements(call.data.shape)) {
        read_.output = call.output;
    }

    UncheckedRead read() {
        switch (info(call_.version).family) {
            case Family::gather:
                gather();
                break;
            case Family::gather_elements:
                gather_elements();
                break;
            case Family::gather_nd:
                gather_nd();
                break;
        }
        return std::move(read_);
    }

private:
    /// Elements of data behind a dimension.
    std::int64_t stride(std::int64_t dimension) const {
        return elements(call_.data.shape.slice(dimension + 1, call_.data.shape.rank()));
    }

    void add(std::int64_t position, const Used& by) {
        read_.positions.push_back(by.zeroed ? UncheckedRead::zero : position);
        read_.is_bad.push_back(by.bad);
        if (!by.zeroed && (position < 0 || position >= count_)) read_.outside = true;
    }

    void gather() {
        const Shape& data = call_.data.shape;
        const std::int64_t batches = elements(data.slice(0, call_.batch_dims));
        const std::int64_t outer = elements(data.slice(call_.batch_dims, call_.axis));
        const std::int64_t picks =
            elements(call_.indices.shape.slice(call_.batch_dims, call_.indices.shape.rank()));
        const std::int64_t inner = stride(call_.axis);
        const std::int64_t s = data[call_.axis];
        for (std::int64_t b = 0; b < batches; ++b) {
            for (std::int64_t o = 0; o < outer; ++o) {
                for (std::int64_t k = 0; k < picks; ++k) {
                    const Used& by = used_[static_cast<std::size_t>(b * picks + k)];
                    const std::int64_t row = sum((b * outer + o) * s, by.index);
                    for (std::int64_t i = 0; i < inner; ++i) add(sum(product(row, inner), i), by);
                }
            }
        }
    }

    void gather_elements() {
        const Shape& indices = call_.indices.shape;
        for (std::int64_t k = 0; k < elements(indices); ++k) {
            const Used& by = used_[static_cast<std::size_t>(k)];
            std::int64_t position = product(by.index, stride(call_.axis));
            std::int64_t rest = k;
            for (std::int64_t d = indices.rank() - 1; d >= 0; --d) {
                if (d != call_.axis) position = sum(position, rest % indices[d] * stride(d));
                rest /= indices[d];
            }
            add(position, by);
        }
    }

    void gather_nd() {
        const Shape& data = call_.data.shape;
        const Shape& indices = call_.indices.shape;
        const std::int64_t n = indices[indices.rank() - 1];
        const std::int64_t tuples = elements(indices.slice(0, indices.rank() - 1));
        const std::int64_t batches = elements(data.slice(0, call_.batch_dims));
        const std::int64_t inner = elements(data.slice(call_.batch_dims + n, data.rank()));
        for (std::int64_t t = 0; t < tuples; ++t) {
            const std::int64_t batch = t / (tuples / batches);
            std::int64_t start = batch * elements(data.slice(call_.batch_dims, data.rank()));
            Used by;
            for (std::int64_t c = 0; c < n; ++c) {
                const Used& component = used_[static_cast<std::size_t>(t * n + c)];
                start = sum(start, product(component.index, stride(call_.batch_dims + c)));
                by.bad = by.bad || component.bad;
                by.zeroed = by.zeroed || component.zeroed;
            }
            for (std::int64_t i = 0; i < inner; ++i) add(sum(start, i), by);
        }
    }

    const CheckedCall& call_;
    std::vector<Used> used_;
    std::int64_t count_;
    UncheckedRead read_;
};

}  // namespace

std::optional<UncheckedRead> read_unchecked(const Call& call, Unchecked which) {
    const Result<CheckedCall> checked = check(call);
    if (!checked || checked->indices.contents == nullptr) return std::nullopt;
    if (checked->data.contents == nullptr && elements(checked->data.shape) > 0) return std::nullopt;
    if (elements(checked->output.shape) > most_elements ||
        elements(checked->indices.shape) > most_elements) {
        return std::nullopt;
    }
    auto used = use_all(*checked, which);
    if (!used) return std::nullopt;
    return Reader(*checked, std::move(*used)).read();
}

}  // namespace gathercheck
