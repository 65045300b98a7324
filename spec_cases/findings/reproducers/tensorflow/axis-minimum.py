# SPDX-License-Identifier: Apache-2.0
# tensorflow: GatherV2 with the smallest i64 as its axis ends the process; params "Must be at least rank `axis + 1`", so that it is none of any tensor.
# Case gather-axis-out-of-range-i64-minimum, tensorflow.GatherV2, runtime/static, on tensorflow 2.21.0.
# crash: killed by SIGABRT
# Rule tf.gather-v2.axis.range (tensorflow/GatherV2, Inputs): Params has more dimensions than the axis; a negative axis names one of them too.
# shows: a crash or an output
import numpy, tensorflow as tf


def bits(raw, name, shape):
    return numpy.frombuffer(bytes.fromhex(raw), tf.as_dtype(name).as_numpy_dtype).reshape(shape)


def gather():
    return tf.raw_ops.GatherV2(params=tf.constant(params), indices=tf.constant(indices), axis=tf.constant(axis))


def show(output):
    print('output', list(output.shape), output.numpy().tobytes().hex())
    assert output.dtype.name == 'float32', output.dtype


params = bits('0000803f0000004000004040000080400000a0400000c0400000e0400000004100001041000020410000304100004041', 'float32', [3, 2, 2])  # f32
indices = bits('0000000000000000', 'int64', [1])  # i64
axis = bits('0000000000000080', 'int64', [])  # i64
show(gather())
