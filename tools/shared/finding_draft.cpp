// SPDX-License-Identifier: Apache-2.0
#include "tools/shared/finding_draft.hpp"

#include <utility>

#include "conformance/known_failures/findings.hpp"
#include "conformance/records/record_json.hpp"
#include "conformance/util/capped.hpp"
#include "tools/shared/fuzz_text.hpp"

namespace gathercheck {
namespace {

/// As far as one answer tells: who reads outside may give a wrong value, or two, as well.
Severity likely_severity(Verdict verdict, Failure failure) {
    if (verdict == Verdict::crash) return Severity::crash;
    if (verdict == Verdict::timeout) return Severity::hang;
    switch (failure) {
        case Failure::unsafe_memory:
            return Severity::memory_outside;
        case Failure::wrong_shape:
        case Failure::wrong_type:
            return Severity::wrong_shape_or_type;
        case Failure::accepted:
            return Severity::missing_error;
        case Failure::rejected:
        case Failure::unsupported:
            return Severity::legal_refused;
        case Failure::none:
        case Failure::wrong_value:
        case Failure::wrong_error:
        case Failure::not_deterministic:
            break;
    }
    return Severity::wrong_value;
}

/// "onnxruntime" of "onnxruntime:unoptimized", "mine" of "mine=exec:./my_worker".
std::string engine_of(const std::string& implementation) {
    return part_of_id(implementation.substr(0, implementation.find_first_of("=:")));
}

}  // namespace

std::string part_of_id(const std::string& text) {
    std::string id;
    for (const char c : text) {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (upper) id += static_cast<char>(c - 'A' + 'a');
        if (plain) id += c;
        if (!upper && !plain && !id.empty() && id.back() != '-') id += '-';
    }
    return id;
}

Json finding_draft(const FuzzFailure& failure, const std::string& implementation,
                   const Introduction& introduction, const std::string& id,
                   const std::string& reproducer, const RuleCatalogue& catalogue) {
    const std::string engine = engine_of(implementation);
    Json finding{
        {"id", engine + "-" + id},
        {"implementations", Json::array({implementation})},
        {"severity", name(likely_severity(failure.verdict, failure.failure))},
        {"title", shortened(failure.title, longest_title)},
        {"statement", failure.detail},
        {"rules", rules_of(failure.specified, failure.call, catalogue)},
        {"call",
         {{"case", id}, {"operator", name(failure.version)}, {"route", route_json(failure.route)}}},
        {"outcome", failure.outcome},
        {"reproducer", reproducer},
        {"seen", {{"first", introduction.version}, {"last", introduction.version}}}};
    return {{"engine", engine}, {"findings", Json::array({std::move(finding)})}};
}

}  // namespace gathercheck
