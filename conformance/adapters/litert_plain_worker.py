# SPDX-License-Identifier: Apache-2.0
# Worker that runs TensorFlow's gather operators on LiteRT's builtin kernels, without its default delegates.
"""As litert_worker, with the resolver BUILTIN_WITHOUT_DEFAULT_DELEGATES: without the XNNPACK delegate."""

import gathercheck.worker as worker
import litert_worker


class Plain(litert_worker.LiteRt):
    name = "litert:plain"
    resolver = "BUILTIN_WITHOUT_DEFAULT_DELEGATES"


if __name__ == "__main__":
    worker.serve(litert_worker.channel, Plain())
