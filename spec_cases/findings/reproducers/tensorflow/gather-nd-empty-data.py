# SPDX-License-Identifier: Apache-2.0
# tensorflow: GatherNd refuses params without elements unless indices have none either, also where every index is in range and names a slice without elements; "The output tensor has shape indices.shape[:-1] + params.shape[indices.shape[-1]:]"
# Case gather-nd-empty-trailing-dimension, tensorflow.GatherNd, runtime/static, on tensorflow 2.21.0.
# rejected what must be accepted: expected an output, got rejected at run: InvalidArgumentError: {{function_node __wrapped__GatherNd_device_/job:localhost/replica:0/task:0/device:CPU:0}} Requested more than 0 entries, but params is empty.  Params shape: [2,0] [Op:GatherNd] name:
# Rule tf.gather-nd.output (tensorflow/GatherNd, Outputs): The output holds values of params, in the shape of the formula.
# shows: refused: InvalidArgumentError: {{function_node __wrapped__GatherNd_device_/job:localhost/replica:0/task:0/device:CPU:0}} Requeste
import numpy, tensorflow as tf


def bits(raw, name, shape):
    return numpy.frombuffer(bytes.fromhex(raw), tf.as_dtype(name).as_numpy_dtype).reshape(shape)


def gather():
    return tf.raw_ops.GatherNd(params=tf.constant(params), indices=tf.constant(indices))


def show(output):
    print('output', list(output.shape), output.numpy().tobytes().hex())
    assert output.dtype.name == 'float32', output.dtype


params = bits('', 'float32', [2, 0])  # f32
indices = bits('0100000000000000', 'int64', [1, 1])  # i64
show(gather())
