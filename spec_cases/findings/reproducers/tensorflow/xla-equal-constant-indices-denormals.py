# SPDX-License-Identifier: Apache-2.0
# tensorflow:xla: where all start indices are the same constant, denormals of bf16 become zeros, in results of some shapes: [3, 3], and not [2, 4]; an element of the output is the element of params, unchanged.
# Case gather-bf16-denormal-by-equal-indices, tensorflow.GatherV2, constant/static, on tensorflow:xla 2.21.0.
# wrong value: element 0 of [3, 3]: expected 9e-41, got 0
# Rule tf.gather-v2.output (tensorflow/GatherV2, Outputs): The output holds values of params, chosen by the indices, in the shape of the formula.
# shows: an output other than [3, 3] 010001000100010001000100010001000100
import numpy, tensorflow as tf


def bits(raw, name, shape):
    return numpy.frombuffer(bytes.fromhex(raw), tf.as_dtype(name).as_numpy_dtype).reshape(shape)


@tf.function(input_signature=[tf.TensorSpec([2], 'bfloat16')], jit_compile=True, autograph=False)
def gather(params):
    return tf.raw_ops.GatherV2(params=params, indices=tf.constant(indices), axis=tf.constant(axis))


def show(output):
    print('output', list(output.shape), output.numpy().tobytes().hex())
    assert output.dtype.name == 'bfloat16', output.dtype


params = bits('0100803f', 'bfloat16', [2])  # bf16
indices = bits('000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000', 'int64', [3, 3])  # i64
axis = bits('0000000000000000', 'int64', [])  # i64
show(gather(tf.constant(params)))
