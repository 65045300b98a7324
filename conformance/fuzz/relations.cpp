// SPDX-License-Identifier: Apache-2.0
// The relations, each with the calls that it needs.
#include "conformance/fuzz/relations.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "reference/check.hpp"

namespace gathercheck {
namespace {

using Outputs = std::span<const Tensor>;

/// An element of a tensor.
struct Place {
    const Tensor& tensor;
    Shape at;
};

/// A tensor of the type of `like` whose element at a coordinate is the one at the place that `from`
/// gives.
template <class From>
Tensor made_of(const Tensor& like, const Shape& shape, const From& from) {
    Tensor result{like.type, shape, {}, like.strings};
    result.contents.resize(static_cast<std::size_t>(byte_size({like.type, shape}).value_or(0)));
    const std::int64_t count = element_count(shape).value_or(0);
    Shape at = first_coordinate(shape);
    for (std::int64_t k = 0; k < count; ++k) {
        const Place place = from(at);
        copy_element(like.type, place.tensor.contents.data(),
                     position(place.tensor.shape, place.at), result.contents.data(), k);
        next_coordinate(shape, at);
    }
    return result;
}

/// The same of elements of one tensor, at the coordinates that `source` gives.
template <class Source>
Tensor rearranged(const Tensor& from, const Shape& shape, const Source& source) {
    return made_of(from, shape, [&](const Shape& at) { return Place{from, source(at)}; });
}

Tensor reversed(const Tensor& from, std::int64_t dim) {
    return rearranged(from, from.shape, [&](Shape at) {
        at[dim] = from.shape[dim] - 1 - at[dim];
        return at;
    });
}

/// Those from `first` on along a dimension, `count` of them.
Tensor part(const Tensor& from, std::int64_t dim, std::int64_t first, std::int64_t count) {
    Shape shape = from.shape;
    shape[dim] = count;
    return rearranged(from, shape, [&](Shape at) {
        at[dim] += first;
        return at;
    });
}

/// The one at a place of the leading dimension.
Tensor entry(const Tensor& from, std::int64_t place) {
    const Shape shape = from.shape.slice(1, from.shape.rank());
    return rearranged(from, shape, [&](const Shape& at) {
        Shape in_whole{place};
        for (const std::int64_t one : at) in_whole.push_back(one);
        return in_whole;
    });
}

/// Both one after the other along a dimension.
Tensor joined(const Tensor& a, const Tensor& b, std::int64_t dim) {
    Shape shape;
    for (std::int64_t k = 0; k < a.shape.rank(); ++k) {
        shape.push_back(a.shape[k] + (k == dim ? b.shape[k] : 0));
    }
    return made_of(a, shape, [&](Shape at) {
        if (at[dim] < a.shape[dim]) return Place{a, at};
        at[dim] -= a.shape[dim];
        return Place{b, at};
    });
}

/// Strings of several outputs are joined in one tensor only if they own what they point to; those
/// relations are left out for them.
bool can_be_joined(const Tensor& output) { return output.type != ElementType::string; }

/// The input to be changed; null where there is none.
Tensor* input(GeneratedCall& call, std::string_view name) {
    const auto found = std::ranges::find(call.inputs, name, &std::pair<std::string, Tensor>::first);
    return found == call.inputs.end() ? nullptr : &found->second;
}

GeneratedCall with(GeneratedCall call, std::string_view name, Tensor tensor) {
    *input(call, name) = std::move(tensor);
    return call;
}

/// The call with another axis, where and as it is given.
GeneratedCall with_axis(GeneratedCall call, std::int64_t axis) {
    if (Tensor* tensor = input(call, "axis")) {
        if (bits(tensor->type) < 64 || tensor->contents.size() < sizeof axis) {
            *tensor =
                Tensor{ElementType::i64, Shape{}, std::vector<std::byte>(sizeof axis), nullptr};
        }
        std::memcpy(tensor->contents.data(), &axis, sizeof axis);
        return call;
    }
    const auto found = std::ranges::find(call.attributes, "axis", &Attribute::name);
    if (found == call.attributes.end()) {
        call.attributes.push_back({"axis", axis});
    } else {
        found->value = axis;
    }
    return call;
}

void set_batch_dims(GeneratedCall& call, std::int64_t batch_dims) {
    const auto found = std::ranges::find(call.attributes, "batch_dims", &Attribute::name);
    if (found != call.attributes.end()) {
        found->value = batch_dims;
    } else if (batch_dims != 0) {
        call.attributes.push_back({"batch_dims", batch_dims});
    }
}

class Relations {
public:
    Relations(const GeneratedCall& call, const Tensor& output, const CallSpace& space,
              const CheckedCall& checked)
        : call_(call), output_(output), space_(space), checked_(checked), op_(info(call.version)) {}

