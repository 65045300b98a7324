# SPDX-License-Identifier: Apache-2.0
# jax: of numpy's array of the shape [2^30, 0, 2^30], which has no elements, jax.numpy.asarray() makes none: its compilation goes on without end, where take() could refuse the call.
# Case gather-axis-leaves-more-zeros-than-can-be-counted, array_api.take, runtime/static, on jax:array-api 0.10.2.
# timeout: timeout: no answer in 5 s
# Rule array_api.take.output.too-large (array_api/take, Parameters): Every size that the call implies fits 64 bits.
# shows: no end in 10 seconds
import os

os.environ.update({'JAX_ENABLE_X64': '1', 'JAX_PLATFORMS': 'cpu', 'DASK_SCHEDULER': 'synchronous'})
import numpy, jax.numpy as xp

data = xp.asarray(numpy.frombuffer(bytes.fromhex(''), 'int32').reshape([1073741824, 0, 1073741824]))
assert str(data.dtype).endswith('int32'), data.dtype
indices = xp.asarray(numpy.frombuffer(bytes.fromhex('000000000100000002000000030000000400000005000000060000000700000008000000090000000a0000000b0000000c0000000d0000000e0000000f000000'), 'int32').reshape([16]))
assert str(indices.dtype).endswith('int32'), indices.dtype
output = numpy.asarray(xp.take(data, indices, axis=1))
print('declared', output.dtype, list(output.shape))
print('output', list(output.shape), output.tobytes().hex())
