// SPDX-License-Identifier: Apache-2.0
// What each treatment of bad indices makes of a call: its indices are replaced by those that the
// treatment picks, and the equations say what these give.
#include "conformance/judge/treatment.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "conformance/judge/classify.hpp"
#include "conformance/judge/judge.hpp"
#include "conformance/util/number.hpp"
#include "reference/check.hpp"

namespace gathercheck {
namespace {

/// An index value as some reading of its bits has it.
struct Number {
    bool negative = false;
    std::uint64_t bits = 0;  ///< of 64-bit two's complement where negative

    std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }

    friend bool operator==(const Number&, const Number&) = default;
};

std::uint64_t low_bits(std::uint64_t bits, std::int64_t width) {
    return bits & (~std::uint64_t{0} >> (64 - width));
}

Number as_unsigned(Number number, std::int64_t width) {
    return {false, low_bits(number.bits, width)};
}

Number cut(Number number, std::int64_t width) {
    const std::uint64_t low = low_bits(number.bits, width);
    if ((low >> (width - 1)) == 0) return {false, low};
    return {true, low | ~low_bits(~std::uint64_t{0}, width)};
}

/// The coordinate that a policy has for a number that is no coordinate; nothing: zero bits.
using Policy = std::optional<std::int64_t> (*)(Number, std::int64_t size);

std::optional<std::int64_t> zero(Number, std::int64_t) { return std::nullopt; }
std::optional<std::int64_t> first_element(Number, std::int64_t) { return 0; }

std::optional<std::int64_t> clamp(Number number, std::int64_t size) {
    if (number.negative) return 0;
    return static_cast<std::int64_t>(std::min(number.bits, static_cast<std::uint64_t>(size) - 1));
}

std::optional<std::int64_t> wrap(Number number, std::int64_t size) {
    if (!number.negative) {
        return static_cast<std::int64_t>(number.bits % static_cast<std::uint64_t>(size));
    }
    const std::int64_t rest = number.as_signed() % size;
    return rest < 0 ? rest + size : rest;
}

bool is_coordinate(Number number, std::int64_t size) {
    return !number.negative && number.bits < static_cast<std::uint64_t>(size);
}

bool in_reach(Number number, std::int64_t size) {
    return number.negative ? number.as_signed() >= -size : is_coordinate(number, size);
}

std::int64_t integer_attribute(const Call& call, std::string_view name) {
    const auto* value = call.attribute<std::int64_t>(name);
    return value == nullptr ? 0 : *value;
}

/// Sizes of the dimensions that the values of indices pick from, which repeat along indices; empty
/// where the call is not one that has them.
std::vector<std::int64_t> picked_sizes(const Call& call) {
    const Shape& data = call.input("data")->shape;
    const Shape& indices = call.input("indices")->shape;
    std::vector<std::int64_t> sizes;
    if (info(call.version).family == Family::stablehlo_gather) {
        const Result<CheckedCall> checked = check(call);
        const std::int64_t count = checked ? element_count(indices).value_or(0) : 0;
        for (std::int64_t k = 0; k < count; ++k) {
            sizes.push_back(data[picked_dimension(*checked, k)]);
        }
        return sizes;
    }
    if (info(call.version).family == Family::gather_nd) {
        const std::int64_t batch_dims = integer_attribute(call, "batch_dims");
        const std::int64_t length = indices.rank() == 0 ? 0 : indices[indices.rank() - 1];
        if (batch_dims < 0 || length < 0 || length > data.rank() - batch_dims) return {};
        for (std::int64_t k = 0; k < length; ++k) sizes.push_back(data[batch_dims + k]);
        return sizes;
    }
    const TensorView* input = call.input("axis");
    std::int64_t axis = integer_attribute(call, "axis");
    if (input != nullptr && input->contents != nullptr) {
        axis = integer_element(input->type, input->contents, 0).value_or(data.rank());
    }
    if (axis < 0) axis += data.rank();
    if (axis < 0 || axis >= data.rank()) return {};
    return {data[axis]};
}

/// A call and its index values, to be given to one treatment after the other.
class Treatments {
public:
    Treatments(const Equations& equations, const Call& call)
        : equations_(equations), call_(call), indices_(*call.input("indices")) {
        sizes_ = picked_sizes(call);
        if (sizes_.empty() || !is_integer(indices_.type)) return;
        const std::int64_t count = element_count(indices_.shape).value_or(0);
        for (std::int64_t k = 0; k < count; ++k) {
            const auto value = integer_element(indices_.type, indices_.contents, k);
            numbers_.push_back(
                value ? Number{*value < 0, static_cast<std::uint64_t>(*value)}
                      : Number{false, element_bits(indices_.type, indices_.contents, k)});
        }
    }

