// SPDX-License-Identifier: Apache-2.0
// gathercheck import: the tests of others as cases.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "conformance/load/load_json.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "tools/import/import_onnx.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct ImportVerb {
    std::string kind;                  ///< "onnx": ONNX node-test folders
    std::vector<std::string> folders;  ///< a node test each, or a folder of many
    std::string id_prefix;             ///< of the ids; empty: the default
    std::string output;                ///< file, or folder; empty: stdout
    bool all_versions = false;         ///< list every version for which the call is legal
};

/// Every file below the folders.
std::vector<std::string> files_in(const std::vector<std::string>& folders) {
    std::vector<std::string> files;
    for (const std::string& folder : folders) {
        std::error_code error;
        for (std::filesystem::recursive_directory_iterator entry(folder, error), end;
             !error && entry != end; entry.increment(error)) {
            files.push_back(entry->path().string());
        }
    }
    return files;
}

/// False, and a message, where the text could not be written in full.
bool write(const std::string& text, const std::string& file) {
    if (file.empty() || file == "-") {
        std::fwrite(text.data(), 1, text.size(), stdout);
        return true;  // the command looks whether standard output took everything
    }
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (out) return true;
    refuse("the cases could not be written to " + file + "; check the folder and its permissions");
    return false;
}

/// False, and a message, where they could not be written. What is written can be read again: what
/// is too much for one file goes into several.
bool write(const ImportResult& result, const std::string& output) {
    constexpr std::size_t most = JsonLimits{}.bytes;
    if (output.empty() || output == "-") return write(result.json(), output);
    const std::vector<std::string> files = result.files(most);
    std::error_code error;
    if (std::filesystem::is_directory(output, error)) {
        for (std::size_t k = 0; k < files.size(); ++k) {
            const std::string name = "imported-" + std::to_string(k + 1) + ".json";
            if (!write(files[k], (std::filesystem::path(output) / name).string())) return false;
        }
        return true;
    }
    if (files.size() == 1) return write(files.front(), output);
    refuse(
        "the cases are more than the " + std::to_string(most) +
        " bytes that a case file may have; name a folder that is there, which gets several files");
    return false;
}

int import_verb(const ImportVerb& options) {
    ImportOptions import;
    import.all_versions = options.all_versions;
    if (!options.id_prefix.empty()) import.id_prefix = options.id_prefix;
    if (!is_kebab_case(import.id_prefix + "x")) {
        return refuse("the prefix " + in_quotes(options.id_prefix) +
                      " does not fit ids; use words of lower-case letters and digits with single "
                      "points or hyphens between them");
    }
    const std::string overwrites = why_not_written(options.output, files_in(options.folders));
    if (!overwrites.empty()) return refuse(overwrites);
    const ImportResult result =
        import_onnx({options.folders.begin(), options.folders.end()}, import);

    for (const std::string& why : result.refused) refuse(why);
    std::string summary = count_of(static_cast<std::int64_t>(result.cases.size()), "case") +
                          " from " + count_of(result.tests, "node test") + "; " +
                          std::to_string(result.refused.size()) + " refused";
    if (result.skipped > 0) {
        summary += "; " + count_of(result.skipped, "other model") + " skipped";
    }
    std::fprintf(stderr, "gathercheck: %s\n", summary.c_str());
    if (!result.cases.empty() && !write(result, options.output)) return exit_bad_input;
    return result.refused.empty() && !result.cases.empty() ? 0 : exit_bad_input;
}

}  // namespace

void add_import_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<ImportVerb>();
    const Verb verb =
        command.add_verb("import", "Turn tests of others into cases, printed as JSON");
    verb.add_option("kind", options->kind, "onnx: ONNX node-test folders")
        .required()
        .one_of({"onnx"});
    verb.add_option(
            "folders", options->folders,
            "Each a node test (model.onnx, test_data_set_0, ...), a folder of many, or what "
            "`export onnx` wrote")
        .required()
        .type_name("FOLDER");
    verb.add_option("--id-prefix", options->id_prefix, "What the case ids begin with")
        .type_name("PREFIX");
    verb.add_option("--output", options->output,
                    "Write the cases here, not to stdout; a folder gets as many files as they need")
        .type_name("FILE");
    verb.add_flag("--all-versions", options->all_versions,
                  "List every operator version for which the call is legal, not only the model's");
    verb.footer(
        "Example:\n"
        "  gathercheck import onnx FOLDER/node --output imported.json\n"
        "  gathercheck run --cases imported.json");
    verb.callback([options, &exit_code] { exit_code = import_verb(*options); });
}

}  // namespace gathercheck
