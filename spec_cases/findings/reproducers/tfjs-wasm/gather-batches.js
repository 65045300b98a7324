// SPDX-License-Identifier: Apache-2.0
// Case gather-batch-dims-i64/indices=i32, tensorflow.GatherV2, runtime/static, on tfjs:wasm 4.22.0.
// wrong value: element 4 of [2, 3]: expected 6, got 10
// Rule tf.gather-v2.output (tensorflow/GatherV2, Outputs): The output holds values of params, chosen by the indices, in the shape of the formula.
// shows: an output other than [2, 3] 0100000001000000050000000a0000000600000006000000
// node THIS_FILE, in the folder where TensorFlow.js is installed.
const path = require('node:path');
const file = (name) => require.resolve(`@tensorflow/tfjs-${name}`, {paths: [process.cwd()]});
const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex')).buffer;
const tf = require(file('core'));
const backend = require(file('backend-wasm'));
backend.setWasmPaths(path.dirname(file('backend-wasm')) + '/');
tf.setBackend('wasm').then(() => {
  const data = tf.tensor(new Int32Array(bytes('0100000002000000030000000400000005000000060000000700000008000000090000000a000000')), [2, 5], 'int32');
  const indices = tf.tensor(new Int32Array(bytes('000000000000000004000000040000000000000000000000')), [2, 3], 'int32');
  const output = tf.gather(data, indices, 1, 1);
  const values = output.dataSync();
  const shown = output.dtype === 'string' ? JSON.stringify(values)
      : Buffer.from(values.buffer ?? values, values.byteOffset, values.byteLength).toString('hex');
  console.log('output', output.dtype, JSON.stringify(output.shape), shown);
  if (data.dtype !== 'int32' || output.dtype !== 'int32') process.exit(1);
}).catch((error) => {
  if (error instanceof WebAssembly.RuntimeError) { // the engine trapped: its module is dead, and this process with it
    console.error('trapped', error.message);
    process.abort();
  }
  console.log('rejected', error.message);
});
