# SPDX-License-Identifier: Apache-2.0
# tensorflow:xla: GatherV2 and GatherNd, compiled by XLA: where params has no element along the dimension that is picked from, and indices has some, zeros come without the dimensions of indices; "A Tensor with shape params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]", if it is no error.
# Case gather-empty-axis-with-index, tensorflow.GatherV2, runtime/static, on tensorflow:xla 2.21.0.
# wrong shape: expected shape [1, 3], got [3]
# Rule tf.gather-v2.indices.range (tensorflow/GatherV2, Inputs): An index lies in [0, s - 1]; a negative one is outside.
# shows: an output
import numpy, tensorflow as tf


def bits(raw, name, shape):
    return numpy.frombuffer(bytes.fromhex(raw), tf.as_dtype(name).as_numpy_dtype).reshape(shape)


@tf.function(input_signature=[tf.TensorSpec([0, 3], 'int32'), tf.TensorSpec([1], 'int64')], jit_compile=True, autograph=False)
def gather(params, indices):
    return tf.raw_ops.GatherV2(params=params, indices=indices, axis=tf.constant(axis))


def show(output):
    print('output', list(output.shape), output.numpy().tobytes().hex())
    assert output.dtype.name == 'int32', output.dtype


params = bits('', 'int32', [0, 3])  # i32
indices = bits('0000000000000000', 'int64', [1])  # i64
axis = bits('0000000000000000', 'int64', [])  # i64
show(gather(tf.constant(params), tf.constant(indices)))
