// SPDX-License-Identifier: Apache-2.0
// onnxruntime-web: a legal empty tensor with a large dimension beside the zero is rejected: sizes have 32 bits in WebAssembly.
// Case gather-empty-large-dimension-beside-zero, onnx.Gather-13, runtime/static, on onnxruntime-web 1.30.0.
// rejected what must be accepted: expected an output, got rejected at run: failed to call OrtRun(). ERROR_CODE: 2, ERROR_MESSAGE: Got invalid dimensions for input: data for the following indices
//  index: 1 Got: 0 Expected: 4294967296
//  Please fix either the inputs/outputs or the model.
// Rule onnx.gather-13.output.rank (onnx/Gather, Outputs): The output has q + r - 1 dimensions.
// shows: refused:  Please fix either the inputs/outputs or the model.
// node THIS_FILE [FOLDER], where onnxruntime-web is installed; it saves the model and its inputs in FOLDER.
const fs = require('node:fs'), path = require('node:path');
const ort = require(require.resolve('onnxruntime-web', {paths: [process.cwd()]}));
const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));
// onnx.Gather-13, data: i32 [0, 4294967296], indices: i64 [2]
// axis = 1
const model = bytes('08083a95010a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731801a0010212086f6e655f63616c6c5a1a0a046461746112120a100806120c0a0208000a060880808080105a150a07696e6469636573120a0a08080712040a02080262280a066f7574707574121e0a1c080612180a0a12086f75747075745f300a0a12086f75747075745f314202100d');
const types = {data: 'int32', indices: 'int64'}; // of the call's operands
const feeds = {
  data: new ort.Tensor('int32', new Int32Array(bytes('').buffer), [0, 4294967296]),
  indices: new ort.Tensor('int64', new BigInt64Array(bytes('0100000000000000ffffffff00000000').buffer), [2]),
};
function check(name, type, wanted) {
  if (type === wanted) return;
  console.error(`${name} is of ${type}, not of ${wanted}`);
  process.exit(1);
}
for (const [name, {type}] of Object.entries(feeds)) check(name, type, types[name]);
const saved = [bytes('080008808080801010064a00420464617461'), bytes('080210074a100100000000000000ffffffff000000004207696e6469636573')];
if (process.argv[2]) { // laid out as ONNX's node tests
  const set = path.join(process.argv[2], 'test_data_set_0');
  fs.mkdirSync(set, {recursive: true});
  fs.writeFileSync(path.join(process.argv[2], 'model.onnx'), model);
  saved.forEach((tensor, k) => fs.writeFileSync(path.join(set, `input_${k}.pb`), tensor));
}
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'fatal';
ort.InferenceSession.create(model).then((session) => {
  for (const {name, type} of session.inputMetadata) check(name, type, types[name]);
  return session.run(feeds);
}).then(({output}) => {
  const {data} = output;
  const shown = Array.isArray(data) ? JSON.stringify(data)
      : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('hex');
  console.log('output', output.type, JSON.stringify(output.dims), shown);
  check('output', output.type, types.data);
}).catch((error) => {
  if (error instanceof WebAssembly.RuntimeError) { // the engine trapped: its module is dead, and this process with it
    console.error('trapped', error.message);
    process.abort();
  }
  console.log('rejected', error.message);
});
