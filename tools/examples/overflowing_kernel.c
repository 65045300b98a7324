/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in with a planted bug, to see a fuzzer find it: ONNX Gather-13 of f32 along axis 0. Rows
 * are copied in blocks of four elements, the last block of a long row as a whole, too. */
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

enum { block = 4 };

struct prepared {
    int64_t size; /* of the axis */
    int64_t row;  /* elements behind the axis */
    int64_t rank; /* of the output */
    int64_t shape[64];
};

static const gathercheck_tensor* input(const gathercheck_call* call, const char* name) {
    for (int64_t k = 0; k < call->input_count; ++k) {
        if (strcmp(call->inputs[k].name, name) == 0) return &call->inputs[k];
    }
    return NULL;
}

static int prepare(const gathercheck_call* call, void** handle, gathercheck_error* error) {
    const gathercheck_tensor* data = input(call, "data");
    const gathercheck_tensor* indices = input(call, "indices");
    int64_t axis = 0;
    (void)error;
    if (data == NULL || indices == NULL || call->input_count != 2) return GATHERCHECK_REJECTED;
    for (int64_t k = 0; k < call->attribute_count; ++k) {
        const gathercheck_attribute* attribute = &call->attributes[k];
        if (strcmp(attribute->name, "axis") != 0 || attribute->kind != GATHERCHECK_INTEGER) {
            return GATHERCHECK_REJECTED;
        }
        axis = attribute->integer;
    }
    if (indices->type != GATHERCHECK_I64 || data->rank < 1) return GATHERCHECK_REJECTED;
    if (axis < -data->rank || axis >= data->rank) return GATHERCHECK_REJECTED;
    if (data->type != GATHERCHECK_F32 || axis != 0) return GATHERCHECK_UNSUPPORTED;

    struct prepared* self = calloc(1, sizeof *self);
    if (self == NULL) return GATHERCHECK_BROKEN;
    self->size = data->shape[0];
    self->row = 1;
    for (int64_t k = 0; k < indices->rank; ++k) self->shape[self->rank++] = indices->shape[k];
    for (int64_t k = 1; k < data->rank; ++k) {
        self->row *= data->shape[k];
        self->shape[self->rank++] = data->shape[k];
    }
    *handle = self;
    return GATHERCHECK_OK;
}

static void copy_row(float* to, const float* from, int64_t count) {
    if (count < 2 * block) {
        memcpy(to, from, (size_t)count * sizeof *to);
        return;
    }
    for (int64_t k = 0; k < count; k += block)
        memcpy(to + k, from + k, block * sizeof *to); /* the bug */
}

static int run(void* handle, const gathercheck_call* call, gathercheck_output* output,
               gathercheck_error* error) {
    const struct prepared* self = handle;
    const gathercheck_tensor* indices = input(call, "indices");
    const float* data = input(call, "data")->contents;
    const int64_t* index = indices->contents;
    const int64_t count = indices->bytes / (int64_t)sizeof *index;
    (void)error;
    for (int64_t k = 0; k < count; ++k) {
        if (index[k] < -self->size || index[k] >= self->size) return GATHERCHECK_REJECTED;
    }
    float* to = output->allocate(output, GATHERCHECK_F32, self->rank, self->shape);
    if (to == NULL || output->bytes == 0) return GATHERCHECK_OK;
    for (int64_t k = 0; k < count; ++k) {
        const int64_t from = index[k] < 0 ? index[k] + self->size : index[k];
        copy_row(to + k * self->row, data + from * self->row, self->row);
    }
    return GATHERCHECK_OK;
}

const gathercheck_implementation* gathercheck_plugin(uint32_t version) {
    static const gathercheck_claim claim = {.operators = "onnx.Gather-13",
                                            .data = "f32",
                                            .indices = "i64",
                                            .operands = "runtime constant folded"};
    static const char* const attributes[] = {"axis=0"};
    static const gathercheck_implementation self = {
        .size = sizeof self,
        .name = "overflowing_kernel",
        .version = "1",
        .claims = &claim,
        .claim_count = 1,
        .prepare = prepare,
        .run = run,
        .release = free,
        .claim_attributes = attributes,
    };
    return version == GATHERCHECK_PLUGIN_VERSION ? &self : NULL;
}
