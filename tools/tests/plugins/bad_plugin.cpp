// SPDX-License-Identifier: Apache-2.0
// A plug-in that takes elements of a list, and misbehaves as the environment variable BAD_PLUGIN
// says.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "plugin.h"

namespace {

bool is(const char* mode) {
    const char* chosen = std::getenv("BAD_PLUGIN");
    return chosen != nullptr && std::strcmp(chosen, mode) == 0;
}

/// Bytes of an element; 0: half a byte.
std::int64_t size_of(std::int64_t type) {
    if (type == GATHERCHECK_U4) return 0;
    return type == GATHERCHECK_STRING ? 16 : 4;
}

const gathercheck_tensor& input(const gathercheck_call* call, const char* name) {
    std::int64_t k = 0;
    while (std::strcmp(call->inputs[k].name, name) != 0) ++k;
    return call->inputs[k];
}

[[gnu::constructor]] void initialise() {
    if (is("abort-in-constructor")) std::abort();
    if (is("hang-in-constructor")) {
        for (volatile bool spins = true; spins;) {
        }
    }
}

int prepare(const gathercheck_call* call, void** handle, gathercheck_error*) {
    if (is("abort-in-prepare")) std::abort();
    const auto* indices = static_cast<const volatile char*>(input(call, "indices").contents);
    if (is("read-in-prepare") && indices != nullptr) static_cast<void>(indices[-1]);
    *handle = const_cast<gathercheck_call*>(call);
    return is("wrong-status") ? 17 : GATHERCHECK_OK;
}

int describe(void* handle, gathercheck_descriptor* output, gathercheck_error*) {
    const auto* call = static_cast<const gathercheck_call*>(handle);
    if (is("allocate") || is("allocate-twice") || is("no-output")) return GATHERCHECK_OK;
    output->type = is("wrong-type") ? 99 : input(call, "data").type;
    output->rank = is("wrong-rank") ? 65 : 1;
    output->shape[0] = is("wrong-dimension") ? -2 : input(call, "indices").shape[0];
    return GATHERCHECK_OK;
}

/// Orphans in sessions of their own, and a line in the file that the environment names.
void scatter() {
    for (int k = 0; k < 100; ++k) {
        if (::fork() != 0) continue;
        ::setsid();
        if (::fork() != 0) ::_exit(0);
        ::setsid();
        for (;;) ::pause();
    }
    const char* file = std::getenv("SCATTERED");
    std::FILE* stream = file == nullptr ? nullptr : std::fopen(file, "a");
    if (stream == nullptr) return;
    std::fputs("scattered\n", stream);
    std::fclose(stream);
}

struct Work {
    const char* from;
    const std::int64_t* indices;
    std::int64_t size;
    std::int64_t count;
    char* to;
};

void take_nibbles(const Work& work) {
    for (std::int64_t k = 0; k < work.count; ++k) {
        const std::int64_t index = work.indices[k];
        const int nibble = (work.from[index / 2] >> (index % 2 * 4)) & 15;
        const int shift = static_cast<int>(k % 2 * 4);
        work.to[k / 2] = static_cast<char>((work.to[k / 2] & ~(15 << shift)) | nibble << shift);
    }
}

void* take(void* argument) {
    const Work& work = *static_cast<const Work*>(argument);
    if (work.size == 0) {
        take_nibbles(work);
        return nullptr;
    }
    for (std::int64_t k = 0; k < work.count; ++k) {
        const std::int64_t size = work.size;
        std::memcpy(work.to + k * size, work.from + work.indices[k] * size,
                    static_cast<std::size_t>(size));
    }
    if (is("threads-write-past")) static_cast<volatile char*>(work.to)[work.count * work.size] = 1;
    return nullptr;
}

void misbehave(const gathercheck_tensor& data, const gathercheck_tensor& indices,
               const gathercheck_output* output) {
    const auto* first = static_cast<const volatile char*>(data.contents);
    auto* to = static_cast<volatile char*>(output->contents);
    if (is("read-before")) static_cast<void>(first[-1]);
    if (is("read-past")) static_cast<void>(first[data.bytes]);
    if (is("read-indices-past")) {
        static_cast<void>(static_cast<const volatile char*>(indices.contents)[indices.bytes]);
    }
    if (is("write-past")) to[output->bytes] = 1;
    if (is("write-before")) to[-1] = 1;
    if (is("write-input")) const_cast<volatile char*>(first)[1] = 1;
    if (is("hang")) {
        for (;;) ::pause();
    }
    if (is("scatter") || is("scatter-and-spin")) scatter();
    if (is("scatter-and-spin")) {
        for (volatile bool spins = true; spins;) {
        }
    }
    if (is("abort")) std::abort();
    if (is("exit")) std::exit(0);
    if (is("null")) *reinterpret_cast<volatile int*>(8) = 1;
    if (is("throw")) throw std::runtime_error("nobody catches this");
    if (is("leak")) std::memset(std::malloc(1 << 20), 1, 1 << 20);
    if (is("leak-much")) std::memset(std::malloc(1 << 30), 1, 1);
    if (is("fork") && ::fork() == 0) {
        for (;;) ::pause();
    }
    if (is("print")) {
        std::puts("{\"seq\":1,\"broken\":\"this is no answer\"}");
        std::fflush(stdout);
    }
}

int run(void*, const gathercheck_call* call, gathercheck_output* output, gathercheck_error*) {
    const gathercheck_tensor& data = input(call, "data");
    const gathercheck_tensor& indices = input(call, "indices");
    const std::int64_t size = size_of(data.type);
    const std::int64_t count = indices.shape[0];
    if (is("no-output")) return GATHERCHECK_OK;
    if (output->contents == nullptr) output->allocate(output, data.type, 1, indices.shape);
    if (is("allocate-twice")) output->allocate(output, data.type, 1, indices.shape);
    misbehave(data, indices, output);
    Work all{static_cast<const char*>(data.contents),
             static_cast<const std::int64_t*>(indices.contents), size, count,
             static_cast<char*>(output->contents)};
    if (is("unwritten")) all.count -= 1;
    if (is("foreign-string")) {
        const gathercheck_string text{"mine", 4};
        for (std::int64_t k = 0; k < count; ++k) std::memcpy(all.to + k * 16, &text, sizeof text);
        return GATHERCHECK_OK;
    }
    const bool at_odd_address = reinterpret_cast<std::uintptr_t>(data.contents) % 2 != 0;
    if (is("odd-fault") && at_odd_address) *reinterpret_cast<volatile int*>(8) = 1;
    if (is("odd") && at_odd_address) {
        std::memset(output->contents, 0, static_cast<std::size_t>(output->bytes));
        return GATHERCHECK_OK;
    }
    if (is("threads") || is("threads-write-past")) {
        Work second = all;
        all.count = count / 2;
        second.count = count - all.count;
        second.indices += all.count;
        second.to += all.count * size;
        pthread_t threads[2];
        // The one behind writes past the end; the one before writes what both own.
        pthread_create(&threads[1], nullptr, take, &second);
        pthread_join(threads[1], nullptr);
        if (is("threads-write-past")) return GATHERCHECK_OK;
        pthread_create(&threads[0], nullptr, take, &all);
        pthread_join(threads[0], nullptr);
        return GATHERCHECK_OK;
    }
    if (is("thread-that-stays")) {
        pthread_t thread;
        pthread_create(
            &thread, nullptr,
            [](void*) -> void* {
                for (;;) ::pause();
            },
            nullptr);
    }
    take(&all);
    // What lies behind the data becomes an element.
    if (is("use-past")) std::memcpy(all.to, all.from + data.bytes, 4);
    return GATHERCHECK_OK;
}

const char* message(void*) { return "of no importance"; }

}  // namespace

