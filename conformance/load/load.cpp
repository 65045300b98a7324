// SPDX-License-Identifier: Apache-2.0
// Loading of case files: files and folders, sweeps, and what only all cases together can show.
#include "conformance/load/load.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "conformance/load/load_json.hpp"
#include "conformance/load/meaning.hpp"
#include "conformance/select/sequence.hpp"
#include "conformance/util/sha256.hpp"
#include "conformance/util/special_file.hpp"

namespace gathercheck {
namespace {

namespace fs = std::filesystem;

/// How many combinations of one sweep may have problems before the rest is left alone.
constexpr int bad_combinations = 5;

/// All cases of sweeps, written out, may have so much text.
constexpr std::size_t max_expanded_bytes = std::size_t{1} << 29;

/// Cases and problems of all documents so far.
class Loader {
public:
    explicit Loader(const RuleCatalogue& rules) : rules_(rules) {}

    void add_problems(std::vector<Problem> problems) {
        std::ranges::move(problems, std::back_inserter(problems_));
    }

    void add_document(const JsonResult& document, const std::string& file) {
        if (const auto* refused = std::get_if<std::vector<Problem>>(&document)) {
            add_problems(*refused);
            return;
        }
        Problems problems(file);
        read_document(std::get<Json>(document), problems);
        add_problems(std::move(problems).take());
    }

    LoadResult finish() && {
        check_ids();
        check_controls();
        resolve_sequences();
        if (!problems_.empty()) return std::move(problems_);
        std::map<std::string_view, std::string_view> hashes;
        for (const Case& each : cases_) hashes.emplace(each.id, each.hash);
        Sha256 digest;
        for (const auto& [id, hash] : hashes) digest.update(hash);
        Suite suite;
        suite.hash = digest.hex();
        suite.cases = std::move(cases_);
        return suite;
    }

private:
    void read_document(const Json& document, Problems& problems) {
        const Place top;
        check_keys(document, top, {"cases"}, {}, problems);
        if (!document.is_object()) return;
        const Json* list = array_at(document, top, "cases", problems);
        if (list == nullptr) return;
        const Place here = top.child("cases");
        if (list->empty()) problems.add(here, "is an empty list; write at least one case");
        for (std::size_t k = 0; k < list->size() && !problems.full(); ++k) {
            const Place place = here.child(k);
            const Json& value = (*list)[k];
            if (find_member(value, "sweep") != nullptr) {
                read_sweep(value, place, problems);
            } else {
                add_case(value, place, false, problems);
            }
        }
    }

    bool add_case(const Json& value, const Place& at, bool in_sweep, Problems& problems) {
        auto result = read_case(value, at, in_sweep, rules_, problems);
        if (!result) {
            // A control or a double may name it all the same.
            const Json* id = find_member(value, "id");
            if (id != nullptr && id->is_string()) {
                refused_.push_back({id->get<std::string>(), problems.file(), at.pointer()});
            }
            return false;
        }
        canonical_.clear();
        append_one_by_one(canonical_, value, *result);
        if (in_sweep) expanded_bytes_ += canonical_.size();
        result->hash = sha256_hex(canonical_);
        cases_.push_back(std::move(*result));
        return true;
    }

    void read_sweep(const Json& value, const Place& at, Problems& problems) {
        const std::string* id = string_at(value, at, "id", problems);
        if (id == nullptr || !is_kebab_case(*id)) {
            problems.add(at.child("id"),
                         "the id of a sweep is missing or not in kebab-case; write "
                         "lower-case words of letters, digits and dots with single "
                         "hyphens between them");
            return;
        }
        int bad = 0;
        expand_sweep(value, at, problems, [&](const Json& expanded, const std::string& full_id) {
            problems.set_context("in " + full_id);
            if (!add_case(expanded, at, true, problems)) ++bad;
            if (expanded_bytes_ > max_expanded_bytes) {
                const Place sweep = at.child("sweep");
                problems.add(sweep, "the cases of the sweeps so far would be more than " +
                                        std::to_string(max_expanded_bytes) +
                                        " bytes of JSON, written out; make the case or its lists "
                                        "shorter");
                return false;
            }
            return bad < bad_combinations && !problems.full();
        });
        problems.set_context({});
        sweeps_.push_back({*id, problems.file(), at.pointer()});
    }

    /// Where an id stands.
    struct Named {
        std::string id;
        std::string file;
        std::string pointer;
    };

    void check_ids() {
        std::unordered_map<std::string_view, const Named*> first;
        std::vector<Named> all;
        all.reserve(cases_.size() + refused_.size() + sweeps_.size());
        for (const Case& each : cases_) {
            if (!each.from_sweep) all.push_back({each.id, each.file, each.pointer});
        }
        for (const Named& each : refused_) {
            if (each.id.find('/') == std::string::npos) all.push_back(each);
        }
        // The ids of a sweep's cases are as unique as its own.
        std::ranges::copy(sweeps_, std::back_inserter(all));
        std::ranges::stable_sort(all,
                                 [](const Named& a, const Named& b) { return a.file < b.file; });
        for (const Named& each : all) {
            const auto [known, added] = first.emplace(each.id, &each);
            if (added) continue;
            problems_.push_back({each.file, pointer_child(each.pointer, "id"),
                                 "the id " + in_quotes(each.id) + " is taken by " +
                                     known->second->file + ": " + known->second->pointer +
                                     "; ids are for ever, so give the newer case another one"});
        }
    }

    void check_controls() {
        const bool any =
            std::ranges::any_of(cases_, [](const Case& each) { return !each.control.empty(); });
        if (!any) return;
        const CasesById by_id(cases_);
        for (const Case& each : cases_) {
            if (each.control.empty()) continue;
            const Case* control = by_id.find(each.control);
            if (auto why = refused_control(each, control)) {
                problems_.push_back(
                    {each.file, pointer_child(each.pointer, "control"), std::move(*why)});
                if (each.from_sweep) return;  // the others of the sweep would say the same
            }
        }
    }

