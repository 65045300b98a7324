# SPDX-License-Identifier: Apache-2.0
# tensorflow:xla: GatherV2 and GatherNd, compiled by XLA for a CPU: an index out of bounds picks the nearest element; "on CPU, if an out of bound index is found, an error is returned. On GPU, if an out of bound index is found, a 0 is stored in the corresponding output value".
# Case documented-gather-8-example-7, tensorflow.GatherV2, runtime/static, on tensorflow:xla 2.21.0.
# wrong value: element 1 of [3]: expected 0, got 5
# Rule tf.gather-v2.indices.range (tensorflow/GatherV2, Inputs): An index lies in [0, s - 1]; a negative one is outside.
# shows: an output
import numpy, tensorflow as tf


def bits(raw, name, shape):
    return numpy.frombuffer(bytes.fromhex(raw), tf.as_dtype(name).as_numpy_dtype).reshape(shape)


@tf.function(input_signature=[tf.TensorSpec([5], 'int32'), tf.TensorSpec([3], 'int32')], jit_compile=True, autograph=False)
def gather(params, indices):
    return tf.raw_ops.GatherV2(params=params, indices=indices, axis=tf.constant(axis))


def show(output):
    print('output', list(output.shape), output.numpy().tobytes().hex())
    assert output.dtype.name == 'int32', output.dtype


params = bits('0100000002000000030000000400000005000000', 'int32', [5])  # i32
indices = bits('030000000a000000ecffffff', 'int32', [3])  # i32
axis = bits('0000000000000000', 'int64', [])  # i64
show(gather(tf.constant(params), tf.constant(indices)))
