// SPDX-License-Identifier: Apache-2.0
// The reference as a plug-in: every operator version, type and route, through the C interface.
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/plugin.h"
#include "reference/reference.hpp"

namespace {

using namespace gathercheck;

// Lives as long as the thread: the host asks for the text after the function has returned.
thread_local std::string last_message;

/// A call of the interface as the reference takes it; nothing where the reference cannot say it.
std::optional<Call> read_call(const gathercheck_call& asked) {
    Call call;
    const auto version = operator_version(asked.operator_version);
    if (!version) return std::nullopt;
    call.version = *version;
    for (std::int64_t k = 0; k < asked.attribute_count; ++k) {
        const gathercheck_attribute& attribute = asked.attributes[k];
        const std::string text(attribute.text.bytes == nullptr ? "" : attribute.text.bytes,
                               static_cast<std::size_t>(attribute.text.length));
        AttributeValue value = attribute.integer;
        if (attribute.kind == GATHERCHECK_DECIMAL) value = attribute.decimal;
        if (attribute.kind == GATHERCHECK_LOGICAL) value = attribute.integer != 0;
        if (attribute.kind == GATHERCHECK_TEXT) value = text;
        if (attribute.kind == GATHERCHECK_INTEGERS) {
            value =
                std::vector<std::int64_t>(attribute.integers, attribute.integers + attribute.count);
        }
        if (attribute.kind == GATHERCHECK_OTHER) value = OtherValue{text};
        call.attributes.push_back({attribute.name, value});
    }
    for (std::int64_t k = 0; k < asked.input_count; ++k) {
        const gathercheck_tensor& input = asked.inputs[k];
        TensorView view;
        view.type = static_cast<ElementType>(input.type);
        view.shape =
            Shape(std::span<const std::int64_t>(input.shape, static_cast<std::size_t>(input.rank)));
        view.contents = static_cast<const std::byte*>(input.contents);
        call.inputs.push_back({input.name, view});
    }
    return call;
}

int rejected(const Error& why, gathercheck_error* error) {
    static_assert(GATHERCHECK_PHASE_BUILD == static_cast<int>(Phase::build) + 1);
    static_assert(GATHERCHECK_PHASE_RUN == static_cast<int>(Phase::run) + 1);
    error->phase = static_cast<std::int64_t>(why.phase) + 1;
    error->category = name(why.category).data();  // the names are literals
    last_message = why.detail;
    return GATHERCHECK_REJECTED;
}

/// True where everything is known that the shape of the output depends on.
bool is_shape_known(const gathercheck_call& call) {
    for (std::int64_t k = 0; k < call.input_count; ++k) {
        const gathercheck_tensor& input = call.inputs[k];
        if (call.dynamic_shapes != 0 && input.constant == 0) return false;
        if (std::strcmp(input.name, "axis") == 0 && input.contents == nullptr) return false;
    }
    return true;
}

/// What prepare found out.
struct Prepared {
    std::optional<Descriptor> output;
};

int prepare(const gathercheck_call* asked, void** handle, gathercheck_error* error) {
    auto prepared = std::make_unique<Prepared>();
    if (is_shape_known(*asked)) {
        const auto call = read_call(*asked);
        if (!call) {
            last_message = "no such operator version";
            return GATHERCHECK_UNSUPPORTED;
        }
        auto output = reference::output_descriptor(*call);
        if (!output) return rejected(output.error(), error);
        prepared->output = *output;
    }
    *handle = prepared.release();
    return GATHERCHECK_OK;
}

int describe(void* handle, gathercheck_descriptor* known, gathercheck_error*) {
    const auto& output = static_cast<const Prepared*>(handle)->output;
    if (!output) return GATHERCHECK_OK;
    known->type = static_cast<std::int64_t>(output->type);
    known->rank = output->shape.rank();
    std::copy(output->shape.begin(), output->shape.end(), known->shape);
    return GATHERCHECK_OK;
}

int run(void* handle, const gathercheck_call* asked, gathercheck_output* output,
        gathercheck_error* error) {
    const auto call = read_call(*asked);
    if (!call) {
        last_message = "no such operator version";
        return GATHERCHECK_UNSUPPORTED;
    }
    auto descriptor = reference::output_descriptor(*call);
    if (!descriptor) return rejected(descriptor.error(), error);
    if (!static_cast<const Prepared*>(handle)->output &&
        output->allocate(output, static_cast<std::int64_t>(descriptor->type),
                         descriptor->shape.rank(), descriptor->shape.begin()) == nullptr) {
        return GATHERCHECK_UNSUPPORTED;
    }
    const auto ran = reference::run(*call, {static_cast<std::byte*>(output->contents),
                                            static_cast<std::size_t>(output->bytes)});
    return ran ? GATHERCHECK_OK : rejected(ran.error(), error);
}

void release(void* handle) { delete static_cast<Prepared*>(handle); }

const char* message(void*) { return last_message.c_str(); }

std::string names_of(TypeSet types) {
    std::string text;
    for (const ElementTypeInfo& row : element_types()) {
        if (!types.contains(row.type)) continue;
        text += (text.empty() ? "" : " ") + std::string(row.name);
    }
    return text;
}

/// A claim for each operator version, and the texts that they point at.
struct Claims {
    std::array<std::array<std::string, 3>, enumerated_version_count> texts;
    std::array<gathercheck_claim, enumerated_version_count> claims{};

    Claims() {
        for (std::size_t k = 0; k < enumerated_version_count; ++k) {
            const OperatorInfo& row = operator_versions()[k];
            texts[k] = {std::string(row.name), names_of(row.data_types),
                        names_of(row.indices_types)};
            claims[k] = {texts[k][0].c_str(),       texts[k][1].c_str(), texts[k][2].c_str(),
                         "runtime constant folded", "static dynamic",    "constant runtime"};
        }
    }
};

}  // namespace

const gathercheck_implementation* gathercheck_plugin(std::uint32_t version) {
    static const Claims claims;
    static const gathercheck_implementation self = [] {
        gathercheck_implementation made{};
        made.size = sizeof made;
        made.name = "gathercheck reference";
        made.version = GATHERCHECK_VERSION;
        made.language = "c++";
        made.claims = claims.claims.data();
        made.claim_count = static_cast<std::int64_t>(claims.claims.size());
        made.alignment = 1;
        made.prepare = prepare;
        made.describe = describe;
        made.run = run;
        made.release = release;
        made.message = message;
        return made;
    }();
    return version == GATHERCHECK_PLUGIN_VERSION ? &self : nullptr;
}
