// SPDX-License-Identifier: Apache-2.0
#include "conformance/records/record_writer.hpp"

#include <utility>
#include <variant>

#include "conformance/records/record_json.hpp"

namespace gathercheck {
namespace {

/// Keys that are held at most; beyond, all is declared anew.
constexpr std::size_t most_key_bytes = std::size_t{32} << 20;

std::string text_of(const Json& json) {
    // Details quote what others printed: bytes that are not UTF-8 are replaced, never thrown over.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string key_of_context(const ExecutionRecord& execution) {
    std::string key = "context";
    for (const std::string& part :
         {execution.implementation, execution.version,
          std::string(name(execution.operator_version)), to_string(execution.route)}) {
        key += '\0';
        key += part;
    }
    return key;
}

}  // namespace

template <class Members>
std::int64_t RecordWriter::number_of(std::string key, const Members& members, std::string& text) {
    const auto [found, is_new] = numbers_.try_emplace(std::move(key), next_);
    if (is_new) {
        bytes_ += found->first.size();
        text += R"({"record":"common","number":)" + std::to_string(next_++) + R"(,"members":)" +
                members() + "}\n";
    }
    return found->second;
}

void RecordWriter::forget() {
    numbers_.clear();
    bytes_ = 0;
}

std::string RecordWriter::execution_lines(const ExecutionRecord& execution) {
    if (bytes_ > most_key_bytes) forget();
    std::string text;
    const std::int64_t context = number_of(
        key_of_context(execution), [&] { return text_of(context_json(execution)); }, text);
    const Json evidence = evidence_json(execution);
    if (!is_looked_at(execution.verdict) && evidence.empty() && execution.reproducer.empty()) {
        const std::int64_t asked = number_of(
            "case " + execution.case_hash + execution.case_id,
            [&] { return text_of(case_json(execution)); }, text);
        const std::string result = text_of(result_json(execution));
        const std::int64_t came = number_of("result " + result, [&] { return result; }, text);
        text += R"({"of":[)" + std::to_string(context) + "," + std::to_string(asked) + "," +
                std::to_string(came) + "]";
        if (execution.microseconds) text += ",\"us\":" + std::to_string(*execution.microseconds);
        return text + "}\n";
    }
    // What one looks for is to be found in one line.
    Json line{{"of", Json::array({context})}};
    if (!execution.reason.empty()) {
        const std::string known = text_of(evidence);
        line["of"].push_back(number_of("known " + known, [&] { return known; }, text));
    }
    line.update(case_json(execution));
    line.update(result_json(execution));
    if (execution.reason.empty()) line.update(evidence);
    if (!execution.reproducer.empty()) line["reproducer"] = execution.reproducer;
    if (execution.microseconds) line["us"] = *execution.microseconds;
    return text + text_of(line) + '\n';
}

std::string RecordWriter::lines(const Record& record) {
    if (const auto* execution = std::get_if<ExecutionRecord>(&record))
        return execution_lines(*execution);
    // A reader forgets what was declared for the run before.
    if (std::holds_alternative<RunRecord>(record)) forget();
    return to_json_line(record) + '\n';
}

}  // namespace gathercheck
