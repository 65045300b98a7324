# SPDX-License-Identifier: Apache-2.0
# tensorflow:xla: GatherV2 with batch_dims, compiled by XLA: batch dimensions of params and indices that differ are not refused; params.shape[:batch_dims] and indices.shape[:batch_dims] are the same in every formula of the output.
# Case gather-batch-dims-shapes-differ-smaller, tensorflow.GatherV2, runtime/static, on tensorflow:xla 2.21.0.
# accepted what must be rejected: expected the error batch_shape_mismatch, got i32 [2, 1] = [1, 5]
# Rule tf.gather-v2.batch_dims.equal-shape (tensorflow/GatherV2, Attributes): The first batch_dims dimensions of params and of indices are the same.
# shows: an output
import numpy, tensorflow as tf


def bits(raw, name, shape):
    return numpy.frombuffer(bytes.fromhex(raw), tf.as_dtype(name).as_numpy_dtype).reshape(shape)


@tf.function(input_signature=[tf.TensorSpec([3, 4], 'int32'), tf.TensorSpec([2, 1], 'int32')], jit_compile=True, autograph=False)
def gather(params, indices):
    return tf.raw_ops.GatherV2(params=params, indices=indices, axis=tf.constant(axis), batch_dims=1)


def show(output):
    print('output', list(output.shape), output.numpy().tobytes().hex())
    assert output.dtype.name == 'int32', output.dtype


params = bits('0100000002000000030000000400000005000000060000000700000008000000090000000a0000000b0000000c000000', 'int32', [3, 4])  # i32
indices = bits('0000000000000000', 'int32', [2, 1])  # i32
axis = bits('0100000000000000', 'int64', [])  # i64
show(gather(tf.constant(params), tf.constant(indices)))
