// SPDX-License-Identifier: Apache-2.0
// LibTorch as a peer: index_select, take, gather and index, each where it can say the gather.
#include "tools/bench/torch_module.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/api/include/torch/version.h>

#include <array>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

namespace gathercheck::bench {
namespace {

std::optional<at::ScalarType> type_of(ElementType type) {
    constexpr std::array<std::pair<ElementType, at::ScalarType>, 8> own{
        {{ElementType::boolean, at::kBool},
         {ElementType::f16, at::kHalf},
         {ElementType::bf16, at::kBFloat16},
         {ElementType::f32, at::kFloat},
         {ElementType::f64, at::kDouble},
         {ElementType::c64, at::kComplexFloat},
         {ElementType::c128, at::kComplexDouble},
         {ElementType::u8, at::kByte}}};
    for (const auto& [known, torch_type] : own) {
        if (known == type) return torch_type;
    }
    // The rest is moved as integers of its width.
    switch (bits(type)) {
        case 8:
            return at::kChar;
        case 16:
            return at::kShort;
        case 32:
            return at::kInt;
        case 64:
            return at::kLong;
        default:
            return std::nullopt;
    }
}

/// Indices are no other integers than those that torch knows as such.
std::optional<at::ScalarType> index_type_of(ElementType type) {
    if (type == ElementType::i32) return at::kInt;
    if (type == ElementType::i64) return at::kLong;
    return std::nullopt;
}

class Way final : public InProcess<Way> {
public:
    explicit Way(std::function<void()> function) : function_(std::move(function)) {}

    bool call() {
        const c10::InferenceMode mode;
        try {
            function_();
            return true;
        } catch (const std::exception& error) {
            why_ = error.what();
            why_ = why_.substr(0, why_.find('\n'));
            return false;
        }
    }
    std::string why() const { return why_; }

private:
    std::function<void()> function_;
    std::string why_;
};

class Torch final : public Peer {
public:
    std::string version() const override { return TORCH_VERSION; }

    std::vector<Entry> prepare(const Tensors& tensors) override {
        std::vector<Entry> entries;
        try {
            at::set_num_threads(tensors.threads);
            add_ways(tensors, entries);
        } catch (const std::exception& error) {
            refuse(entries, error.what());
        }
        if (entries.empty()) refuse(entries, "torch has no one call for this");
        return entries;
    }

private:
    static void refuse(std::vector<Entry>& entries, const std::string& why) {
        entries.push_back({"torch", Kind::peer, nullptr, why.substr(0, why.find('\n'))});
    }

    static void add_ways(const Tensors& tensors, std::vector<Entry>& entries) {
        const c10::InferenceMode mode;
        const Workload& workload = *tensors.workload;
        const auto data_type = type_of(workload.data.type);
        const auto index_type = index_type_of(workload.indices.type);
        if (!data_type || !index_type) return refuse(entries, "torch has no such element type");
        const auto tensor = [](const std::byte* contents, const Shape& shape, at::ScalarType type) {
            return at::from_blob(const_cast<std::byte*>(contents),
                                 at::IntArrayRef(shape.begin(), shape.end()),
                                 at::TensorOptions().dtype(type));
        };
        const at::Tensor data = tensor(tensors.data, workload.data.shape, *data_type);
        const at::Tensor indices = tensor(tensors.indices, workload.indices.shape, *index_type);
        const at::Tensor output = tensor(tensors.output, workload.output.shape, *data_type);
        const auto add = [&](const char* name, std::function<void()> function) {
            entries.push_back({name, Kind::peer, std::make_unique<Way>(std::move(function)), ""});
        };
        // An output keeps its memory only where it has the very shape that the function makes.
        const bool negative = workload.negative > 0;
        switch (workload.family()) {
            case Family::gather:
                add_gather(workload, data, indices, output, negative, add);
                break;
            case Family::gather_elements:
                if (!negative && indices.scalar_type() == at::kLong) {
                    add("torch:gather",
                        [data, indices, axis = workload.axis, out = at::Tensor(output)]() mutable {
                            at::gather_out(out, data, axis, indices);
                        });
                }
                break;
            case Family::gather_nd: {
                if (!can_index(indices)) break;
                c10::List<c10::optional<at::Tensor>> columns;
                add_batches(workload, indices.dim() - 1, columns);
                for (std::int64_t k = 0; k < indices.size(-1); ++k) {
                    columns.push_back(indices.select(-1, k));
                }
                std::vector<std::int64_t> shape = indices.sizes().vec();
                shape.pop_back();
                for (std::int64_t k = workload.batch_dims + indices.size(-1); k < data.dim(); ++k) {
                    shape.push_back(data.size(k));
                }
                add("torch:index", [data, columns, out = at::Tensor(output.view(shape))]() mutable {
                    at::index_out(out, data, columns);
                });
                break;
            }
            case Family::stablehlo_gather:  // no workload is one
                break;
        }
    }

