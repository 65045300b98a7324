# SPDX-License-Identifier: Apache-2.0
# tensorflow:xla: GatherV2 with batch_dims, compiled by XLA: of i64 indices the low 32 bits are read, without a sign, and then clamped: -4 picks the last element, 2^33 + 2 element 2; "on CPU, if an out of bound index is found, an error is returned".
# Case gather-batch-dims-index-before-the-row, tensorflow.GatherV2, runtime/static, on tensorflow:xla 2.21.0.
# wrong value: element 2 of [2, 2]: expected 0, got 6
# Rule tf.gather-v2.indices.range (tensorflow/GatherV2, Inputs): An index lies in [0, s - 1]; a negative one is outside.
# shows: an output
import numpy, tensorflow as tf


def bits(raw, name, shape):
    return numpy.frombuffer(bytes.fromhex(raw), tf.as_dtype(name).as_numpy_dtype).reshape(shape)


@tf.function(input_signature=[tf.TensorSpec([2, 3], 'int64'), tf.TensorSpec([2, 2], 'int64')], jit_compile=True, autograph=False)
def gather(params, indices):
    return tf.raw_ops.GatherV2(params=params, indices=indices, axis=tf.constant(axis), batch_dims=1)


def show(output):
    print('output', list(output.shape), output.numpy().tobytes().hex())
    assert output.dtype.name == 'int64', output.dtype


params = bits('010000000000000002000000000000000300000000000000040000000000000005000000000000000600000000000000', 'int64', [2, 3])  # i64
indices = bits('00000000000000000100000000000000fcffffffffffffff0200000000000000', 'int64', [2, 2])  # i64
axis = bits('0100000000000000', 'int64', [])  # i64
show(gather(tf.constant(params), tf.constant(indices)))
