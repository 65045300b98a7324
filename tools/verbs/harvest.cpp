// SPDX-License-Identifier: Apache-2.0
// gathercheck harvest: the gather calls of models, as cases and workloads.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tools/shared/installed.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/suite.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct HarvestVerb {
    std::vector<std::string> models;
    std::vector<std::string> dims;  ///< NAME=SIZE
    std::string output;             ///< file; empty: stdout
    std::string workloads;          ///< file; empty: none
};

/// Becomes the script, which has ONNX's own reader and shape inference.
int harvest_verb(const HarvestVerb& options) {
    for (const std::string& dim : options.dims) {
        const std::size_t sign = dim.rfind('=');
        const std::string size = sign == std::string::npos ? "" : dim.substr(sign + 1);
        const bool is_size =
            !size.empty() && size.find_first_not_of("0123456789") == std::string::npos;
        if (sign == 0 || !is_size) {
            return refuse("--dim '" + dim + "' is no NAME=SIZE; write e.g. --dim batch=4");
        }
    }
    const auto installed = find_installed();
    if (const auto* why = std::get_if<std::string>(&installed)) return refuse(*why);
    for (const std::string& file : {options.output, options.workloads}) {
        const std::string overwrites = why_not_written(file, options.models);
        if (!overwrites.empty()) return refuse(overwrites);
    }
    const auto script = std::get<Installed>(installed).adapters / "onnx_harvest.py";
    std::vector<std::string> words{adapter_python(), "-B", script.string()};
    const auto add = [&](const char* option, const std::string& value) {
        words.push_back(std::string(option) + "=" + value);
    };
    for (const std::string& dim : options.dims) add("--dim", dim);
    if (!options.output.empty()) add("--output", options.output);
    if (!options.workloads.empty()) add("--workloads", options.workloads);
    words.emplace_back("--");
    words.insert(words.end(), options.models.begin(), options.models.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
    std::fprintf(stderr,
                 "gathercheck: %s cannot be started: %s; GATHERCHECK_PYTHON names the Python\n",
                 words.front().c_str(), std::strerror(errno));
    return 3;
}

}  // namespace

void add_harvest_verb(CLI::App& app, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<HarvestVerb>();
    CLI::App& verb =
        *app.add_subcommand("harvest", "Turn the gather calls of ONNX models into cases");
    verb.add_option("models", options->models, "ONNX models")->required()->type_name("FILE");
    verb.add_option("--dim", options->dims,
                    "Size of a dimension that the model's inputs leave open; may be repeated")
        ->type_name("NAME=SIZE");
    verb.add_option("--output", options->output, "Write the cases here, not to stdout")
        ->type_name("FILE");
    verb.add_option("--workloads", options->workloads,
                    "Write them here as workloads, too, for `gathercheck bench --workloads`")
        ->type_name("FILE");
    verb.footer(
        "Data is filled so that each element tells its place; constant indices are those of the "
        "model, others\ngo through the range. Subgraphs and functions count. It needs the package "
        "onnx in the Python of the\nadapters (GATHERCHECK_PYTHON, or pip install "
        "'gathercheck[onnx]').\n\n"
        "Example:\n"
        "  gathercheck harvest model.onnx --dim batch=4 --output mine.json --workloads mine.txt\n"
        "  gathercheck run --cases mine.json --implementation onnxruntime\n"
        "  gathercheck bench --workloads mine.txt");
    verb.callback([options, &exit_code] { exit_code = harvest_verb(*options); });
}

}  // namespace gathercheck
