// SPDX-License-Identifier: Apache-2.0
#include "tools/site/site_data.hpp"

#include <bit>
#include <cstddef>
#include <set>

namespace gathercheck {

SiteData::SiteData(const Json& document) : document_(document), by_case_(document["cases"].size()) {
    answers_.reserve(document["answers"].size());  // what points to them stays good
    for (const Json& answer : document["answers"]) {
        const SiteAnswer& made = answers_.emplace_back(SiteAnswer{
            std::ssize(answers_), answer[0].get<std::int64_t>(), answer[1].get<std::int64_t>(),
            answer[2].get<std::int64_t>(), static_cast<Verdict>(answer[3].get<int>()),
            std::popcount(answer[4].get<std::uint32_t>()), answer[5].get<std::int64_t>()});
        by_case_[static_cast<std::size_t>(made.case_number)].push_back(&made);
    }
    std::set<std::string> shown;
    for (const SiteAnswer& answer : answers_) shown.insert(finding_of(answer));
    for (const Json& finding : document["findings"]) {
        if (shown.contains(finding["id"].get<std::string>())) shown_findings_.push_back(&finding);
    }
    for (const Json& tested : document["cases"]) {
        cases_.emplace(tested["id"].get<std::string>(), std::ssize(cases_));
    }
}

const std::vector<const SiteAnswer*>& SiteData::answers_to(std::int64_t case_number) const {
    return by_case_[static_cast<std::size_t>(case_number)];
}

const Json& SiteData::tested(std::int64_t case_number) const {
    return document_["cases"][static_cast<std::size_t>(case_number)];
}

std::int64_t SiteData::case_number(std::string_view id) const {
    const auto found = cases_.find(id);
    return found == cases_.end() ? -1 : found->second;
}

std::string SiteData::version_name(std::int64_t version) const {
    return document_["versions"][static_cast<std::size_t>(version)]["name"];
}

std::string SiteData::label(std::int64_t implementation) const {
    return document_["implementations"][static_cast<std::size_t>(implementation)]["label"];
}

std::string SiteData::finding_of(const SiteAnswer& answer) const {
    if (answer.outcome < 0) return {};
    return text_of(document_["outcomes"][static_cast<std::size_t>(answer.outcome)], "finding");
}

std::vector<std::int64_t> SiteData::versions_run() const {
    std::set<std::int64_t> versions;
    for (const Json& entry : document_["matrix"]) versions.insert(entry[1].get<std::int64_t>());
    return {versions.begin(), versions.end()};
}

std::string text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() ? std::string() : found->get<std::string>();
}

}  // namespace gathercheck