    std::vector<RelatedCalls> all() {
        by_other_routes();
        find_parallel_dims();
        if (indices_dim_) {
            reverse_indices();
            split_indices();
        }
        if (op_.family == Family::gather) {
            move_axis();
            gather_again();
            as_tuples();
        }
        if (op_.family == Family::gather_elements) swap_axis();
        loop_over_batches();
        return std::move(all_);
    }

private:
    void add(std::string_view relation, std::vector<GeneratedCall> calls,
             std::function<Tensor(Outputs)> combine) {
        all_.push_back({relation, std::move(calls), std::move(combine)});
    }

    void by_other_routes() {
        for (const CallsOfVersion& of : space_.versions) {
            if (of.version != call_.version) continue;
            for (const Route& route : of.routes) {
                if (route == call_.route) continue;
                GeneratedCall other = call_;
                other.route = route;
                add("one call by several routes: one output", {std::move(other)},
                    [](Outputs outputs) { return outputs.front(); });
            }
            return;
        }
    }

    /// A dimension of indices along which slices of the output lie in the same order.
    void find_parallel_dims() {
        const std::int64_t rank = checked_.indices.shape.rank();
        const std::int64_t batch = checked_.batch_dims;
        if (op_.family == Family::gather && rank > batch) {
            indices_dim_ = batch;
            output_dim_ = checked_.axis;
        } else if (op_.family == Family::gather_nd && rank - 1 > batch) {
            indices_dim_ = batch;
            output_dim_ = op_.fuses_batch_dims && batch > 1 ? 1 : batch;
        } else if (op_.family == Family::gather_elements && op_.other_dims == OtherDims::equal) {
            indices_dim_ = checked_.axis;
            output_dim_ = checked_.axis;
        }
    }

    void reverse_indices() {
        const Tensor& indices = *call_.input("indices");
        add("indices reversed: slices reversed",
            {with(call_, "indices", reversed(indices, *indices_dim_))},
            [dim = output_dim_](Outputs outputs) { return reversed(outputs.front(), dim); });
    }

    void split_indices() {
        const Tensor& indices = *call_.input("indices");
        const std::int64_t size = indices.shape[*indices_dim_];
        if (size < 2 || !can_be_joined(output_)) return;
        const std::int64_t half = size / 2;
        add("indices in two parts: their outputs joined",
            {with(call_, "indices", part(indices, *indices_dim_, 0, half)),
             with(call_, "indices", part(indices, *indices_dim_, half, size - half))},
            [dim = output_dim_](Outputs outputs) { return joined(outputs[0], outputs[1], dim); });
    }

    void move_axis() {
        const std::int64_t axis = checked_.axis;
        if (axis == 0 || checked_.batch_dims > 0) return;
        const Tensor& data = *call_.input("data");
        Shape shape{data.shape[axis]};
        for (std::int64_t k = 0; k < data.shape.rank(); ++k) {
            if (k != axis) shape.push_back(data.shape[k]);
        }
        const auto other = with_axis(
            with(call_, "data",
                 rearranged(data, shape,
                            [&](const Shape& at) {
                                Shape there;
                                for (std::int64_t k = 0; k < at.rank(); ++k) {
                                    there.push_back(at[k < axis ? k + 1 : k == axis ? 0 : k]);
                                }
                                return there;
                            })),
            0);
        const std::int64_t rank = call_.input("indices")->shape.rank();
        // Their output has the dimensions of indices first, ours has them where the axis was.
        add("the axis moved to the front: the same slices", {other},
            [axis, rank, shape = output_.shape](Outputs outputs) {
                return rearranged(outputs.front(), shape, [&](const Shape& at) {
                    Shape there;
                    for (std::int64_t k = 0; k < rank; ++k) there.push_back(at[axis + k]);
                    for (std::int64_t k = 0; k < at.rank(); ++k) {
                        if (k < axis || k >= axis + rank) there.push_back(at[k]);
                    }
                    return there;
                });
            });
    }

    void swap_axis() {
        const std::int64_t axis = checked_.axis;
        if (axis == 0) return;
        const auto swapped = [axis](const Tensor& from) {
            Shape shape = from.shape;
            std::swap(shape[0], shape[axis]);
            return rearranged(from, shape, [axis](Shape at) {
                std::swap(at[0], at[axis]);
                return at;
            });
        };
        GeneratedCall other = with(call_, "data", swapped(*call_.input("data")));
        other = with(std::move(other), "indices", swapped(*call_.input("indices")));
        add("the axis swapped with the first dimension: so is the output", {with_axis(other, 0)},
            [swapped](Outputs outputs) { return swapped(outputs.front()); });
    }

