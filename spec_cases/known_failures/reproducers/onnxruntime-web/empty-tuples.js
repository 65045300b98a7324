// SPDX-License-Identifier: Apache-2.0
// onnxruntime-web: GatherND: tuples of length 0 are accepted; their length is at least 1.
// Case gather-nd-empty-tuple, onnx.GatherND-13, runtime/static, on onnxruntime-web 1.30.0.
// accepted what must be rejected: expected the error index_tuple_empty, got i32 [2, 2, 2] = [1, 2, 3, 4, 1, 2, 3, 4]
// Rule onnx.gather-nd-13.indices.last-dim (onnx/GatherND-13, Description): The last dimension of indices, the length n of a tuple, lies between 1 and r - b.
// shows: an output
// node THIS_FILE [FOLDER], where onnxruntime-web is installed; it saves the model and its inputs in FOLDER.
const fs = require('node:fs'), path = require('node:path');
const ort = require(require.resolve('onnxruntime-web', {paths: [process.cwd()]}));
const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));
// onnx.GatherND-13, data: i32 [2, 2], indices: i64 [2, 0]
const model = bytes('08083a6a0a210a04646174610a07696e646963657312066f757470757422084761746865724e4412086f6e655f63616c6c5a160a0464617461120e0a0c080612080a0208020a0208025a190a07696e6469636573120e0a0c080712080a0208020a02080062080a066f75747075744202100d');
const feeds = {
  data: new ort.Tensor('int32', new Int32Array(bytes('01000000020000000300000004000000').buffer), [2, 2]),
  indices: new ort.Tensor('int64', new BigInt64Array(bytes('').buffer), [2, 0]),
};
const saved = [bytes('0802080210064a1001000000020000000300000004000000420464617461'), bytes('0802080010074a004207696e6469636573')];
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
