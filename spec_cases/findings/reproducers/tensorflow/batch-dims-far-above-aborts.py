# SPDX-License-Identifier: Apache-2.0
# tensorflow:xla: GatherV2 in a tf.function with a batch_dims far above the ranks of params and indices: shape inference ends the process, where it could refuse the call, as eager execution does.
# Case gather-batch-dims-far-above, tensorflow.GatherV2, runtime/static, on tensorflow:xla 2.21.0.
# crash: killed by SIGABRT
# Rule tf.gather-v2.batch_dims.range (tensorflow/GatherV2, Attributes): batch_dims is at least 0 and less than either rank.
# shows: a crash
import numpy, tensorflow as tf


def bits(raw, name, shape):
    return numpy.frombuffer(bytes.fromhex(raw), tf.as_dtype(name).as_numpy_dtype).reshape(shape)


@tf.function(input_signature=[tf.TensorSpec([2, 2], 'int32'), tf.TensorSpec([2, 2], 'int32')], jit_compile=True, autograph=False)
def gather(params, indices):
    return tf.raw_ops.GatherV2(params=params, indices=indices, axis=tf.constant(axis), batch_dims=1000)


def show(output):
    print('output', list(output.shape), output.numpy().tobytes().hex())
    assert output.dtype.name == 'int32', output.dtype


params = bits('01000000020000000300000004000000', 'int32', [2, 2])  # i32
indices = bits('00000000000000000000000000000000', 'int32', [2, 2])  # i32
axis = bits('0100000000000000', 'int64', [])  # i64
show(gather(tf.constant(params), tf.constant(indices)))
