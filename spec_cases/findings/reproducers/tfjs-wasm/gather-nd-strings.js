// SPDX-License-Identifier: Apache-2.0
// Case gather-nd-type-string/indices=i32, tensorflow.GatherNd, runtime/static, on tfjs:wasm 4.22.0.
// crash: killed by SIGABRT
// Rule tf.gather-nd.output (tensorflow/GatherNd, Outputs): The output holds values of params, in the shape of the formula.
// shows: a crash or an output other than [6] ["long enough to leave the small string storage of any library","x\u0000y","","Gr\u00fc\u00dfe","a","x\u0000y"]
// node THIS_FILE, in the folder where TensorFlow.js is installed.
const path = require('node:path');
const file = (name) => require.resolve(`@tensorflow/tfjs-${name}`, {paths: [process.cwd()]});
const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex')).buffer;
const tf = require(file('core'));
const backend = require(file('backend-wasm'));
backend.setWasmPaths(path.dirname(file('backend-wasm')) + '/');
tf.setBackend('wasm').then(() => {
  const data = tf.tensor(["","x\u0000y","Grüße","a","long enough to leave the small string storage of any library"], [5], 'string');
  const indices = tf.tensor(new Int32Array(bytes('040000000100000000000000020000000300000001000000')), [6, 1], 'int32');
  const output = tf.gatherND(data, indices);
  const values = output.dataSync();
  const shown = output.dtype === 'string' ? JSON.stringify(values)
      : Buffer.from(values.buffer ?? values, values.byteOffset, values.byteLength).toString('hex');
  console.log('output', output.dtype, JSON.stringify(output.shape), shown);
  if (data.dtype !== 'string' || output.dtype !== 'string') process.exit(1);
}).catch((error) => {
  if (error instanceof WebAssembly.RuntimeError) { // the engine trapped: its module is dead, and this process with it
    console.error('trapped', error.message);
    process.abort();
  }
  console.log('rejected', error.message);
});
