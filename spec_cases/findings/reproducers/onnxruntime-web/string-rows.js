// SPDX-License-Identifier: Apache-2.0
// onnxruntime-web: string data: where an index picks a row of several strings, only the first string of each row is copied and the others come back empty; strings with U+0000 are cut there besides.
// Case gather-type-string-rows, onnx.Gather-13, runtime/static, on onnxruntime-web 1.30.0.
// wrong value: element 0 of [3, 2]: expected "c\x00", got "c"
// Rule onnx.gather-13.semantics.slice-per-entry (onnx/Gather, Description): Each index yields one slice of data, of r - 1 dimensions.
// shows: an output other than [3, 2] ["c\u0000","d","a","","c\u0000","d"]
// node THIS_FILE [FOLDER], where onnxruntime-web is installed; it saves the model and its inputs in FOLDER.
const fs = require('node:fs'), path = require('node:path');
const ort = require(require.resolve('onnxruntime-web', {paths: [process.cwd()]}));
const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));
// onnx.Gather-13, data: string [2, 2], indices: i64 [3]
// axis = 0
const model = bytes('08083a710a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731800a0010212086f6e655f63616c6c5a160a0464617461120e0a0c080812080a0208020a0208025a150a07696e6469636573120a0a08080712040a02080362080a066f75747075744202100d');
const feeds = {
  data: new ort.Tensor('string', ["a","","c\u0000","d"], [2, 2]),
  indices: new ort.Tensor('int64', new BigInt64Array(bytes('010000000000000000000000000000000100000000000000').buffer), [3]),
};
const saved = [bytes('080208021008320161320032026300320164420464617461'), bytes('080310074a180100000000000000000000000000000001000000000000004207696e6469636573')];
if (process.argv[2]) { // laid out as ONNX's node tests
  const set = path.join(process.argv[2], 'test_data_set_0');
  fs.mkdirSync(set, {recursive: true});
  fs.writeFileSync(path.join(process.argv[2], 'model.onnx'), model);
  saved.forEach((tensor, k) => fs.writeFileSync(path.join(set, `input_${k}.pb`), tensor));
}
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'fatal';
ort.InferenceSession.create(model).then((session) => session.run(feeds)).then(({output}) => {
  const {data} = output;
  const shown = Array.isArray(data) ? JSON.stringify(data)
      : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('hex');
  console.log('output', output.type, output.dims, shown);
}).catch((error) => {
  console.log('rejected', error.message);
});
