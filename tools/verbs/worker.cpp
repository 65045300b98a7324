// SPDX-License-Identifier: Apache-2.0
// gathercheck worker: be a worker for something that speaks no protocol itself.
#include <memory>

#include "conformance/implementations/plugin/plugin_worker.hpp"
#include "conformance/util/freed_memory.hpp"
#include "tools/shared/null_worker.hpp"
#include "tools/shared/reference_worker.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct WorkerVerb {
    std::string plugin;      ///< a shared library
    bool reference = false;  ///< the reference, in its place
    bool null = false;       ///< the worker that computes nothing, in its place
};

/// Serves until its standard input ends.
int worker_verb(const WorkerVerb& options) {
    keep_freed_memory();
    if (options.reference) return serve_reference();
    return options.null ? serve_null() : serve_plugin(options.plugin);
}

}  // namespace

void add_worker_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<WorkerVerb>();
    const Verb verb = command.add_verb("worker",
                                       "Be a worker: speak the protocol for a plug-in or the "
                                       "reference, on standard input and output");
    const Verb of_worker = verb.add_group_of_one("what it is");
    of_worker
        .add_option("--plugin", options->plugin, "A shared library with the interface of plugin.h")
        .type_name("FILE");
    of_worker.add_flag("--reference", options->reference,
                       "The reference: it answers any call as the specification says");
    of_worker.add_flag("--null", options->null,
                       "Compute nothing: answer with the data, as `gathercheck overhead` needs it");
    verb.footer(
        "`gathercheck run --implementation plugin:FILE` starts this by itself.\n\n"
        "Example:\n"
        "  echo '{\"message\":\"hello\",\"protocol\":{\"min\":1,\"max\":1}}' | gathercheck worker "
        "--plugin ./my_plugin.so\n\n"
        "Exit code: 0 served until the end; 4 no plug-in, or no protocol.");
    verb.callback([options, &exit_code] { exit_code = worker_verb(*options); });
}

}  // namespace gathercheck
