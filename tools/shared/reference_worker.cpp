// SPDX-License-Identifier: Apache-2.0
// The reference behind the worker protocol: any call of any operator version, and its answer.
#include "tools/shared/reference_worker.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "conformance/implementations/worker/worker_messages.hpp"
#include "conformance/implementations/worker/worker_streams.hpp"
#include "tools/shared/ask_reference.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {
namespace {

std::string type_names(const TypeSet& types) {
    std::string text;
    for (const ElementTypeInfo& one : element_types()) {
        if (types.contains(one.type)) text += (text.empty() ? "" : " ") + std::string(one.name);
    }
    return text;
}

std::string hello() {
    struct Names {
        std::string version, data, indices;
    };
    std::vector<Names> rows;
    for (const OperatorInfo& row : operator_versions()) {
        rows.push_back({std::string(name(row.version)), type_names(row.data_types),
                        type_names(row.indices_types)});
    }
    WorkerHello hello{.name = "reference",
                      .version = GATHERCHECK_VERSION,
                      .language = "c++",
                      .device = "cpu",
                      .claims = {},
                      .describes = true};
    for (const Names& row : rows) {
        hello.claims.push_back({row.version, row.data, row.indices, "runtime constant folded",
                                "static dynamic", "constant runtime"});
    }
    return hello_answer(hello);
}

std::string answer(const CallAsked& asked) {
    const auto version = operator_version(asked.operator_version);
    if (!version) {
        return text_answer(asked.seq, "unsupported",
                           "there is no operator version " + asked.operator_version);
    }
    Call call{*version, asked.attributes, {}};
    for (const AskedInput& input : asked.inputs) {
        TensorView view = input.tensor.view();
        if (!input.has_contents) view.contents = nullptr;
        call.inputs.push_back({input.name, view});
    }
    const Outcome outcome = ask_reference(call, asked.describe);
    if (const auto* rejected = std::get_if<Rejected>(&outcome)) {
        return rejected_answer(asked.seq, rejected->message,
                               rejected->phase ? name(*rejected->phase) : "",
                               rejected->category ? name(*rejected->category) : "");
    }
    if (const auto* described = std::get_if<DescriptorOutcome>(&outcome)) {
        return descriptor_answer(asked.seq, *described);
    }
    return output_answer(asked.seq, std::get<ValueOutcome>(outcome).output.view());
}

}  // namespace

int serve_reference() {
    LineReader lines(STDIN_FILENO);
    const auto refusal = serve(lines, STDOUT_FILENO, hello, answer);
    return refusal ? refuse(refusal->why) : 0;
}

}  // namespace gathercheck
