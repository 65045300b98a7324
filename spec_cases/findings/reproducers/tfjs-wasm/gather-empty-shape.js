// SPDX-License-Identifier: Apache-2.0
// Case gather-empty-behind-axis/indices=i32, tensorflow.GatherV2, runtime/static, on tfjs:wasm 4.22.0.
// wrong shape: expected shape [2, 0], got [1, 1, 2, 0]
// Rule tf.gather-v2.output (tensorflow/GatherV2, Outputs): The output holds values of params, chosen by the indices, in the shape of the formula.
// Rule tf.gather-v2.empty.data (tensorflow/GatherV2, Description): Where params has a dimension of size 0, a TPU gives zeros in the expected shape; a CPU and a GPU give an error.
// shows: an output like int32 \[1,1,2,0\]
// node THIS_FILE, in the folder where TensorFlow.js is installed.
const path = require('node:path');
const file = (name) => require.resolve(`@tensorflow/tfjs-${name}`, {paths: [process.cwd()]});
const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex')).buffer;
const tf = require(file('core'));
const backend = require(file('backend-wasm'));
backend.setWasmPaths(path.dirname(file('backend-wasm')) + '/');
tf.setBackend('wasm').then(() => {
  const data = tf.tensor(new Int32Array(bytes('')), [3, 0], 'int32');
  const indices = tf.tensor(new Int32Array(bytes('0200000000000000')), [2], 'int32');
  const output = tf.gather(data, indices, 0, 0);
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
