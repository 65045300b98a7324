// SPDX-License-Identifier: Apache-2.0
// Goes through the suite, writes a folder for each call, and lists them.
#include "tools/export/export_onnx.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "conformance/judge/prepared_case.hpp"
#include "conformance/oracle/memory_need.hpp"
#include "conformance/run/prepared_cases.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/sha256.hpp"
#include "tools/export/node_test.hpp"
#include "tools/export/write_messages.hpp"

namespace gathercheck {
namespace {

namespace fs = std::filesystem;

/// What the import reads of a file.
constexpr std::int64_t most_bytes = std::int64_t{64} << 20;

/// Read by ONNX's runner, which else passes what is nearly right.
constexpr std::string_view exactly = "{\"rtol\": 0, \"atol\": 0}\n";

constexpr std::string_view readme = R"(# Calls of ONNX's gather operators

Each folder is one call of one operator version, in the form of ONNX's node tests: `model.onnx` of one node, and
`test_data_set_0/input_0.pb`, ... with the operands. A sequence of calls of one model has several data sets.

| folder | what an implementation must do |
|---|---|
| `accepted/` | give `output_0.pb`, bit by bit: gather only moves elements |
| `rejected/` | refuse the call, when the model is loaded or when it is run |
| `either/` | one of what `expectation.json` lists: two readings of the text are fair |
| `unspecified/` | anything that touches no memory but its own: no sentence decides, `expectation.json` says why |
| `controls/` | as in `accepted/`; these calls are here for the sake of others |

`accepted/` is for any runner of node tests; ONNX's own reads `data.json`, which says that nothing may be off. In the other folders
`expectation.json` says what is expected, by which rules; its files are named from the folder of the call. Of a call that may be refused
`control` is the folder, here, of the nearest legal call: a refusal shows something only where an implementation passes that.

`MANIFEST.json` lists every call with its case, its operator version, what is expected, its control, and the SHA-256 of each file, and apart
from them what is in `controls/`; it names the suite by version and hash, and what is left out (`left_out`) with the reason. The licence is
Apache-2.0.
)";

Json expectation_of(const ResolvedAlternative& alternative, const std::string& output_file) {
    if (const auto* error = std::get_if<ExpectedError>(&alternative)) {
        return {{"error", name(error->category)}};
    }
    return {{"output", output_file}};
}

bool is_output(const ResolvedAlternative& alternative) {
    return std::holds_alternative<ResolvedOutput>(alternative);
}

/// The folder of calls of which the same is expected.
std::string_view kind_of(const PreparedCase& prepared) {
    const auto& alternatives = prepared.alternatives;
    if (alternatives.empty()) return "unspecified";
    if (std::ranges::none_of(alternatives, is_output)) return "rejected";
    return alternatives.size() == 1 ? "accepted" : "either";
}

/// The name that ONNX's runners want: words of lower-case letters and digits behind "test". A minus
/// that is no hyphen stays one ("axis=-1").
std::string test_name(std::string_view id, OperatorVersion version) {
    std::string words = "test_";
    const auto add = [&](std::string_view text) {
        for (std::size_t k = 0; k < text.size(); ++k) {
            const char c = text[k];
            const bool is_upper = c >= 'A' && c <= 'Z';
            if (c == '-' && k > 0 && text[k - 1] == '=') {
                words += "minus_";
            } else if (is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
                words += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
            } else if (words.back() != '_') {
                words += '_';
            }
        }
    };
    add(id);
    const std::string_view of = name(version);
    add("-");
    add(of.substr(of.find('.') + 1));
    return words;
}

class Exporter {
public:
    Exporter(const Suite& suite, const RuleCatalogue& rules, const Equations& equations,
             const ExportOptions& options)
        : suite_(suite),
          rules_(rules),
          equations_(equations),
          options_(options),
          cases_(suite, rules, equations) {}

    ExportResult go() && {
        const std::vector<const Case*> selected =
            select_cases(suite_.cases, options_.filter, options_.sweeps, {.index = 1, .count = 1});
        selected_.insert(selected.begin(), selected.end());
        for (const Case* tested : selected) add(*tested);
        if (result_.failed.empty() && result_.calls() > 0) {
            Json files = Json::object();
            write("README.md", std::string(readme), files);
            write_manifest(files);
        }
        return std::move(result_);
    }

private:
    bool is_selected(const Case& tested, OperatorVersion version) const {
        return selected_.contains(&tested) && options_.filter.matches(tested, version);
    }

    void add(const Case& tested) {
        bool any_onnx = false;
        bool any = false;
        for (const OperatorInfo& row : operator_versions()) {
            if (tested.expectation(row.version) == nullptr ||
                !options_.filter.matches(tested, row.version)) {
                continue;
            }
            any = true;
            if (row.specification != "onnx") continue;
            any_onnx = true;
            add(tested, row.version);
        }
        if (any && !any_onnx) {
            leave_out(tested, std::nullopt, "it speaks of no operator version of ONNX");
        }
    }

