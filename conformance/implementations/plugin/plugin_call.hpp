// SPDX-License-Identifier: Apache-2.0
// One call of a plug-in, wherever its code and its memory come from: what its struct says, the call
// as it sees it, and what its functions answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/implementations/worker/worker_messages.hpp"
#include "conformance/model/outcome.hpp"
#include "conformance/model/route.hpp"
#include "conformance/plugin.h"
#include "reference/call.hpp"

namespace gathercheck {

/// A plug-in's own functions run behind this: an exception that comes out ends the process, with
/// its text on standard error.
template <class Function, class... Arguments>
auto call_plugin(Function function, Arguments... arguments) noexcept {
    return function(arguments...);
}

/// The struct that gathercheck_plugin() returned, with the members that it has; the text is why it
/// cannot be used.
std::variant<gathercheck_implementation, std::string> read_implementation(
    const gathercheck_implementation* given);

/// What the struct claims. Borrows its texts.
WorkerHello hello_of(const gathercheck_implementation& implementation);

/// A call as a plug-in sees it. Borrows all of it, and what it points at are its tensors.
class PluginCall {
public:
    PluginCall(const char* operator_version, const Route& route, const Call& call);
    PluginCall(const PluginCall&) = delete;
    PluginCall& operator=(const PluginCall&) = delete;

    const gathercheck_call* at_build() const { return &build_call_; }
    const gathercheck_call* at_run() const { return &call_; }

private:
    void add(const Attribute& attribute);
    void add(const Input& input, bool constant);

    std::vector<gathercheck_attribute> attributes_;
    std::vector<gathercheck_tensor> inputs_;
    std::vector<gathercheck_tensor> at_build_;
    gathercheck_call call_{};
    gathercheck_call build_call_{};
};

/// What `prepare` made; given back in the end.
class PluginHandle {
public:
    explicit PluginHandle(const gathercheck_implementation& implementation)
        : implementation_(implementation) {}
    PluginHandle(const PluginHandle&) = delete;
    PluginHandle& operator=(const PluginHandle&) = delete;
    ~PluginHandle() {
        if (prepared && implementation_.release != nullptr) {
            call_plugin(implementation_.release, value);
        }
    }

    void* value = nullptr;
    bool prepared = false;

private:
    const gathercheck_implementation& implementation_;
};

/// The output that it wrote, in the memory that it was given.
struct PluginWrote {
    Descriptor descriptor;
    std::span<const std::byte> bytes;
};

/// The category is as it gave it, known here or not.
struct PluginRejected {
    std::string message;
    std::optional<Phase> phase;
    std::string category;
};

using PluginAnswer =
    std::variant<PluginWrote, DescriptorOutcome, PluginRejected, Unsupported, Broken>;

/// Makes a filled buffer for an output; nothing where there is none to be had.
using PlaceOutput = std::function<std::optional<std::span<std::byte>>(std::size_t size)>;

/// Asks a plug-in one call, or to describe its output. The handle must outlive the look at the
/// answer: it is released thereafter.
PluginAnswer ask_plugin(const gathercheck_implementation& implementation, const PluginCall& call,
                        bool describe, const PlaceOutput& place_output, PluginHandle& handle);

}  // namespace gathercheck