    /// True for the id of a case that could not be read: its own problems are enough.
    bool is_refused(const std::string& id) const {
        return std::ranges::any_of(refused_, [&](const Named& named) { return named.id == id; });
    }

    /// Gives the cases that end a sequence those before them.
    void resolve_sequences() {
        if (std::ranges::all_of(cases_, [](const Case& each) { return each.after.empty(); })) {
            return;
        }
        const CasesById by_id(cases_);
        for (Case& each : cases_) {
            for (std::size_t k = 0; k < each.after.size(); ++k) {
                const Case* earlier = by_id.find(each.after[k]);
                if (earlier == nullptr && is_refused(each.after[k])) continue;
                if (auto why = refused_earlier(each, earlier)) {
                    const std::string list = pointer_child(each.pointer, "after");
                    problems_.push_back({each.file, pointer_child(list, k),
                                         in_quotes(each.after[k]) + " " + std::move(*why)});
                } else {
                    each.earlier.push_back(std::make_shared<const Case>(*earlier));
                }
            }
        }
    }

    static std::optional<std::string> refused_earlier(const Case& last, const Case* earlier) {
        if (earlier == nullptr) {
            return "is the id of no case that was loaded; correct it, or load the file that has it "
                   "too";
        }
        if (earlier == &last) return "is the case itself; name one that comes before it";
        if (!earlier->after.empty()) {
            return "is a sequence itself; name all cases of it here, in their order";
        }
        if (earlier->from_sweep) return "comes from a sweep; name a hand-written case";
        if (earlier->is_described()) return "is described, not run; name one that has contents";
        for (const Expectation& each : last.expect) {
            for (const OperatorVersion version : each.versions) {
                const std::string version_name(name(version));
                if (earlier->expectation(version) == nullptr) {
                    return "says nothing of " + version_name +
                           "; name a case that does, or leave the version out here";
                }
                if (auto why = why_no_common_model(last, *earlier, version)) {
                    return *why + " for " + version_name +
                           ", so no model serves both; name a case that differs in contents, in "
                           "dimensions or in the value of an axis operand only";
                }
            }
        }
        return std::nullopt;
    }

    std::optional<std::string> refused_control(const Case& of, const Case* control) const {
        if (control == nullptr) {
            if (is_refused(of.control)) return std::nullopt;
            return in_quotes(of.control) +
                   " is the id of no case that was loaded; correct it, or "
                   "load the file that has it too";
        }
        if (control == &of) return "the case is its own control; name a legal one";
        if (!control->after.empty()) {
            return "the control " + in_quotes(of.control) +
                   " is a sequence; name a call that stands alone";
        }
        for (const Expectation& each : of.expect) {
            if (!each.may_be_rejected()) continue;
            for (const OperatorVersion version : each.versions) {
                const Expectation* legal = control->expectation(version);
                if (legal == nullptr || legal->is_unspecified() ||
                    !std::holds_alternative<ExpectedOutput>(legal->alternatives.front())) {
                    return "the control " + in_quotes(of.control) + " expects no output of " +
                           std::string(name(version)) + "; name a case that is legal for it";
                }
            }
        }
        return std::nullopt;
    }

    const RuleCatalogue& rules_;
    std::vector<Case> cases_;
    std::vector<Problem> problems_;
    std::vector<Named> sweeps_;
    std::vector<Named> refused_;
    std::string canonical_;
    std::size_t expanded_bytes_ = 0;
};

/// Every *.json below a folder; problems where it cannot be searched or holds none.
std::vector<fs::path> files_below(const fs::path& folder, std::vector<Problem>& problems) {
    std::vector<fs::path> files;
    const std::size_t before = problems.size();
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code ignored;
        if (entry->path().extension() != ".json" || entry->is_directory(ignored)) continue;
        const std::string special = special_file(entry->path());
        if (special.empty()) {
            files.push_back(entry->path());
        } else {
            problems.push_back(
                {entry->path().generic_string(), "",
                 "is " + special + ", and of a folder only files are read; take it out of there"});
        }
    }
    if (error) {
        problems.push_back(
            {folder.generic_string(), "",
             "the folder cannot be searched: " + error.message() + "; check its permissions"});
    } else if (files.empty() && problems.size() == before) {
        problems.push_back({folder.generic_string(), "",
                            "the folder holds no *.json file; name the folder of the cases"});
    }
    return files;
}

}  // namespace

std::string to_string(const Problem& problem) {
    std::string text = problem.file;
    if (!problem.pointer.empty()) text += ": " + problem.pointer;
    return printable(text + ": " + problem.reason);  // keys of a document may hold anything
}

LoadResult load_cases(const std::vector<fs::path>& paths, const RuleCatalogue& rules) {
    std::vector<Problem> problems;
    std::vector<fs::path> files;
    for (const fs::path& path : paths) {
        std::error_code error;
        if (fs::is_directory(path, error)) {
            std::ranges::move(files_below(path, problems), std::back_inserter(files));
        } else {
            files.push_back(path);
        }
    }
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    if (paths.empty())
        problems.push_back({"", "", "no file or folder of cases was named; name one"});

    Loader loader(rules);
    loader.add_problems(std::move(problems));
    for (const fs::path& file : files) loader.add_document(read_json(file), file.generic_string());
    return std::move(loader).finish();
}

LoadResult load_cases_text(std::string_view text, const std::string& file,
                           const RuleCatalogue& rules) {
    Loader loader(rules);
    loader.add_document(parse_json(text, file), file);
    return std::move(loader).finish();
}

}  // namespace gathercheck
