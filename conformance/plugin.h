/* SPDX-License-Identifier: Apache-2.0 */
/* The plug-in interface: what a shared library exports so that gathercheck can run it. Plain C11,
 * no dependency.
 *
 * A plug-in is a shared library that exports one function, gathercheck_plugin(). Build and run it
 * like this:
 *
 *     cc -std=c11 -shared -fPIC -I FOLDER -o my_plugin.so my_plugin.c
 *     gathercheck run --implementation plugin:./my_plugin.so
 *
 * FOLDER is that of this file, and nothing else of ours is needed. It is PREFIX/include/gathercheck
 * where gathercheck is installed, what gathercheck.get_include() says to Python, and conformance in
 * the source tree.
 *
 * It is loaded into a process of its own (`gathercheck worker --plugin my_plugin.so`): when it
 * crashes, hangs or ends the process, that is one verdict, and the next call is asked of a new
 * process. Standard output is led to standard error, which is kept with what went wrong.
 *
 * What happens to each call, always on one thread, one call at a time:
 *
 *     prepare     once; operands that are known when a model is built have their contents
 *     describe    once, where there is such a function: the output's type and shape, where known
 *     run         once; all operands have their contents (a call that is only described: never)
 *     release     once, if and only if prepare returned GATHERCHECK_OK
 *
 * Each of the first three may say no; `message` is asked then, and nothing else follows but
 * release. No exception may leave a function.
 *
 * Threads of your own may stay, but must have ended their work on a call when the function returns.
 *
 * Ownership. All pointers handed over are borrowed; they stay valid, and what they point at stays
 * unchanged, until release returns. Handles are the plug-in's own; what it returns (its struct,
 * categories) is never freed here.
 *
 * Memory. Every tensor lies flush against an inaccessible page, once with its end and once with its
 * start; inputs can only be read; the output is filled with a pattern first, another one each time.
 * So touching a byte outside, writing to an input, and leaving an element unwritten are found, and
 * the verdict `unsafe memory` names the buffer, the side and the offset. A buffer is aligned as its
 * elements are (to 16 bytes at most; see `alignment`). A tensor without elements has a pointer that
 * is not null and must not be read. Memory that is never given back is not judged; `gathercheck run
 * --memory-limit 2GB` bounds it: more is refused, and a death of that is a crash.
 *
 * Tensors are row-major and contiguous. Sizes, ranks and counts are 64-bit integers. Types narrower
 * than a byte are packed, low part of the byte first: element k occupies bits k*b to k*b+b-1 of a
 * little-endian bit stream, across bytes; spare bits of the last byte are zero in inputs, should be
 * so in outputs, and are never judged. A string element is a gathercheck_string. Strings of an
 * output point into the characters of the input "data", or are {NULL, 0}: the empty string.
 *
 * Versions. GATHERCHECK_PLUGIN_VERSION counts changes that an older plug-in would not survive;
 * within one version gathercheck_implementation only grows at its end, and `size` says how much of
 * it a plug-in has. All other structs stay as they are within one version. Members that are left
 * out of an initialiser are zero, which is always a good default.
 */
#ifndef GATHERCHECK_PLUGIN_H
#define GATHERCHECK_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GATHERCHECK_PLUGIN_VERSION 1

#if defined(__GNUC__)
#define GATHERCHECK_EXPORT __attribute__((visibility("default")))
#else
#define GATHERCHECK_EXPORT
#endif

/* Element types. The numbers never change. The bits of one element are in parentheses where the
 * name does not tell. */
