// SPDX-License-Identifier: Apache-2.0
// A plug-in that computes nothing: its output is its data. For measuring what everything else
// costs.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "conformance/plugin.h"

namespace {

const gathercheck_tensor* data_of(const gathercheck_call& call) {
    for (std::int64_t k = 0; k < call.input_count; ++k) {
        if (std::strcmp(call.inputs[k].name, "data") == 0) return &call.inputs[k];
    }
    return nullptr;
}

int prepare(const gathercheck_call* call, void** handle, gathercheck_error*) {
    const gathercheck_tensor* data = data_of(*call);
    if (data == nullptr) return GATHERCHECK_BROKEN;
    auto* kept =
        static_cast<gathercheck_descriptor*>(std::calloc(1, sizeof(gathercheck_descriptor)));
    if (kept == nullptr) return GATHERCHECK_BROKEN;
    kept->type = data->type;
    kept->rank = data->rank;
    std::copy_n(data->shape, data->rank, kept->shape);
    *handle = kept;
    return GATHERCHECK_OK;
}

int describe(void* handle, gathercheck_descriptor* output, gathercheck_error*) {
    const auto* kept = static_cast<const gathercheck_descriptor*>(handle);
    output->type = kept->type;
    output->rank = kept->rank;
    std::copy_n(kept->shape, kept->rank, output->shape);
    return GATHERCHECK_OK;
}

int run(void*, const gathercheck_call* call, gathercheck_output* output, gathercheck_error*) {
    const gathercheck_tensor* data = data_of(*call);
    if (output->bytes != 0) {
        std::memcpy(output->contents, data->contents, static_cast<std::size_t>(output->bytes));
    }
    return GATHERCHECK_OK;
}

void release(void* handle) { std::free(handle); }

const char* message(void*) { return "it takes calls of onnx.Gather-13 with data only"; }

}  // namespace

const gathercheck_implementation* gathercheck_plugin(uint32_t version) {
    static const gathercheck_claim claim = [] {
        gathercheck_claim result{};
        result.operators = "onnx.Gather-13";
        result.data = "f32";
        result.indices = "i64";
        result.operands = "runtime";
        return result;
    }();
    static const gathercheck_implementation self = [] {
        gathercheck_implementation result{};
        result.size = sizeof result;
        result.name = "null";
        result.version = "1";
        result.claims = &claim;
        result.claim_count = 1;
        result.prepare = prepare;
        result.describe = describe;
        result.run = run;
        result.release = release;
        result.message = message;
        return result;
    }();
    return version == GATHERCHECK_PLUGIN_VERSION ? &self : nullptr;
}