    void add(const Case& tested, OperatorVersion version) {
        if (!result_.failed.empty()) return;
        if (!folders_.try_emplace({&tested, version}).second) return;
        if (tested.is_described()) {
            leave_out(tested, version,
                      "its operands have types and shapes alone, a node test has contents");
            return;
        }
        if (const auto why = lacks_memory(tested, version, equations_)) {
            result_.failed = tested.id + ": " + *why;
            return;
        }
        const auto prepared = prepare(tested, version, equations_, rules_);
        if (!prepared->fault.empty()) {
            result_.failed = tested.id + ": " + prepared->fault;
            return;
        }
        if (prepared->bytes > most_bytes) {
            leave_out(tested, version,
                      "its tensors have " + std::to_string(prepared->bytes) +
                          " bytes; files of more than " + std::to_string(most_bytes) +
                          " are not imported again");
            return;
        }
        const std::string name = free_name(tested.id, version);
        auto messages = node_test_of(name, tested, version, *prepared);
        if (const auto* why = std::get_if<NotExpressible>(&messages)) {
            leave_out(tested, version, why->why);
            return;
        }
        add_call(name, tested, version, *prepared, std::get<NodeTestMessages>(messages));
    }

    /// The outputs of the earlier calls of a sequence, or why they cannot stand in data sets.
    std::variant<std::vector<onnx_messages::Tensor>, NotExpressible> earlier_outputs(
        const Case& tested, OperatorVersion version) const {
        std::vector<onnx_messages::Tensor> outputs;
        for (const auto& each : tested.earlier) {
            const auto prepared = prepare(*each, version, equations_, rules_);
            if (kind_of(*prepared) != "accepted") {
                return NotExpressible{
                    "of an earlier call of its sequence no output is expected, a data set needs "
                    "one"};
            }
            auto output = tensor_of(std::get<ResolvedOutput>(prepared->alternatives.front()));
            if (auto* why = std::get_if<NotExpressible>(&output)) return std::move(*why);
            outputs.push_back(std::get<onnx_messages::Tensor>(std::move(output)));
        }
        return outputs;
    }

    void add_call(const std::string& name, const Case& tested, OperatorVersion version,
                  const PreparedCase& prepared, const NodeTestMessages& messages) {
        std::string kind(kind_of(prepared));
        const bool is_accepted = kind == "accepted";
        if (!is_selected(tested, version)) kind = "controls";
        const auto earlier = earlier_outputs(tested, version);
        if (const auto* why = std::get_if<NotExpressible>(&earlier)) {
            leave_out(tested, version, why->why);
            return;
        }
        std::vector<std::pair<std::string, std::string>> contents{
            {"model.onnx", onnx_messages::write(messages.model)}};
        std::string set;
        for (std::size_t k = 0; k < messages.inputs.size(); ++k) {
            set = "test_data_set_" + std::to_string(k) + "/";
            for (std::size_t i = 0; i < messages.inputs[k].size(); ++i) {
                contents.emplace_back(set + "input_" + std::to_string(i) + ".pb",
                                      onnx_messages::write(messages.inputs[k][i]));
            }
            const auto& outputs = std::get<std::vector<onnx_messages::Tensor>>(earlier);
            if (k < outputs.size()) {
                contents.emplace_back(set + "output_0.pb", onnx_messages::write(outputs[k]));
            }
        }

        // A file that runners take for the output is one only where it is the only answer.
        const std::string stem = set + (is_accepted ? "output_" : "allowed_output_");
        std::size_t outputs = 0;
        Json allowed = Json::array();
        for (const ResolvedAlternative& alternative : prepared.alternatives) {
            const std::string file = stem + std::to_string(outputs) + ".pb";
            allowed.push_back(expectation_of(alternative, file));
            if (!is_output(alternative)) continue;
            const auto output = tensor_of(std::get<ResolvedOutput>(alternative));
            if (const auto* why = std::get_if<NotExpressible>(&output)) {
                leave_out(tested, version, why->why);
                return;
            }
            contents.emplace_back(file,
                                  onnx_messages::write(std::get<onnx_messages::Tensor>(output)));
            ++outputs;
        }
        Json expect{{"unspecified", tested.expectation(version)->unspecified}};
        if (allowed.size() == 1) expect = allowed.front();
        if (allowed.size() > 1) expect = {{"either", allowed}};

        const std::string folder = kind + "/" + name;
        folders_[{&tested, version}] = folder;
        names_.insert(name);
        Json entry{{"folder", folder},
                   {"case", tested.id},
                   {"operator", gathercheck::name(version)},
                   {"expect", expect}};
        const std::string control = control_of(tested, version);
        if (!control.empty()) entry["control"] = control;
        if (is_accepted) {
            contents.emplace_back("data.json", exactly);
        } else {
            contents.emplace_back("expectation.json", expectation_text(tested, version, expect,
                                                                       control, prepared.rules));
        }
        Json files = Json::object();
        for (const auto& [file, text] : contents) {
            write(folder + "/" + file, text, files, file);
        }
        entry["files"] = std::move(files);
        (kind == "controls" ? controls_ : calls_).push_back(entry.dump());
        count_of(kind) += 1;
    }

