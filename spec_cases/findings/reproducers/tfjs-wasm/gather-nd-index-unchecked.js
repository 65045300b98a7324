// SPDX-License-Identifier: Apache-2.0
// Case gather-nd-index-size/indices=i32, tensorflow.GatherNd, runtime/static, on tfjs:wasm 4.22.0.
// wrong value: element 1 of [2]: expected 0, got 20
// Rule tf.gather-nd.indices.range (tensorflow/GatherNd, Description): A component lies in [0, s - 1], s being the size of its dimension; a negative one is out of bounds.
// shows: an output other than [2] 0100000000000000
// node THIS_FILE, in the folder where TensorFlow.js is installed.
const path = require('node:path');
const file = (name) => require.resolve(`@tensorflow/tfjs-${name}`, {paths: [process.cwd()]});
const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex')).buffer;
const tf = require(file('core'));
const backend = require(file('backend-wasm'));
backend.setWasmPaths(path.dirname(file('backend-wasm')) + '/');
tf.setBackend('wasm').then(() => {
  const data = tf.tensor(new Int32Array(bytes('010000000200000003000000')), [3], 'int32');
  const indices = tf.tensor(new Int32Array(bytes('0000000003000000')), [2, 1], 'int32');
  const output = tf.gatherND(data, indices);
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
