// SPDX-License-Identifier: Apache-2.0
// A worker that computes nothing and reads next to nothing: its output is the text of its data.
#include "tools/shared/null_worker.hpp"

#include <unistd.h>

#include <string>
#include <string_view>

#include "conformance/implementations/worker/worker_streams.hpp"

namespace gathercheck {
namespace {

constexpr std::string_view hello =
    R"({"message":"hello","protocol":1,"implementation":{"name":"null","version":"1",)"
    R"("language":"c++"},"claims":[{"operators":["onnx.Gather-13"],"data":["f32"],)"
    R"("indices":["i64"]}],"answers":["run"]})";

/// What lies between `before` and the next `behind`; empty where it is not there.
std::string_view between(std::string_view line, std::string_view before, char behind) {
    const std::size_t found = line.find(before);
    if (found == std::string_view::npos) return {};
    line.remove_prefix(found + before.size());
    return line.substr(0, line.find(behind));
}

}  // namespace

int serve_null() {
    LineReader lines(STDIN_FILENO);
    std::string answer;
    while (const auto line = lines.next()) {
        const std::string_view message = between(*line, "\"message\":\"", '"');
        if (message == "goodbye") return 0;
        answer = hello;
        if (message == "run") {
            answer = "{\"seq\":";
            answer += between(*line, "\"seq\":", ',');
            answer += ",\"output\":{";
            answer += between(*line, "\"data\":{", '}');
            answer += "}}";
        }
        answer += '\n';
        if (!write_all(STDOUT_FILENO, answer)) return 0;
    }
    return 0;
}

}  // namespace gathercheck
