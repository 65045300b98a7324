# SPDX-License-Identifier: Apache-2.0
# Worker that runs the ONNX gather operators on ONNX Runtime's CPU kernels, with all graph optimizations off.
"""As onnxruntime_worker.py, but that nothing is folded: constant and folded operands reach the kernel too."""

import gathercheck.worker as worker
import onnxruntime_worker


class Unoptimized(onnxruntime_worker.OnnxRuntime):
    name = "onnxruntime:unoptimized"
    graph_optimizations = "ORT_DISABLE_ALL"


worker.serve(onnxruntime_worker.channel, Unoptimized())