    std::vector<TreatedOutput> all() {
        const auto answer = equations_.evaluate(call_, OutOfRange::zero);
        const auto* found = std::get_if<EquationAnswer>(&answer);
        if (found == nullptr || numbers_.empty()) return {};
        const bool any_bad = std::ranges::any_of(found->sources, &Source::out_of_range);
        try_policy("zero", numbers_, zero);
        if (std::ranges::find(sizes_, 0) != sizes_.end()) return std::move(treated_);
        treated_.clear();
        try_policy(any_bad ? "wrap" : "value", numbers_, wrap);
        try_policy("zero", numbers_, zero);
        try_policy("clamp", numbers_, clamp);
        try_policy("first element", numbers_, first_element);
        const std::int64_t width = bits(indices_.type);
        if (const auto read = changed(numbers_, as_unsigned, width)) {
            try_policy("wrap as unsigned", *read, wrap);
            try_policy("clamp as unsigned", *read, clamp);
        }
        for (const std::int64_t narrow : {32, 16, 8}) {
            if (narrow < width) try_cut(narrow);
        }
        return std::move(treated_);
    }

private:
    using Numbers = std::vector<Number>;

    /// The numbers as a reading has them; nothing where that changes none.
    static std::optional<Numbers> changed(const Numbers& numbers,
                                          Number (*reading)(Number, std::int64_t),
                                          std::int64_t width) {
        Numbers read;
        for (const Number number : numbers) read.push_back(reading(number, width));
        if (read == numbers) return std::nullopt;
        return read;
    }

    void try_cut(std::int64_t width) {
        const std::string name = "cut to " + std::to_string(width) + " bits";
        const auto read = changed(numbers_, cut, width);
        if (!read) return;
        const bool legal = all_are(*read, in_reach);
        if (legal) try_policy(name, *read, wrap);
        if (!all_are(*read, is_coordinate)) try_policy(name + ", clamp", *read, clamp);
        if (!legal) try_policy(name + ", wrap", *read, wrap);
        const auto read_unsigned = changed(*read, as_unsigned, width);
        if (read_unsigned) try_policy(name + " unsigned, wrap", *read_unsigned, wrap);
    }

    bool all_are(const Numbers& numbers, bool (*property)(Number, std::int64_t)) const {
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            if (!property(numbers[k], sizes_[k % sizes_.size()])) return false;
        }
        return true;
    }

    void try_policy(std::string name, const Numbers& numbers, Policy policy) {
        constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
        std::vector<std::int64_t> picked;
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            const std::int64_t size = sizes_[k % sizes_.size()];
            picked.push_back(is_coordinate(numbers[k], size)
                                 ? static_cast<std::int64_t>(numbers[k].bits)
                                 : policy(numbers[k], size).value_or(nowhere));
        }
        Call treated = call_;
        for (Input& input : treated.inputs) {
            if (input.name != "indices") continue;
            input.tensor = {ElementType::i64, indices_.shape,
                            reinterpret_cast<const std::byte*>(picked.data())};
        }
        const auto answer = equations_.evaluate(treated, OutOfRange::zero);
        if (const auto* found = std::get_if<EquationAnswer>(&answer)) {
            treated_.push_back({std::move(name), assemble(*found, *call_.input("data"))});
        }
    }

    const Equations& equations_;
    const Call& call_;
    const TensorView& indices_;
    std::vector<std::int64_t> sizes_;
    Numbers numbers_;
    std::vector<TreatedOutput> treated_;
};

/// True for a treatment of the values as they are written.
bool is_plain(std::string_view name) {
    return !name.starts_with("cut") && !name.ends_with("unsigned");
}

std::string classify_output(const std::vector<TreatedOutput>& treated, const Tensor& output) {
    if (treated.empty()) return "other";
    const Tensor& one = treated.front().output;
    if (one.type != output.type || one.shape != output.shape) return "other";
    const std::int64_t count = element_count(output.shape).value_or(0);
    if (count == 0) return "empty output";

    std::vector<std::string> fitting;
    for (const TreatedOutput& candidate : treated) {
        if (same_tensor(candidate.output, output)) fitting.push_back(candidate.name);
    }
    if (!fitting.empty()) return joined(fitting, " or ");

    // Two of the plain treatments, one for some indices and one for the others.
    for (std::size_t a = 0; a < treated.size(); ++a) {
        for (std::size_t b = a + 1; b < treated.size(); ++b) {
            if (!is_plain(treated[a].name) || !is_plain(treated[b].name)) continue;
            bool fit = true;
            for (std::int64_t k = 0; fit && k < count; ++k) {
                fit = same_element(treated[a].output, output, k) ||
                      same_element(treated[b].output, output, k);
            }
            if (fit) fitting.push_back(treated[a].name + "+" + treated[b].name);
        }
    }
    return fitting.empty() ? "other" : joined(fitting, " or ");
}

}  // namespace

std::vector<TreatedOutput> treated_outputs(const Equations& equations, const Call& call) {
    const TensorView* data = call.input("data");
    const TensorView* indices = call.input("indices");
    if (data == nullptr || indices == nullptr || indices->contents == nullptr) return {};
    return Treatments(equations, call).all();
}

std::string classify_probe(const Equations& equations, const Call& call, const Outcome& outcome) {
    const auto* value = std::get_if<ValueOutcome>(&outcome);
    if (value == nullptr) return classify(equations, call, outcome);
    return classify_output(treated_outputs(equations, call), value->output);
}

}  // namespace gathercheck
