// SPDX-License-Identifier: Apache-2.0
// Goes through folders of ONNX node tests and numbers the cases they become.
#include "tools/import/import_onnx.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "tools/import/import_case.hpp"
#include "tools/import/import_node_test.hpp"

namespace gathercheck {
namespace {

namespace fs = std::filesystem;

/// Words of lower-case letters and digits with single points between them where the text has one,
/// and single hyphens for anything else.
std::string kebab_case(std::string_view text) {
    std::string result;
    std::string between;
    for (const char c : text) {
        const bool upper = c >= 'A' && c <= 'Z';
        if (!upper && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) {
            between += c;
            continue;
        }
        if (!between.empty() && !result.empty()) result += between == "." ? '.' : '-';
        between.clear();
        result += upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return result;
}

/// The same path without "." and "..", and without a slash at its end.
fs::path plain(const fs::path& folder) {
    std::error_code error;
    const fs::path absolute = fs::absolute(folder, error);
    const fs::path normal = (error ? folder : absolute).lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();
}

bool has_model(const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder / "model.onnx", error);
}

class Importer {
public:
    explicit Importer(const ImportOptions& options) : options_(options) {}

    /// A folder named by the caller.
    void add(const fs::path& folder) {
        if (has_model(folder)) {
            add_test(folder, true);
            return;
        }
        std::error_code error;
        if (fs::exists(folder / "MANIFEST.json", error) &&
            fs::is_directory(folder / "accepted", error)) {
            add(folder / "accepted");  // an export of ours: the rest of it is no node tests
            return;
        }
        const auto inside = entries(folder);
        if (const auto* refusal = std::get_if<Refusal>(&inside)) {
            refuse(folder, refusal->why);
            return;
        }
        bool any_model = false;
        bool any_gather = false;
        for (const fs::path& entry : std::get<std::vector<fs::path>>(inside)) {
            if (!has_model(entry)) continue;
            any_model = true;
            if (add_test(entry, false)) any_gather = true;
        }
        if (!any_model) {
            refuse(folder,
                   "neither it nor a folder in it has a model.onnx; name a node test, or a folder "
                   "of node tests");
        } else if (!any_gather) {
            refuse(folder, "none of the node tests in it is a single gather node");
        }
    }

    ImportResult take() && { return std::move(result_); }

private:
    void refuse(const fs::path& folder, const std::string& why) {
        result_.refused.push_back(folder.generic_string() + ": " + why);
    }

    /// False for a model of something else that was not named by the caller.
    bool add_test(const fs::path& folder, bool named) {
        if (seen_.contains(plain(folder))) return true;
        const auto test = read_node_test(folder);
        if (named || !std::holds_alternative<OtherModel>(test)) seen_.insert(plain(folder));
        if (const auto* refusal = std::get_if<Refusal>(&test)) {
            refuse(folder, refusal->why);
            return true;
        }
        if (const auto* other = std::get_if<OtherModel>(&test)) {
            if (named) {
                refuse(folder, other->what);
            } else {
                ++result_.skipped;
            }
            return named;
        }
        add_cases(folder, std::get<NodeTest>(test));
        return true;
    }

    void add_cases(const fs::path& folder, const NodeTest& test) {
        const std::string name = plain(folder).filename().generic_string();
        const std::string stem = kebab_case(name);
        if (stem.empty()) {
            refuse(folder, "its name has nothing that an id can have; rename it, say to test_1");
            return;
        }
        const auto id_of = [&](int number) {
            const std::string id = options_.id_prefix + stem;
            return test.sets.size() > 1 ? id + "-set-" + std::to_string(number) : id;
        };
        for (const auto& [number, call] : test.sets) {
            const auto other = ids_.find(id_of(number));
            if (other == ids_.end()) continue;
            refuse(folder, "the id " + other->first + " is taken by " + other->second +
                               "; import it by itself, with another prefix of the ids");
            return;
        }
        for (const auto& [number, call] : test.sets) {
            std::string title = "the ONNX node test " + name;
            if (test.sets.size() > 1) title += ", data set " + std::to_string(number) + ",";
            title += " gives the output stored with it";
            ids_.emplace(id_of(number), folder.generic_string());
            result_.cases.push_back(case_text(id_of(number), title, call, options_.all_versions));
        }
        ++result_.tests;
    }

    const ImportOptions& options_;
    ImportResult result_;
    std::map<std::string, std::string> ids_;  ///< to their folders
    std::set<fs::path> seen_;
};

}  // namespace

std::string ImportResult::json() const { return cases.empty() ? "" : case_file_text(cases); }

std::vector<std::string> ImportResult::files(std::size_t most) const {
    constexpr std::size_t around = 64;  // what a file has beside its cases
    constexpr std::size_t between = 2;  // a comma and the end of a line
    std::vector<std::string> files;
    std::size_t size = around;
    std::vector<std::string> part;
    for (const std::string& one : cases) {
        if (!part.empty() && size + one.size() + between > most) {
            files.push_back(case_file_text(part));
            part.clear();
            size = around;
        }
        part.push_back(one);
        size += one.size() + between;
    }
    if (!part.empty()) files.push_back(case_file_text(part));
    return files;
}

ImportResult import_onnx(const std::vector<fs::path>& folders, const ImportOptions& options) {
    Importer importer(options);
    for (const fs::path& folder : folders) importer.add(folder);
    return std::move(importer).take();
}

}  // namespace gathercheck