enum {
    GATHERCHECK_BOOLEAN = 0, /* (8) 0 or 1 */
    GATHERCHECK_U1 = 1,
    GATHERCHECK_U2 = 2,
    GATHERCHECK_U3 = 3,
    GATHERCHECK_U4 = 4,
    GATHERCHECK_U6 = 5,
    GATHERCHECK_U8 = 6,
    GATHERCHECK_U16 = 7,
    GATHERCHECK_U32 = 8,
    GATHERCHECK_U64 = 9,
    GATHERCHECK_I2 = 10,
    GATHERCHECK_I4 = 11,
    GATHERCHECK_I8 = 12,
    GATHERCHECK_I16 = 13,
    GATHERCHECK_I32 = 14,
    GATHERCHECK_I64 = 15,
    GATHERCHECK_F16 = 16,
    GATHERCHECK_BF16 = 17,
    GATHERCHECK_F32 = 18,
    GATHERCHECK_F64 = 19,
    GATHERCHECK_F8E4M3 = 20,     /* (8) */
    GATHERCHECK_F8E5M2 = 21,     /* (8) */
    GATHERCHECK_F8E4M3FNUZ = 22, /* (8) */
    GATHERCHECK_F8E5M2FNUZ = 23, /* (8) */
    GATHERCHECK_F8E8M0 = 24,     /* (8) */
    GATHERCHECK_F4E2M1 = 25,     /* (4) */
    GATHERCHECK_NF4 = 26,        /* (4) */
    GATHERCHECK_C64 = 27,        /* two f32: real, imaginary */
    GATHERCHECK_C128 = 28,       /* two f64: real, imaginary */
    GATHERCHECK_STRING = 29      /* gathercheck_string */
};

/* UTF-8 without a terminating zero; zeros may be inside. Also an element of a string tensor. */
typedef struct gathercheck_string {
    const char* bytes; /* may be NULL where length is 0 */
    int64_t length;
} gathercheck_string;

/* Kinds of an attribute's value. Only integers are ever legal; the others occur in calls that must
 * be rejected. */
enum {
    GATHERCHECK_INTEGER = 0,  /* `integer` */
    GATHERCHECK_DECIMAL = 1,  /* `decimal` */
    GATHERCHECK_LOGICAL = 2,  /* `integer`, 0 or 1 */
    GATHERCHECK_TEXT = 3,     /* `text` */
    GATHERCHECK_INTEGERS = 4, /* `integers` and `count` */
    GATHERCHECK_OTHER = 5     /* `text`: the value as JSON */
};

/* An attribute that the call gives. What is absent is absent: defaults are the implementation's
 * business. */
typedef struct gathercheck_attribute {
    const char* name;
    int64_t kind;
    int64_t integer;
    double decimal;
    gathercheck_string text;
    const int64_t* integers;
    int64_t count;
} gathercheck_attribute;

/* An input. */
typedef struct gathercheck_tensor {
    const char* name; /* "data", "indices", "axis"; anything else is surplus, in calls that must be
                         rejected */
    int64_t type;
    int64_t rank;
    const int64_t* shape; /* `rank` dimensions; one that is not known yet is -1 */
    const void* contents; /* NULL: not known yet */
    int64_t bytes;        /* of the contents; 0 where they are not known yet */
    int64_t constant;     /* 1: known when a model is built; 0: only at run time */
} gathercheck_tensor;

/* One call of one operator version. In `prepare` only constant operands have contents, and where a
 * model is built without knowing shapes the dimensions of the other operands are -1. In `run`
 * everything is known. */
typedef struct gathercheck_call {
    const char* operator_version; /* "onnx.Gather-13" */
    const gathercheck_attribute* attributes;
    int64_t attribute_count;
    const gathercheck_tensor* inputs;
    int64_t input_count;
    int64_t dynamic_shapes; /* 1: a model is built without knowing the shapes of operands that are
                               not constant */
} gathercheck_call;

/* What a function returns. Anything else is a fault of the plug-in. */
enum {
    GATHERCHECK_OK = 0,
    GATHERCHECK_REJECTED = 1,    /* the call is wrong, and this is how it should be */
    GATHERCHECK_UNSUPPORTED = 2, /* the call may be right, but it cannot be asked this */
    GATHERCHECK_BROKEN = 3       /* a fault of the plug-in, not of what it tests: no verdict */
};

/* When an error can be known. It is recorded and shown; no text prescribes it, so none is wrong. */
enum {
    GATHERCHECK_PHASE_UNKNOWN = 0,
    GATHERCHECK_PHASE_BUILD = 1, /* from attributes, counts and element types */
    GATHERCHECK_PHASE_SHAPE = 2, /* from ranks and dimensions, and the contents of the axis input */
    GATHERCHECK_PHASE_RUN = 3    /* from index values */
};