    /// The output is gathered from once more, in the reversed order.
    void gather_again() {
        const Tensor& indices = *call_.input("indices");
        if (indices.shape.rank() != 1 || checked_.batch_dims > 0) return;
        const std::int64_t count = indices.shape[0];
        // Every position must be a value of the type.
        if (count > 127) return;
        Tensor positions{indices.type, indices.shape,
                         std::vector<std::byte>(indices.contents.size()), nullptr};
        for (std::int64_t k = 0; k < count; ++k) {
            set_element_bits(positions.type, positions.contents.data(), k,
                             static_cast<std::uint64_t>(count - 1 - k));
        }
        GeneratedCall other = with(call_, "data", output_);
        other = with(std::move(other), "indices", std::move(positions));
        add("gathered again in reverse: reversed", {std::move(other)},
            [axis = checked_.axis](Outputs outputs) { return reversed(outputs.front(), axis); });
    }

    /// Gather along the first dimension is GatherND of tuples of one.
    void as_tuples() {
        const Tensor& indices = *call_.input("indices");
        if (checked_.axis != 0 || checked_.batch_dims > 0 || has_negative_element(indices.view()))
            return;
        const CallsOfVersion* tuples = nullptr;
        for (const CallsOfVersion& of : space_.versions) {
            const OperatorInfo& op = info(of.version);
            if (op.family == Family::gather_nd && op.specification == op_.specification &&
                std::ranges::find(of.data, call_.input("data")->type) != of.data.end() &&
                std::ranges::find(of.indices, indices.type) != of.indices.end()) {
                tuples = &of;
            }
        }
        if (tuples == nullptr) return;
        GeneratedCall other;
        other.version = tuples->version;
        other.route = tuples->routes.front();
        other.inputs.emplace_back("data", *call_.input("data"));
        other.inputs.emplace_back("indices", indices);
        other.inputs.back().second.shape.push_back(1);
        add("Gather along the first dimension is GatherND of tuples of one", {std::move(other)},
            [](Outputs outputs) { return outputs.front(); });
    }

    void loop_over_batches() {
        if (checked_.batch_dims == 0 || op_.fuses_batch_dims || !can_be_joined(output_)) return;
        const Tensor& data = *call_.input("data");
        const std::int64_t count = data.shape[0];
        if (count == 0 || count > 8) return;
        std::vector<GeneratedCall> calls;
        for (std::int64_t k = 0; k < count; ++k) {
            GeneratedCall one = with(call_, "data", entry(data, k));
            one = with(std::move(one), "indices", entry(*call_.input("indices"), k));
            set_batch_dims(one, checked_.batch_dims - 1);
            if (op_.axis != AxisSource::none) one = with_axis(std::move(one), checked_.axis - 1);
            calls.push_back(std::move(one));
        }
        add("batch_dims is a loop over batches", std::move(calls), [](Outputs outputs) {
            std::optional<Tensor> all;
            for (const Tensor& output : outputs) {
                Tensor one = output;
                Shape shape{1};
                for (const std::int64_t dim : output.shape) shape.push_back(dim);
                one.shape = shape;
                all = all ? joined(*all, one, 0) : std::move(one);
            }
            return *all;
        });
    }

    const GeneratedCall& call_;
    const Tensor& output_;
    const CallSpace& space_;
    const CheckedCall& checked_;
    const OperatorInfo& op_;
    std::optional<std::int64_t> indices_dim_;
    std::int64_t output_dim_ = 0;
    std::vector<RelatedCalls> all_;
};

}  // namespace

std::optional<Tensor> RelatedCalls::combined(Outputs outputs) const {
    for (std::size_t k = 0; k < calls.size(); ++k) {
        const Result<CheckedCall> checked = check(calls[k].view());
        if (!checked || checked->output != Descriptor{outputs[k].type, outputs[k].shape}) {
            return std::nullopt;
        }
    }
    return combine(outputs);
}

std::vector<RelatedCalls> related_calls(const GeneratedCall& call, const Tensor& output,
                                        const CallSpace& space) {
    if (!call.earlier.empty() || call.described) return {};
    const Result<CheckedCall> checked = check(call.view());
    if (!checked || checked->output != Descriptor{output.type, output.shape}) return {};
    return Relations(call, output, space, *checked).all();
}

}  // namespace gathercheck
