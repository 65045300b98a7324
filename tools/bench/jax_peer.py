# SPDX-License-Identifier: Apache-2.0
"""Runs and times gathers with JAX for gathercheck bench: a JSON line in, a JSON line out."""

import json
import os
import resource
import sys
import time

# Whatever else prints must not mix with the answers.
answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["JAX_ENABLE_X64"] = "1"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

TYPES = {
    "boolean": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128,
    "bf16": ml_dtypes.bfloat16, "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz, "f8e8m0": ml_dtypes.float8_e8m0fnu,
}  # fmt: skip
TYPES.update({f"{kind}{bits}": np.dtype(f"{kind}{bits // 8}") for kind in "iu" for bits in (8, 16, 32, 64)})


def tensor(description):
    contents = np.fromfile(description["path"], dtype=TYPES[description["type"]])
    return jax.block_until_ready(jnp.asarray(contents.reshape(description["shape"])))


def gather(axis, batch_dims, mode):
    def call(data, indices):
        return jnp.take(data, indices, axis=axis - batch_dims, mode=mode)

    for _ in range(batch_dims):
        call = jax.vmap(call)
    return call


def gather_elements(axis, mode):
    return lambda data, indices: jnp.take_along_axis(data, indices, axis=axis, mode=mode)


def gather_nd(batch_dims, mode):
    def call(data, indices):
        columns = tuple(indices[..., k] for k in range(indices.shape[-1]))
        return data.at[columns].get(mode=mode)

    for _ in range(batch_dims):
        call = jax.vmap(call)
    return call


def prepare(question):
    """One compiled function: out of bounds is clipped; where indices count from the end, filled."""
    mode = "fill" if question["negative"] else "clip"
    axis, batch_dims = question["axis"], question["batch_dims"]
    function, label = {
        "Gather": lambda: (gather(axis, batch_dims, mode), "take"),
        "GatherElements": lambda: (gather_elements(axis, mode), "take_along_axis"),
        "GatherND": lambda: (gather_nd(batch_dims, mode), "at-get"),
    }[question["family"]]()
    operands = (tensor(question["data"]), tensor(question["indices"]))
    compiled = jax.jit(function).lower(*operands).compile()
    return [(f"jax:{label}-{mode}", compiled, operands)]


def flush(other=[]):  # noqa: B006 - the list keeps the array from call to call
    if not other:
        other.append(np.ones(max(3 * cache_bytes(), 96 << 20) // 8))
    return float(other[0].sum())


def cache_bytes():
    try:
        with open("/sys/devices/system/cpu/cpu0/cache/index3/size") as file:
            return int(file.read().strip().rstrip("K")) << 10
    except (OSError, ValueError):
        return 32 << 20


def interruptions():
    """How often the system has taken the CPU away from this thread."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw


def answer(question, ways):
    task = question["do"]
    if task == "hello":
        return {"version": jax.__version__}
    if task == "prepare":
        ways.clear()  # frees the memory of the workload before
        ways.extend(prepare(question))
        return {"ways": [label for label, _, _ in ways]}
    if task == "flush":
        flush()
        return {}
    _, compiled, operands = ways[question["way"]]
    if task == "run":
        np.asarray(jax.block_until_ready(compiled(*operands))).tofile(question["output"])
        return {}
    before = interruptions()
    start = time.perf_counter()
    for _ in range(question["calls"]):
        jax.block_until_ready(compiled(*operands))
    return {"seconds": time.perf_counter() - start, "interrupted": interruptions() != before}


def main():
    ways = []
    for line in sys.stdin:
        try:
            result = answer(json.loads(line), ways)
        except Exception as error:
            result = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
        answers.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