#ifndef WITHOUT_SYMBOL
const gathercheck_implementation* gathercheck_plugin(std::uint32_t version) {
    static const gathercheck_claim claim{
        "onnx.Gather-13 openvino.Gather-8", "f32 u4 string", "i64",
        "runtime constant folded",          "static",        nullptr};
    // A later version of the struct may have more members.
    static struct : gathercheck_implementation {
        char more[64];
    } self{};
    self.size = is("small-struct")   ? 8
                : is("large-struct") ? sizeof self
                                     : sizeof(gathercheck_implementation);
    self.name = is("nameless") ? nullptr : "bad_plugin";
    self.version = "0.1";
    self.claims = &claim;
    self.claim_count = is("claims-nothing") ? 0 : 1;
    self.alignment = is("odd") || is("odd-fault")              ? 1
                     : is("alignment-3")                       ? 3
                     : std::getenv("BAD_ALIGNMENT") != nullptr ? 64
                                                               : 0;
    self.prepare = prepare;
    self.run = is("no-run") ? nullptr : run;
    self.describe = describe;
    self.message = message;
    if (is("exit-at-load")) std::exit(0);
    if (is("null-at-load")) *reinterpret_cast<volatile int*>(8) = 1;
    if (is("hang-at-load")) {
        for (;;) ::pause();
    }
    return is("other-version") || version != GATHERCHECK_PLUGIN_VERSION ? nullptr : &self;
}
#endif
