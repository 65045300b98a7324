/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in of one's own: ONNX Gather-11 and -13 on f32 and i64 data, in plain C. */
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

/* What is known once a call is prepared. */
struct prepared {
    int64_t type;
    int64_t outer; /* positions before the axis */
    int64_t size;  /* of the axis */
    int64_t row;   /* bytes behind the axis */
    int64_t rank;  /* of the output */
    int64_t shape[64];
};

static const char* last_message = "";

static int rejected(gathercheck_error* error, int64_t phase, const char* category,
                    const char* message) {
    error->phase = phase;
    error->category = category;
    last_message = message;
    return GATHERCHECK_REJECTED;
}

static int64_t element_size(int64_t type) { return type == GATHERCHECK_F32 ? 4 : 8; }

static const gathercheck_tensor* input(const gathercheck_call* call, const char* name) {
    for (int64_t k = 0; k < call->input_count; ++k) {
        if (strcmp(call->inputs[k].name, name) == 0) return &call->inputs[k];
    }
    return NULL;
}

/* a * b in *a; 0 where that is too large. */
static int multiply(int64_t* a, int64_t b) {
    if (b != 0 && *a > INT64_MAX / b) return 0;
    *a *= b;
    return 1;
}

static int prepare(const gathercheck_call* call, void** handle, gathercheck_error* error) {
    const gathercheck_tensor* data = input(call, "data");
    const gathercheck_tensor* indices = input(call, "indices");
    int64_t axis = 0;
    if (data == NULL || indices == NULL || call->input_count != 2) {
        return rejected(error, GATHERCHECK_PHASE_BUILD, "wrong_input_count", "not two inputs");
    }
    for (int64_t k = 0; k < call->attribute_count; ++k) {
        const gathercheck_attribute* attribute = &call->attributes[k];
        if (strcmp(attribute->name, "axis") != 0) {
            return rejected(error, GATHERCHECK_PHASE_BUILD, "unknown_attribute", attribute->name);
        }
        if (attribute->kind != GATHERCHECK_INTEGER) {
            return rejected(error, GATHERCHECK_PHASE_BUILD, "invalid_attribute",
                            "axis is no integer");
        }
        axis = attribute->integer;
    }
    if (indices->type != GATHERCHECK_I32 && indices->type != GATHERCHECK_I64) {
        return rejected(error, GATHERCHECK_PHASE_BUILD, "unsupported_type",
                        "indices are neither i32 nor i64");
    }
    if (data->type != GATHERCHECK_F32 && data->type != GATHERCHECK_I64) {
        last_message = "data is neither f32 nor i64";
        return GATHERCHECK_UNSUPPORTED;
    }
    if (data->rank < 1) {
        return rejected(error, GATHERCHECK_PHASE_SHAPE, "rank_too_small", "data is a scalar");
    }
    if (axis < -data->rank || axis >= data->rank) {
        return rejected(error, GATHERCHECK_PHASE_SHAPE, "axis_out_of_range",
                        "axis is outside [-r, r-1]");
    }
    if (axis < 0) axis += data->rank;

    struct prepared self = {.type = data->type, .outer = 1};
    int64_t total = 1;
    int fits = 1;
    self.size = data->shape[axis];
    self.row = element_size(data->type);
    self.rank = data->rank + indices->rank - 1;
    if (self.rank > 64) {
        return rejected(error, GATHERCHECK_PHASE_SHAPE, "too_large", "too many dimensions");
    }
    int64_t to = 0;
    for (int64_t k = 0; k < axis; ++k) self.shape[to++] = data->shape[k];
    for (int64_t k = 0; k < indices->rank; ++k) self.shape[to++] = indices->shape[k];
    for (int64_t k = axis + 1; k < data->rank; ++k) self.shape[to++] = data->shape[k];
    for (int64_t k = 0; k < self.rank; ++k) {
        if (self.shape[k] == 0) total = 0;
    }
    for (int64_t k = 0; k < self.rank && total != 0; ++k) fits &= multiply(&total, self.shape[k]);
    if (!fits || !multiply(&total, self.row)) {
        return rejected(error, GATHERCHECK_PHASE_SHAPE, "too_large", "too many elements");
    }
    if (total != 0) {
        for (int64_t k = 0; k < axis; ++k) self.outer *= data->shape[k];
        for (int64_t k = axis + 1; k < data->rank; ++k) self.row *= data->shape[k];
    }

    *handle = malloc(sizeof self);
    if (*handle == NULL) {
        last_message = "no memory";
        return GATHERCHECK_BROKEN;
    }
    memcpy(*handle, &self, sizeof self);
    return GATHERCHECK_OK;
}

static int describe(void* handle, gathercheck_descriptor* output, gathercheck_error* error) {
    const struct prepared* self = handle;
    (void)error;
    output->type = self->type;
    output->rank = self->rank;
    memcpy(output->shape, self->shape, (size_t)self->rank * sizeof self->shape[0]);
    return GATHERCHECK_OK;
}

static int64_t index_at(const gathercheck_tensor* indices, int64_t k) {
    if (indices->type == GATHERCHECK_I32) return ((const int32_t*)indices->contents)[k];
    return ((const int64_t*)indices->contents)[k];
}

static int run(void* handle, const gathercheck_call* call, gathercheck_output* output,
               gathercheck_error* error) {
    const struct prepared* self = handle;
    const gathercheck_tensor* data = input(call, "data");
    const gathercheck_tensor* indices = input(call, "indices");
    const int64_t count = indices->bytes / (indices->type == GATHERCHECK_I32 ? 4 : 8);
    for (int64_t k = 0; k < count; ++k) {
        const int64_t index = index_at(indices, k);
        if (index < -self->size || index >= self->size) {
            return rejected(error, GATHERCHECK_PHASE_RUN, "index_out_of_bounds",
                            "an index is outside [-s, s-1]");
        }
    }
    if (output->bytes == 0) return GATHERCHECK_OK;
    char* to = output->contents;
    for (int64_t o = 0; o < self->outer; ++o) {
        for (int64_t k = 0; k < count; ++k) {
            int64_t index = index_at(indices, k);
            if (index < 0) index += self->size;
            memcpy(to, (const char*)data->contents + (o * self->size + index) * self->row,
                   (size_t)self->row);
            to += self->row;
        }
    }
    return GATHERCHECK_OK;
}

static void release(void* handle) { free(handle); }

static const char* message(void* handle) {
    (void)handle;
    return last_message;
}

const gathercheck_implementation* gathercheck_plugin(uint32_t version) {
    static const gathercheck_claim claim = {
        .operators = "onnx.Gather-11 onnx.Gather-13",
        .data = "f32 i64",
        .indices = "i32 i64",
        .operands = "runtime constant folded",
    };
    static const gathercheck_implementation self = {
        .size = sizeof self,
        .name = "my_plugin",
        .version = "0.1",
        .claims = &claim,
        .claim_count = 1,
        .prepare = prepare,
        .describe = describe,
        .run = run,
        .release = release,
        .message = message,
    };
    return version == GATHERCHECK_PLUGIN_VERSION ? &self : NULL;
}
