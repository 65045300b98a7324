// SPDX-License-Identifier: Apache-2.0
// Worker that runs PyTorch's index_select, gather and take_along_dim by its C++ interface, on its
// CPU kernels.
//
// What that interface cannot express, an absent dim where one is required for example, is
// unsupported. Which element types it takes is tried at the hello, each in a call of one element.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/adapters/gathercheck_worker.hpp"

namespace {

using namespace gathercheck_worker;

const std::vector<std::pair<std::string, at::ScalarType>> types = {
    {"boolean", at::kBool},
    {"u8", at::kByte},
    {"u16", at::kUInt16},
    {"u32", at::kUInt32},
    {"u64", at::kUInt64},
    {"i8", at::kChar},
    {"i16", at::kShort},
    {"i32", at::kInt},
    {"i64", at::kLong},
    {"f8e4m3", at::kFloat8_e4m3fn},
    {"f8e4m3fnuz", at::kFloat8_e4m3fnuz},
    {"f8e5m2", at::kFloat8_e5m2},
    {"f8e5m2fnuz", at::kFloat8_e5m2fnuz},
    {"f8e8m0", at::kFloat8_e8m0fnu},
    {"f16", at::kHalf},
    {"bf16", at::kBFloat16},
    {"f32", at::kFloat},
    {"f64", at::kDouble},
    {"c64", at::kComplexFloat},
    {"c128", at::kComplexDouble},
};

using Operator = at::Tensor (*)(const at::Tensor&, const at::Tensor&, std::optional<std::int64_t>);

std::int64_t required(std::optional<std::int64_t> axis) {
    if (!axis) throw Unsupported("in C++ a dim is required");
    return *axis;
}

const std::map<std::string, Operator> operators = {
    {"torch.index_select",
     [](const at::Tensor& data, const at::Tensor& indices, std::optional<std::int64_t> axis) {
         return at::index_select(data, required(axis), indices);
     }},
    {"torch.gather",
     [](const at::Tensor& data, const at::Tensor& indices, std::optional<std::int64_t> axis) {
         return at::gather(data, required(axis), indices);
     }},
    {"torch.take_along_dim",
     [](const at::Tensor& data, const at::Tensor& indices, std::optional<std::int64_t> axis) {
         return axis ? at::take_along_dim(data, indices, *axis) : at::take_along_dim(data, indices);
     }},
};

/// An operand over the bytes of `tensor`, which stay where they are.
at::Tensor operand(const Tensor& tensor) {
    for (const auto& [name, type] : types) {
        if (name != tensor.type) continue;
        if (tensor.bytes.empty()) return at::empty(tensor.shape, type);
        void* const bytes = const_cast<unsigned char*>(tensor.bytes.data());
        return at::from_blob(bytes, tensor.shape, type);
    }
    throw Unsupported("PyTorch has no type for " + tensor.type);
}

Tensor result(const at::Tensor& output) {
    for (const auto& [name, type] : types) {
        if (type != output.scalar_type()) continue;
        const auto* bytes = static_cast<const unsigned char*>(output.const_data_ptr());
        return {name, output.sizes().vec(), {bytes, bytes + output.nbytes()}, {}};
    }
    throw std::runtime_error(std::string("an output of ") + at::toString(output.scalar_type()));
}

Tensor run(const Call& call) {
    const auto found = operators.find(call.operator_version);
    if (found == operators.end()) throw Unsupported("no operator " + call.operator_version);
    const Tensor* data = call.input("data");
    const Tensor* indices = call.input("indices");
    if (data == nullptr || indices == nullptr || call.inputs.size() != 2)
        throw Unsupported("in C++ it takes two tensors");
    std::optional<std::int64_t> axis;
    for (const auto& [name, value] : call.attributes.items()) {
        if (name != "axis") throw Unsupported("no argument " + name);
        if (!value.is_number_integer()) throw Unsupported("in C++ dim is an integer");
        axis = value.get<std::int64_t>();
    }
    at::Tensor output;
    try {
        output = found->second(operand(*data), operand(*indices), axis).contiguous();
    } catch (const c10::Error& error) {
        const std::string text = error.what_without_backtrace();
        if (text.find("not implemented for") != std::string::npos) throw Unsupported(text);
        throw Rejected(text);
    }
    return result(output);
}

/// What PyTorch answers to data and indices of one element in those types: empty where it takes
/// them.
std::string refusal(const std::string& name, const std::string& data, const std::string& indices) {
    const auto one = [](const std::string& type) {
        Tensor tensor{type, {1}, {}, {}};
        for (const auto& [known, scalar] : types) {
            if (known == type) tensor.bytes.resize(at::elementSize(scalar));
        }
        return tensor;
    };
    Call call;
    call.operator_version = name;
    call.attributes = {{"axis", 0}};
    call.inputs = {{"data", one(data)}, {"indices", one(indices)}};
    try {
        run(call);
        return {};
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

Json hello() {
    Json claims = Json::array();
    Json refused = Json::array();
    for (const auto& [name, function] : operators) {
        Json index_types = Json::array();
        for (const char* type : {"i32", "i64"}) {
            if (refusal(name, "f32", type).empty()) index_types.push_back(type);
        }
        Json data_types = Json::array();
        for (const auto& [type, scalar] : types) {
            const std::string why = refusal(name, type, "i64");
            if (why.empty()) {
                data_types.push_back(type);
            } else {
                refused.push_back({{"operators", {name}},
                                   {"data", {type}},
                                   {"indices", index_types},
                                   {"why", why}});
            }
        }
        claims.push_back({{"operators", {name}}, {"data", data_types}, {"indices", index_types}});
    }
    const Json engine = {
        {"name", "torch-current"}, {"version", TORCH_VERSION}, {"language", "c++"}};
    return {{"message", "hello"},
            {"protocol", 1},
            {"implementation", engine},
            {"claims", claims},
            {"not_implemented", refused}};
}

}  // namespace

int main() {
    at::set_num_threads(1);
    return serve(hello(), run);
}
