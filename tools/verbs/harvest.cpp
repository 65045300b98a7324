// SPDX-License-Identifier: Apache-2.0
// gathercheck harvest: the gather calls of models, as cases and workloads.
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tools/shared/installed.hpp"
#include "tools/shared/output_file.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct HarvestVerb {
    std::vector<std::string> models;
    std::vector<std::string> dims;    ///< NAME=SIZE
    std::vector<std::string> input;   ///< NAME=FILE, contents of an input
    std::vector<std::string> inputs;  ///< files, each with contents of inputs by their names
    std::string output;               ///< file; empty: stdout
    std::string workloads;            ///< file; empty: none
};

/// All files that are read.
std::vector<std::string> files_read(const HarvestVerb& options) {
    std::vector<std::string> files = options.models;
    for (const std::string& model : options.models) {
        const std::filesystem::path path = model;
        if (path.extension() == ".xml") {
            files.push_back(std::filesystem::path(path).replace_extension(".bin").string());
        }
    }
    files.insert(files.end(), options.inputs.begin(), options.inputs.end());
    for (const std::string& input : options.input)
        files.push_back(input.substr(input.find('=') + 1));
    return files;
}

/// Becomes the script, which has the readers of models.
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
    for (const std::string& input : options.input) {
        const std::size_t sign = input.find('=');
        if (sign == 0 || sign == std::string::npos || sign + 1 == input.size()) {
            return refuse("--input '" + input + "' is no NAME=FILE; write e.g. --input ids=ids.pb");
        }
    }
    const auto installed = find_installed();
    if (const auto* why = std::get_if<std::string>(&installed)) return refuse(*why);
    for (const std::string& file : {options.output, options.workloads}) {
        const std::string overwrites = why_not_written(file, files_read(options));
        if (!overwrites.empty()) return refuse(overwrites);
    }
    const auto script = std::get<Installed>(installed).adapters / "harvest.py";
    std::vector<std::string> words{adapter_python(), "-B", script.string()};
    const auto add = [&](const char* option, const std::string& value) {
        words.push_back(std::string(option) + "=" + value);
    };
    for (const std::string& dim : options.dims) add("--dim", dim);
    for (const std::string& input : options.input) add("--input", input);
    for (const std::string& file : options.inputs) add("--inputs", file);
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

void add_harvest_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<HarvestVerb>();
    const Verb verb = command.add_verb("harvest", "Turn the gather calls of models into cases");
    verb.add_option("models", options->models, "ONNX models, and OpenVINO models: model.xml")
        .required()
        .type_name("FILE");
    verb.add_option(
            "--dim", options->dims,
            "Size of a dimension that the model's inputs leave open, INPUT.AXIS where it has no "
            "name; may be repeated")
        .one_value_each()
        .type_name("NAME=SIZE");
    verb.add_option("--input", options->input,
                    "Contents of a model's input: a .pb (TensorProto of ONNX) or .npy file; may be "
                    "repeated")
        .one_value_each()
        .type_name("NAME=FILE");
    verb.add_option(
            "--inputs", options->inputs,
            "Contents of inputs: a .npz file, whose arrays have their names; may be repeated")
        .one_value_each()
        .type_name("FILE");
    verb.add_option("--output", options->output, "Write the cases here, not to stdout")
        .type_name("FILE");
    verb.add_option("--workloads", options->workloads,
                    "Write them here as workloads, too, for `gathercheck bench --workloads`")
        .type_name("FILE");
    verb.footer(
        "Data is filled so that each element tells its place. Indices are those of the model "
        "where they are constant,\nand those of --input and --inputs where these or integer "
        "operations on them give them; others go through the\nrange, and a line names the call. "
        "Shapes of given inputs need no --dim. Subgraphs and functions count.\n\n"
        "It runs in the Python of the adapters (GATHERCHECK_PYTHON). ONNX models and .pb files "
        "need "
        "the package onnx\n(pip install 'gathercheck[onnx]'). An OpenVINO model, model.xml with "
        "model.bin beside it, needs numpy alone;\nopenvino too where its inputs have open "
        "dimensions (pip install 'gathercheck[openvino]').\n\n"
        "Example:\n"
        "  gathercheck harvest model.onnx --dim batch=4 --output mine.json --workloads mine.txt\n"
        "  gathercheck run --cases mine.json --implementation onnxruntime\n"
        "  gathercheck bench --workloads mine.txt\n"
        "  gathercheck harvest model.xml --dim input_ids.0=4 --inputs inputs.npz --output "
        "mine.json");
    verb.callback([options, &exit_code] { exit_code = harvest_verb(*options); });
}

}  // namespace gathercheck
