// SPDX-License-Identifier: Apache-2.0
// gathercheck export: the cases in the form of others.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "conformance/select/filter_check.hpp"
#include "tools/export/export_onnx.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct ExportVerb {
    std::string kind;  ///< "onnx": ONNX node-test folders
    std::vector<std::string> cases;
    std::vector<std::string> filters;
    std::string sweeps = "sample";
    std::string output;  ///< folder
};

int export_verb(const ExportVerb& options) {
    auto filter = parse_filter(options.filters);
    if (const auto* why = std::get_if<std::string>(&filter)) return refuse(*why);
    if (!std::get<Filter>(filter).routes.empty()) {
        return refuse("an export has no routes: every operand is an input; leave route= out");
    }
    std::error_code error;
    const std::filesystem::path folder(options.output);
    if (std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error)) {
        return refuse(options.output +
                      " is there already; name a new folder, so that nothing old is among the new");
    }
    const auto loaded = load_suite(options.cases);
    if (!loaded) return exit_bad_input;
    const std::string unmatched =
        unmatched_term(options.filters, loaded->suite.cases, loaded->rules);
    if (!unmatched.empty()) return refuse(unmatched);

    ExportOptions to;
    to.folder = folder;
    to.suite_version = GATHERCHECK_VERSION;
    to.filters = options.filters;
    to.filter = std::get<Filter>(filter);
    to.sweeps = *sweeps(options.sweeps);
    to.sweeps_name = options.sweeps;
    const ExportResult result = export_onnx(loaded->suite, loaded->rules, loaded->equations, to);
    if (!result.failed.empty()) {
        std::fprintf(stderr, "gathercheck: %s; the export is not complete\n",
                     result.failed.c_str());
        return 3;
    }
    if (result.calls() == 0) {
        return refuse("no call of ONNX's operators is among these cases; nothing was written");
    }
    std::fprintf(stderr,
                 "gathercheck: %zu calls: %zu accepted, %zu rejected, %zu either, %zu unspecified; "
                 "%zu controls; %zu left out, with the reason in %s\n",
                 result.calls(), result.accepted, result.rejected, result.either,
                 result.unspecified, result.controls, result.left_out,
                 (folder / "MANIFEST.json").c_str());
    return 0;
}

}  // namespace

void add_export_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<ExportVerb>();
    const Verb verb = command.add_verb("export", "Write the cases as tests in the form of others");
    verb.add_option("kind", options->kind, "onnx: ONNX node-test folders")
        .required()
        .one_of({"onnx"});
    verb.add_option("--output", options->output, "Folder to write to, a new one")
        .required()
        .type_name("FOLDER");
    add_cases(verb, options->cases);
    add_filter(verb, options->filters);
    add_sweeps(verb, options->sweeps).show_default();
    verb.footer(
        "A folder for each case and operator version of ONNX: accepted/ has node tests with their\n"
        "outputs; rejected/, either/ and unspecified/ have model, inputs and expectation.json;\n"
        "controls/ has the legal calls nearest to those that may be rejected.\n"
        "MANIFEST.json lists them with the SHA-256 of each file, and what no node test can say.\n"
        "The same cases give the same bytes. All of them are some 400 MB of small files:\n"
        "--filter and --sweeps none choose fewer.\n\n"
        "Examples:\n"
        "  gathercheck export onnx --output node_tests\n"
        "  gathercheck export onnx --output node_tests --filter operator=onnx.GatherND-* --sweeps "
        "none\n"
        "  gathercheck import onnx node_tests --output again.json");
    verb.callback([options, &exit_code] { exit_code = export_verb(*options); });
}

}  // namespace gathercheck
