// SPDX-License-Identifier: Apache-2.0
// gathercheck worker: be a worker for something that speaks no protocol itself.
#include "conformance/freed_memory.hpp"
#include "conformance/plugin_worker.hpp"
#include "tools/null_worker.hpp"
#include "tools/verbs.hpp"

namespace gathercheck {

int worker_verb(const WorkerVerb& options) {
    keep_freed_memory();
    return options.null ? serve_null() : serve_plugin(options.plugin);
}

}  // namespace gathercheck
