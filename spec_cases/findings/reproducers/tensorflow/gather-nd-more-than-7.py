# SPDX-License-Identifier: Apache-2.0
# tensorflow: GatherNd refuses tuples of more than 7 indices: "Only indices.shape[-1] values between 1 and 7 are currently supported"; the text has no limit but the rank of params.
# Case gather-nd-eight-of-eight, tensorflow.GatherNd, runtime/static, on tensorflow 2.21.0.
# rejected what must be accepted: expected an output, got rejected at run: InvalidArgumentError: {{function_node __wrapped__GatherNd_device_/job:localhost/replica:0/task:0/device:CPU:0}} Only indices.shape[-1] values between 1 and 7 are currently supported.  Requested rank: 8 [Op:GatherNd] name:
# Rule tf.gather-nd.output (tensorflow/GatherNd, Outputs): The output holds values of params, in the shape of the formula.
# shows: refused: InvalidArgumentError: {{function_node __wrapped__GatherNd_device_/job:localhost/replica:0/task:0/device:CPU:0}} Only ind
import numpy, tensorflow as tf


def bits(raw, name, shape):
    return numpy.frombuffer(bytes.fromhex(raw), tf.as_dtype(name).as_numpy_dtype).reshape(shape)


def gather():
    return tf.raw_ops.GatherNd(params=tf.constant(params), indices=tf.constant(indices))


def show(output):
    print('output', list(output.shape), output.numpy().tobytes().hex())
    assert output.dtype.name == 'int32', output.dtype


params = bits('000000000100000002000000030000000400000005000000060000000700000008000000090000000a0000000b0000000c0000000d0000000e0000000f000000100000001100000012000000130000001400000015000000160000001700000018000000190000001a0000001b0000001c0000001d0000001e0000001f000000', 'int32', [2, 1, 2, 1, 2, 1, 2, 2])  # i32
indices = bits('010000000000000000000000000000000100000000000000000000000000000001000000000000000000000000000000010000000000000001000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000100000000000000', 'int64', [3, 8])  # i64
show(gather())
