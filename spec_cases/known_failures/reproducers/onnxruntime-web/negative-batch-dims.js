// SPDX-License-Identifier: Apache-2.0
// onnxruntime-web: GatherND: a batch_dims far below zero makes the process read outside its memory and die.
// Case gather-nd-batch-dims-minus-2, onnx.GatherND-13, runtime/static, on onnxruntime-web 1.30.0.
// crash: killed by SIGABRT
// Rule onnx.gather-nd-13.batch_dims.negative (onnx/GatherND-13, Description): batch_dims is not negative: it is a number of dimensions, and nothing says from where a negative one would count.
// Rule onnx.gather-nd-13.batch_dims.range (onnx/GatherND-13, Description): batch_dims is below min(q, r).
// shows: a crash
// node THIS_FILE [FOLDER], where onnxruntime-web is installed; it saves the model and its inputs in FOLDER.
const fs = require('node:fs'), path = require('node:path');
const ort = require(require.resolve('onnxruntime-web', {paths: [process.cwd()]}));
const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));
// onnx.GatherND-13, data: i32 [2, 2], indices: i64 [2, 1]
// batch_dims = -2
const model = bytes('08083a86010a3d0a04646174610a07696e646963657312066f757470757422084761746865724e442a1a0a0a62617463685f64696d7318feffffffffffffffff01a0010212086f6e655f63616c6c5a160a0464617461120e0a0c080612080a0208020a0208025a190a07696e6469636573120e0a0c080712080a0208020a02080162080a066f75747075744202100d');
const feeds = {
  data: new ort.Tensor('int32', new Int32Array(bytes('01000000020000000300000004000000').buffer), [2, 2]),
  indices: new ort.Tensor('int64', new BigInt64Array(bytes('00000000000000000100000000000000').buffer), [2, 1]),
};
const saved = [bytes('0802080210064a1001000000020000000300000004000000420464617461'), bytes('0802080110074a10000000000000000001000000000000004207696e6469636573')];
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
