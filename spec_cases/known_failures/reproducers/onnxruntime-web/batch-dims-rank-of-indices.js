// SPDX-License-Identifier: Apache-2.0
// onnxruntime-web: GatherND: a batch_dims equal to the rank of indices is not refused.
// Case gather-nd-sweep-batch-dims-out-of-range/ranks=2-1-min, onnx.GatherND-13, runtime/static, on onnxruntime-web 1.30.0.
// accepted what must be rejected: expected the error batch_dims_out_of_range, got f32 [] = [0]
// Rule onnx.gather-nd-13.batch_dims.range (onnx/GatherND-13, Description): batch_dims is below min(q, r).
// shows: an output
// node THIS_FILE [FOLDER], where onnxruntime-web is installed; it saves the model and its inputs in FOLDER.
const fs = require('node:fs'), path = require('node:path');
const ort = require(require.resolve('onnxruntime-web', {paths: [process.cwd()]}));
const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));
// onnx.GatherND-13, data: f32 [1, 2], indices: i64 [1]
// batch_dims = 1
const model = bytes('08083a790a340a04646174610a07696e646963657312066f757470757422084761746865724e442a110a0a62617463685f64696d731801a0010212086f6e655f63616c6c5a160a0464617461120e0a0c080112080a0208010a0208025a150a07696e6469636573120a0a08080712040a02080162080a066f75747075744202100d');
const feeds = {
  data: new ort.Tensor('float32', new Float32Array(bytes('000000000000803f').buffer), [1, 2]),
  indices: new ort.Tensor('int64', new BigInt64Array(bytes('0000000000000000').buffer), [1]),
};
const saved = [bytes('0801080210014a08000000000000803f420464617461'), bytes('080110074a0800000000000000004207696e6469636573')];
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