/* More about GATHERCHECK_REJECTED. All zero when a function is called. */
typedef struct gathercheck_error {
    int64_t phase;
    const char* category; /* "index_out_of_bounds" and so on, or NULL; judged if it is given. A
                             static string. */
} gathercheck_error;

/* What is known of the output; all unknown when `describe` is called. */
typedef struct gathercheck_descriptor {
    int64_t type;      /* -1: unknown */
    int64_t rank;      /* -1: unknown */
    int64_t shape[64]; /* the first `rank` entries are looked at; -1: unknown */
} gathercheck_descriptor;

/* Where the output goes. */
typedef struct gathercheck_output gathercheck_output;
struct gathercheck_output {
    /* A buffer for exactly what `describe` said, where that left nothing open; else NULL. */
    void* contents;
    int64_t bytes;
    /* Makes a buffer for an output of this type and shape. To be called once, where `contents` is
     * NULL or the output is another one. The buffer is not the plug-in's to free. NULL: there is no
     * such tensor, or no memory for it; return whatever you like then. */
    void* (*allocate)(gathercheck_output* output, int64_t type, int64_t rank, const int64_t* shape);
};

/* What is supported. Each member is a list of names with a space between, types by their short
 * names ("f32 f8e4m3 string"). They go together only within one claim. For a legal call that is
 * claimed, GATHERCHECK_UNSUPPORTED is a failure. Calls that are not claimed are only asked where
 * they must be rejected. */
typedef struct gathercheck_claim {
    const char* operators; /* "onnx.Gather-11 onnx.Gather-13" */
    const char* data;      /* element types of data */
    const char* indices;   /* element types of indices */
    const char* operands;  /* of "runtime constant folded": nothing, the indices, everything is
                              constant. NULL: "runtime" */
    const char* shapes;    /* of "static dynamic". NULL: "static" */
    const char* axis;      /* of "constant runtime", where axis is an input. NULL: "constant" */
} gathercheck_claim;

/* The implementation: what it is, and its functions. Of those only `prepare` and `run` must be
 * there. Nothing is ever written to it. */
typedef struct gathercheck_implementation {
    uint64_t size;        /* sizeof(gathercheck_implementation) */
    const char* name;     /* "my_engine" */
    const char* version;  /* "1.2.0" */
    const char* language; /* "rust"; "c" where it is NULL */
    const char* device;   /* "gpu"; "cpu" where it is NULL */
    const gathercheck_claim* claims;
    int64_t claim_count;
    /* 0: that of the element type. 1: none is needed; each call is then also run on tensors that
     * begin at an odd address and must give the same. A power of two up to 4096: that much; up to
     * so many bytes behind a tensor are then no inaccessible page but a pattern, so that reading
     * them is only seen where it changes the output. */
    int64_t alignment;

    /* `*handle` becomes whatever the plug-in likes; it is handed to the other functions. */
    int (*prepare)(const gathercheck_call* call, void** handle, gathercheck_error* error);
    int (*run)(void* handle, const gathercheck_call* call, gathercheck_output* output,
               gathercheck_error* error);
    int (*describe)(void* handle, gathercheck_descriptor* output, gathercheck_error* error);
    void (*release)(void* handle);
    /* A sentence for people about the last function that did not return GATHERCHECK_OK; valid until
     * the next call of any function. `handle` is NULL where prepare failed. */
    const char* (*message)(void* handle);
    /* For each claim the values of attributes that it promises, "batch_dims=0 axis=-1,0,1": the
     * only ones of these attributes for which a legal call is claimed. An attribute that a call
     * lacks has its default, 0. NULL: any values; so is a NULL in its place for one claim. */
    const char* const* claim_attributes;
} gathercheck_implementation;

/* The one function that a plug-in exports. `version` is the host's GATHERCHECK_PLUGIN_VERSION.
 * Returns a struct that lives as long as the library is loaded; NULL where the plug-in does not
 * know that version. */
GATHERCHECK_EXPORT const gathercheck_implementation* gathercheck_plugin(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