    /// The folder of the control of a call that may be rejected, which is exported with it; empty
    /// where no node test can say the control.
    std::string control_of(const Case& tested, OperatorVersion version) {
        if (!tested.expectation(version)->may_be_rejected()) return {};
        const Case& control = cases_.control_of({&tested, version, {}}, nullptr);
        add(control, version);
        return folders_[{&control, version}];
    }

    std::string expectation_text(const Case& tested, OperatorVersion version, const Json& expect,
                                 const std::string& control,
                                 const std::vector<std::string>& rules) const {
        Json said{{"case", tested.id},
                  {"operator", name(version)},
                  {"title", tested.title},
                  {"expect", expect},
                  {"rules", Json::array()}};
        if (!control.empty()) said["control"] = control;
        for (const std::string& id : rules) {
            const Rule* rule = rules_.find(id);
            said["rules"].push_back({{"id", id}, {"statement", rule->statement}});
        }
        return said.dump(2) + "\n";
    }

    std::size_t& count_of(std::string_view kind) {
        if (kind == "accepted") return result_.accepted;
        if (kind == "rejected") return result_.rejected;
        if (kind == "controls") return result_.controls;
        return kind == "either" ? result_.either : result_.unspecified;
    }

    /// The name of a call; of ids that differ in signs alone the later ones get a number.
    std::string free_name(std::string_view id, OperatorVersion version) const {
        const std::string plain = test_name(id, version);
        std::string name = plain;
        for (int k = 2; names_.contains(name); ++k) name = plain + "_" + std::to_string(k);
        return name;
    }

    void leave_out(const Case& tested, std::optional<OperatorVersion> version,
                   const std::string& why) {
        if (version && !is_selected(tested, *version)) return;
        Json entry{{"case", tested.id}};
        if (version) entry["operator"] = name(*version);
        entry["reason"] = why;
        left_out_.push_back(entry.dump());
        ++result_.left_out;
    }

    /// Writes a file of the export, and its digest into `files` under the name that it has there.
    void write(const std::string& path, const std::string& text, Json& files,
               std::string name = {}) {
        if (!result_.failed.empty()) return;
        const fs::path file = options_.folder / path;
        std::error_code error;
        if (file.parent_path() != last_folder_) fs::create_directories(file.parent_path(), error);
        last_folder_ = file.parent_path();
        std::ofstream out(file, std::ios::binary | std::ios::trunc);
        out << text;
        out.close();
        if (!out) {
            result_.failed = file.generic_string() +
                             " cannot be written; check the folder, its permissions and its disk";
        }
        files[name.empty() ? path : std::move(name)] = sha256_hex(text);
    }

    void write_manifest(const Json& files) {
        const Json head{
            {"schema", 1},
            {"suite", {{"version", options_.suite_version}, {"hash", suite_.hash}}},
            {"selection", {{"filter", options_.filters}, {"sweeps", options_.sweeps_name}}},
            {"license", "Apache-2.0"},
            {"files", files}};
        std::string text = "{\n";
        for (const auto& [key, value] : head.items()) {
            text += Json(key).dump() + ": " + value.dump() + ",\n";
        }
        text += list_text("calls", calls_) + ",\n" + list_text("controls", controls_) + ",\n" +
                list_text("left_out", left_out_) + "\n}\n";
        Json ignored;
        write("MANIFEST.json", text, ignored);
    }

    /// A line for each entry, so that two manifests can be compared.
    static std::string list_text(std::string_view key, const std::vector<std::string>& entries) {
        std::string text = Json(key).dump() + ": [";
        for (std::size_t k = 0; k < entries.size(); ++k) {
            text += (k == 0 ? "\n" : ",\n") + entries[k];
        }
        return text + "]";
    }

    const Suite& suite_;
    const RuleCatalogue& rules_;
    const Equations& equations_;
    const ExportOptions& options_;
    std::set<const Case*> selected_;
    PreparedCases cases_;  ///< knows the controls
    ExportResult result_;
    /// Of each call that was come to; empty where it is left out.
    std::map<std::pair<const Case*, OperatorVersion>, std::string> folders_;
    std::set<std::string> names_;
    std::vector<std::string> calls_;     ///< entries of the manifest, each a line
    std::vector<std::string> controls_;  ///< the same
    std::vector<std::string> left_out_;  ///< the same
    fs::path last_folder_;
};

}  // namespace

ExportResult export_onnx(const Suite& suite, const RuleCatalogue& rules, const Equations& equations,
                         const ExportOptions& options) {
    return Exporter(suite, rules, equations, options).go();
}

}  // namespace gathercheck
