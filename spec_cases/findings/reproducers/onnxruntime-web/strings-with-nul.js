// SPDX-License-Identifier: Apache-2.0
// onnxruntime-web: string data: the JavaScript interface passes strings as C strings, which end at U+0000, so that the characters after it are lost; a string is "a UTF-8 encoded Unicode string", of which U+0000 is a character.
// Case gather-type-string-nul, onnx.Gather-13, runtime/static, on onnxruntime-web 1.30.0.
// wrong value: element 0 of [5]: expected "a\x00b", got "a"
// Rule onnx.gather-13.semantics.slice-per-entry (onnx/Gather, Description): Each index yields one slice of data, of r - 1 dimensions.
// shows: an output other than [5] ["a\u0000b","\u0000","\u0000\u0000","a","a\u0000b"]
// node THIS_FILE [FOLDER], where onnxruntime-web is installed; it saves the model and its inputs in FOLDER.
const fs = require('node:fs'), path = require('node:path');
const ort = require(require.resolve('onnxruntime-web', {paths: [process.cwd()]}));
const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));
// onnx.Gather-13, data: string [4], indices: i32 [5]
// axis = 0
const model = bytes('08083a81010a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731800a0010212086f6e655f63616c6c5a120a0464617461120a0a08080812040a0208045a150a07696e6469636573120a0a08080612040a020805621c0a066f757470757412120a100808120c0a0a12086f75747075745f304202100d');
const types = {data: 'string', indices: 'int32'}; // of the call's operands
const feeds = {
  data: new ort.Tensor('string', ["a\u0000b","\u0000","a","\u0000\u0000"], [4]),
  indices: new ort.Tensor('int32', new Int32Array(bytes('0000000001000000030000000200000000000000').buffer), [5]),
};
function check(name, type, wanted) {
  if (type === wanted) return;
  console.error(`${name} is of ${type}, not of ${wanted}`);
  process.exit(1);
}
for (const [name, {type}] of Object.entries(feeds)) check(name, type, types[name]);
const saved = [bytes('08041008320361006232010032016132020000420464617461'), bytes('080510064a1400000000010000000300000002000000000000004207696e6469636573')];
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