    /// Coordinates of the batch dimensions, each spread over its dimension of `rank`.
    static void add_batches(const Workload& workload, std::int64_t rank,
                            c10::List<c10::optional<at::Tensor>>& columns) {
        for (std::int64_t k = 0; k < workload.batch_dims; ++k) {
            std::vector<std::int64_t> spread(static_cast<std::size_t>(rank), 1);
            spread[static_cast<std::size_t>(k)] = workload.data.shape[k];
            columns.push_back(
                at::arange(workload.data.shape[k], at::TensorOptions().dtype(at::kLong))
                    .view(spread));
        }
    }

    /// Whether advanced indexing takes indices of that type.
    static bool can_index(const at::Tensor& indices) {
        return indices.scalar_type() == at::kLong || TORCH_VERSION_MAJOR >= 2;
    }

    template <class Add>
    static void add_gather(const Workload& workload, const at::Tensor& data,
                           const at::Tensor& indices, const at::Tensor& output, bool negative,
                           const Add& add) {
        const std::int64_t axis = workload.axis;
        if (workload.batch_dims != 0) {
            if (axis != workload.batch_dims || !can_index(indices)) return;
            c10::List<c10::optional<at::Tensor>> columns;
            add_batches(workload, indices.dim(), columns);
            columns.push_back(indices);
            add("torch:index", [data, columns, out = at::Tensor(output)]() mutable {
                at::index_out(out, data, columns);
            });
            return;
        }
        const at::Tensor flat = indices.reshape({-1});
        std::vector<std::int64_t> shape = data.sizes().vec();
        shape[static_cast<std::size_t>(axis)] = flat.numel();
        const at::Tensor flat_output = output.view(shape);
        if (!negative) {
            add("torch:index_select", [data, flat, axis, out = at::Tensor(flat_output)]() mutable {
                at::index_select_out(out, data, axis, flat);
            });
        }
        const bool wide = indices.scalar_type() == at::kLong;
        if (wide && data.dim() == 1) {
            add("torch:take", [data, flat, out = at::Tensor(flat_output)]() mutable {
                at::take_out(out, data, flat);
            });
            if (!negative) {
                add("torch:gather", [data, flat, out = at::Tensor(flat_output)]() mutable {
                    at::gather_out(out, data, 0, flat);
                });
            }
        }
        if (can_index(indices)) {
            c10::List<c10::optional<at::Tensor>> columns;
            for (std::int64_t k = 0; k < axis; ++k) columns.push_back(c10::nullopt);
            columns.push_back(flat);
            add("torch:index", [data, columns, out = at::Tensor(flat_output)]() mutable {
                at::index_out(out, data, columns);
            });
        }
    }
};

}  // namespace
}  // namespace gathercheck::bench

gathercheck::bench::Peer* gathercheck_bench_torch() { return new gathercheck::bench::Torch(); }
