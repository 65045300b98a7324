// SPDX-License-Identifier: Apache-2.0
// Case gather-nd-empty-no-tuples-of-empty-data/indices=i32, tensorflow.GatherNd, runtime/static, on tfjs 4.22.0.
// rejected what must be accepted: expected an output, got rejected at run: Requested more than 0 entries, but input is empty. Input shape: 0,3.
// Rule tf.gather-nd.output (tensorflow/GatherNd, Outputs): The output holds values of params, in the shape of the formula.
// shows: refused: Requested more than 0 entries, but input is empty. Input shape: 0,3.
// node THIS_FILE, in the folder where TensorFlow.js is installed.
const path = require('node:path');
const file = (name) => require.resolve(`@tensorflow/tfjs-${name}`, {paths: [process.cwd()]});
const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex')).buffer;
const tf = require(file('core'));
const backend = require(file('backend-cpu'));
tf.setBackend('cpu').then(() => {
  const data = tf.tensor(new Float32Array(bytes('')), [0, 3], 'float32');
  const indices = tf.tensor(new Int32Array(bytes('')), [0, 1], 'int32');
  const output = tf.gatherND(data, indices);
  const values = output.dataSync();
  const shown = output.dtype === 'string' ? JSON.stringify(values)
      : Buffer.from(values.buffer ?? values, values.byteOffset, values.byteLength).toString('hex');
  console.log('output', output.dtype, JSON.stringify(output.shape), shown);
  if (data.dtype !== 'float32' || output.dtype !== 'float32') process.exit(1);
}).catch((error) => {
  if (error instanceof WebAssembly.RuntimeError) { // the engine trapped: its module is dead, and this process with it
    console.error('trapped', error.message);
    process.abort();
  }
  console.log('rejected', error.message);
});
