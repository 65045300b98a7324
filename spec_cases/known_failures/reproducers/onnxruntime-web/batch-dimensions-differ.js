// SPDX-License-Identifier: Apache-2.0
// onnxruntime-web: GatherND: batch dimensions of data and indices that differ are not refused.
// Case gather-nd-batch-dims-stretched-data, onnx.GatherND-13, runtime/static, on onnxruntime-web 1.30.0.
// accepted what must be rejected: expected the error batch_shape_mismatch, got i32 [3] = [2, 1, 2]
// Rule onnx.gather-nd-13.batch_dims.equal (onnx/GatherND-13, Description): The first b dimensions of data and of indices are equal.
// shows: an output
// node THIS_FILE [FOLDER], where onnxruntime-web is installed; it saves the model and its inputs in FOLDER.
const fs = require('node:fs'), path = require('node:path');
const ort = require(require.resolve('onnxruntime-web', {paths: [process.cwd()]}));
const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));
// onnx.GatherND-13, data: i32 [1, 2], indices: i64 [3, 1]
// batch_dims = 1
const model = bytes('08083a7d0a340a04646174610a07696e646963657312066f757470757422084761746865724e442a110a0a62617463685f64696d731801a0010212086f6e655f63616c6c5a160a0464617461120e0a0c080612080a0208010a0208025a190a07696e6469636573120e0a0c080712080a0208030a02080162080a066f75747075744202100d');
const feeds = {
  data: new ort.Tensor('int32', new Int32Array(bytes('0100000002000000').buffer), [1, 2]),
  indices: new ort.Tensor('int64', new BigInt64Array(bytes('010000000000000000000000000000000100000000000000').buffer), [3, 1]),
};
const saved = [bytes('0801080210064a080100000002000000420464617461'), bytes('0803080110074a180100000000000000000000000000000001000000000000004207696e6469636573')];
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
