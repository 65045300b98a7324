// SPDX-License-Identifier: Apache-2.0
#include "conformance/known_failures/history.hpp"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

bool has(const std::vector<std::string>& list, const std::string& version) {
    return std::ranges::find(list, version) != list.end();
}

std::vector<std::string> versions_of(const Json& entry, const Place& at, const char* key,
                                     Problems& problems) {
    const Json* list = array_at(entry, at, key, problems);
    const Place here = at.child(key);
    return list == nullptr ? std::vector<std::string>{} : strings_of(*list, here, problems);
}

/// Each version that was asked stands in one list, and no other does.
void check_versions(const FindingHistory& history, const Place& at, Problems& problems) {
    const std::vector<const std::vector<std::string>*> lists = {
        &history.shown, &history.not_shown, &history.otherwise, &history.not_run};
    for (const auto* list : lists) {
        for (const std::string& version : *list) {
            if (has(history.asked, version)) continue;
            problems.add(at, "the version " + in_quotes(version) +
                                 " is not among those of \"asked\"; add it there");
        }
    }
    for (const std::string& version : history.asked) {
        const auto count =
            std::ranges::count_if(lists, [&](const auto* list) { return has(*list, version); });
        if (count == 1) continue;
        problems.add(at,
                     "the version " + in_quotes(version) + " stands in " + std::to_string(count) +
                         " of shown, not_shown, otherwise and not_run; it belongs in one of them");
    }
}

void read_history(const std::filesystem::path& file, const Json& root,
                  const FindingCatalogue& findings, FindingHistories& histories,
                  Problems& problems) {
    const Place top;
    if (!check_keys(root, top, {"engine", "asked", "findings"}, {}, problems)) return;
    const std::string* engine = string_at(root, top, "engine", problems);
    if (engine != nullptr && *engine != file.stem().generic_string()) {
        problems.add(top.pointer() + "/engine",
                     in_quotes(*engine) + " is not the name of the file; write it");
    }
    const std::vector<std::string> asked = versions_of(root, top, "asked", problems);
    const Json* list = array_at(root, top, "findings", problems);
    const Place list_place = top.child("findings");
    for (std::size_t k = 0; list != nullptr && k < list->size(); ++k) {
        const Json& entry = (*list)[k];
        const Place at = list_place.child(k);
        if (!check_keys(entry, at, {"id"}, {"shown", "not_shown", "otherwise", "not_run"},
                        problems))
            continue;
        const std::string* id = string_at(entry, at, "id", problems);
        if (id == nullptr) continue;
        FindingHistory history{asked, versions_of(entry, at, "shown", problems),
                               versions_of(entry, at, "not_shown", problems),
                               versions_of(entry, at, "otherwise", problems),
                               versions_of(entry, at, "not_run", problems)};
        check_versions(history, at, problems);
        if (findings.find(*id) == nullptr) {
            problems.add(at.pointer() + "/id", findings.has_none(*id));
        } else if (!histories.emplace(*id, std::move(history)).second) {
            problems.add(at.pointer() + "/id", in_quotes(*id) + " stands twice; keep one of them");
        }
    }
}

}  // namespace

std::string to_string(const FindingHistory& history, const std::string& what) {
    std::vector<std::string> ran;
    for (const std::string& version : history.asked) {
        if (has(history.shown, version) || has(history.not_shown, version)) ran.push_back(version);
    }
    std::string text;
    const auto is_shown = [&](const std::string& version) { return has(history.shown, version); };
    const auto first = std::ranges::find_if(ran, is_shown);
    const auto all = [&] {
        if (ran.size() == 1) return "1 " + what + ", " + ran.front();
        return std::to_string(ran.size()) + " " + what + "s, " + ran.front() + " to " + ran.back();
    };
    if (ran.empty()) {
        text = "nothing can be said of the " + what + "s asked";
    } else if (first == ran.end()) {
        text = (ran.size() == 1 ? "not in " : "in none of ") + all();
    } else if (std::ranges::all_of(ran, is_shown)) {
        text = (ran.size() == 1 ? "in " : "in all ") + all();
    } else {
        const auto behind = std::find_if(ran.rbegin(), ran.rend(), is_shown).base();
        text = first == ran.begin() ? "in the oldest " + what + " asked, " + *first
                                    : "since " + *first + ", not in " + *(first - 1);
        text += behind == ran.end() ? "; in the newest asked, " + ran.back() + ", still"
                                    : "; fixed in " + *behind + ", in " + *(behind - 1) + " still";
        std::vector<std::string> between(first, behind);
        std::erase_if(between, is_shown);
        if (!between.empty()) text += "; in between not in " + joined(between);
    }
    if (!history.otherwise.empty()) {
        text += "; fails in another way in " + joined(history.otherwise);
    }
    if (!history.not_run.empty()) text += "; not run: " + joined(history.not_run);
    return text;
}

std::variant<FindingHistories, std::vector<Problem>> load_histories(
    const std::filesystem::path& folder, const FindingCatalogue& findings) {
    std::error_code error;
    const std::vector<std::filesystem::path> files = json_files(folder, error);
    FindingHistories histories;
    std::vector<Problem> all;
    for (const std::filesystem::path& file : files) {
        JsonResult document = read_json(file);
        if (auto* refused = std::get_if<std::vector<Problem>>(&document)) {
            all.insert(all.end(), refused->begin(), refused->end());
            continue;
        }
        Problems problems(file.generic_string());
        read_history(file, std::get<Json>(document), findings, histories, problems);
        auto found = std::move(problems).take();
        all.insert(all.end(), found.begin(), found.end());
    }
    if (!all.empty()) return all;
    return histories;
}

}  // namespace gathercheck
