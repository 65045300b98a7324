// SPDX-License-Identifier: Apache-2.0
// Worker that runs the ONNX gather operators on ONNX Runtime Web: its CPU kernels as WebAssembly, in Node.js.
//
// usage: node worker.mjs FOLDER, where FOLDER/node_modules holds the packages of package.json.
//
// Each call becomes a model of one node in the operator's own opset (IR 8). An operand given at run time is a graph
// input, a fixed one an initializer; dynamic shapes are symbolic dimensions. Element types travel as bits.

import {Rejected, Unsupported, installed, serve, words} from '../gathercheck_worker.mjs';

const {version, packages: [ort]} = installed('onnxruntime-web', 'onnxruntime-web');
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'fatal';

// Element type -> number in ONNX, name in ONNX Runtime, array that holds its bits.
const TYPES = {
  boolean: [9, 'bool', Uint8Array],
  u8: [2, 'uint8', Uint8Array],
  u16: [4, 'uint16', Uint16Array],
  u32: [12, 'uint32', Uint32Array],
  u64: [13, 'uint64', BigUint64Array],
  i8: [3, 'int8', Int8Array],
  i16: [5, 'int16', Int16Array],
  i32: [6, 'int32', Int32Array],
  i64: [7, 'int64', BigInt64Array],
  f16: [10, 'float16', Uint16Array],
  f32: [1, 'float32', Float32Array],
  f64: [11, 'float64', Float64Array],
  string: [8, 'string', Array],
};
// Legal types that JavaScript has no tensors of. Whether the engine loads a model with them shows.
const WITHOUT_TENSORS = {bf16: 16, c64: 14, c128: 15};
const OPERATORS = {};
for (const [name, opsets] of [['Gather', [1, 11, 13]], ['GatherElements', [11, 13]], ['GatherND', [11, 12, 13]]]) {
  for (const opset of opsets) {
    const data = [...Object.keys(TYPES), ...Object.keys(WITHOUT_TENSORS).filter((type) => type !== 'bf16' || opset === 13)];
    OPERATORS[`onnx.${name}-${opset}`] = {name, opset, data, indices: name === 'GatherND' ? ['i64'] : ['i32', 'i64']};
  }
}

// What the interface calls an element type, and the array of its bits.
function interfaceOf({type}) {
  if (!TYPES[type]) throw new Unsupported(`the JavaScript interface has no tensors of ${type}`);
  return TYPES[type].slice(1);
}

function onnxNumber({type}) {
  const number = TYPES[type]?.[0] ?? WITHOUT_TENSORS[type];
  if (number === undefined) throw new Unsupported(`ONNX Runtime Web takes no ${type} values`);
  return number;
}

// --- the model, as protobuf writes it --------------------------------------------------------------------------------

const utf8 = (text) => Buffer.from(text, 'utf8');

function varint(value) {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field, value) => Buffer.concat([varint((field << 3) | 2), varint(value.length), value]);
const text = (field, value) => bytes(field, utf8(value));
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));
function float(field, value) {
  const bits = Buffer.alloc(4);
  bits.writeFloatLE(value);
  return Buffer.concat([varint((field << 3) | 5), bits]);
}

// An attribute of the kind that the JSON value has.
function attribute(name, value) {
  const items = Array.isArray(value) ? value : [value];
  const list = Array.isArray(value);
  let fields, kind;
  if (items.every((item) => typeof item === 'bigint')) {
    if (items.some((item) => BigInt.asIntN(64, item) !== item)) {
      throw new Unsupported(`attribute ${name}: an ONNX integer has 64 bits`);
    }
    [fields, kind] = [items.map((item) => number(list ? 8 : 3, item)), list ? 7 : 2];
  } else if (items.every((item) => typeof item === 'bigint' || typeof item === 'number')) {
    [fields, kind] = [items.map((item) => float(list ? 7 : 2, Number(item))), list ? 6 : 1];
  } else if (items.every((item) => typeof item === 'string')) {
    [fields, kind] = [items.map((item) => text(list ? 9 : 4, item)), list ? 8 : 3];
  } else {
    throw new Unsupported(`attribute ${name}: ONNX has no attribute of this kind`);
  }
  return message(5, text(1, name), ...fields, number(20, kind));
}

function constant(name, tensor) {
  const contents = tensor.values ? tensor.values.map((item) => text(6, item)) : [bytes(9, tensor.raw)];
  const dims = tensor.shape.map((extent) => number(1, extent));
  return Buffer.concat([...dims, number(2, onnxNumber(tensor)), ...contents, text(8, name)]);
}

// An input or an output of the graph; without a shape where that is not known.
function declared(field, name, type, dims) {
  const shape = dims ? [message(2, ...dims.map((dim) => message(1, dim)))] : [];
  return message(field, text(1, name), message(2, message(1, number(1, type), ...shape)));
}

function input(name, tensor, dynamic) {
  const dims = tensor.shape.map((extent, k) => (dynamic ? text(2, `${name}_${k}`) : number(1, extent)));
  return declared(11, name, onnxNumber(tensor), dims);
}

// The number of dimensions of a legal call's output, by ranks and the length of tuples; undefined where they do not tell.
function outputRank(call) {
  const {data, indices} = call.inputs, {name, opset} = OPERATORS[call.operator];
  if (!data || !indices) return undefined;
  const most = data.shape.length + indices.shape.length;
  let rank = indices.shape.length;
  if (name === 'Gather') rank += data.shape.length - 1;
  if (name === 'GatherND') {
    const batchDims = opset >= 12 ? call.attributes.batch_dims ?? 0n : 0n;
    if (rank === 0 || typeof batchDims !== 'bigint') return undefined;
    rank += data.shape.length - Number(indices.shape.at(-1)) - 1 - Number(batchDims);
  }
  return rank >= 0 && rank <= most ? rank : undefined;
}

// With what onnx.checker asks for, where the call tells it. What is run declares nothing, for an engine may believe a
// declaration; a script's model is one that others check and load, too.
function declaredOutput(call) {
  const rank = outputRank(call);
  const dims = rank === undefined ? undefined : Array.from({length: rank}, (_, k) => text(2, `output_${k}`));
  return declared(12, 'output', onnxNumber(call.inputs.data), dims);
}

// The serialized model and the names of its graph inputs.
function modelOf(call, output = message(12, text(1, 'output'))) {
  const operator = OPERATORS[call.operator];
  if (!operator) throw new Unsupported(`ONNX has no operator ${call.operator}`);
  const names = Object.keys(call.inputs);
  const listed = ['data', 'indices', ...names.filter((name) => name !== 'data' && name !== 'indices')];
  while (listed.length && !call.inputs[listed.at(-1)]) listed.pop();
  const node = [], graph = [], given = [];
  for (const name of listed) {
    const tensor = call.inputs[name];
    node.push(text(1, tensor ? name : ''));
    if (!tensor) continue;
    if (call.operands === 'folded' || (call.operands === 'constant' && name === 'indices')) {
      graph.push(bytes(5, constant(name, tensor)));
    } else {
      graph.push(input(name, tensor, call.shapes === 'dynamic'));
      given.push(name);
    }
  }
  node.push(text(2, 'output'), text(4, operator.name));
  for (const [name, value] of Object.entries(call.attributes)) node.push(attribute(name, value));
  graph.unshift(message(1, ...node), text(2, 'one_call'));
  graph.push(output);
  const model = Buffer.concat([number(1, 8), message(7, ...graph), message(8, number(2, operator.opset))]);
  return {model, given};
}

// --- the engine ------------------------------------------------------------------------------------------------------

function fromEngine(error, phase) {
  const what = words(error);
  if (/NOT_IMPLEMENTED|ERROR_CODE: 9,|not currently registered or supported|is not supported/.test(what)) {
    return new Unsupported(what);
  }
  if (what.includes('ShapeInferenceError')) return new Rejected(what, 'shape');
  return new Rejected(what, /ERROR_CODE: 10,/.test(what) ? 'build' : phase);
}

const sessions = new Map(); // by model; every 16th reuse builds one anew, so that reuse hides no fault
let reuses = 0;

async function sessionOf(model) {
  const key = model.toString('latin1');
  if (sessions.has(key) && ++reuses % 16) return sessions.get(key);
  const old = sessions.size >= 64 || sessions.has(key) ? (sessions.has(key) ? key : sessions.keys().next().value) : null;
  if (old !== null) {
    await sessions.get(old).release();
    sessions.delete(old);
  }
  try {
    sessions.set(key, await ort.InferenceSession.create(new Uint8Array(model)));
  } catch (error) {
    throw fromEngine(error);
  }
  return sessions.get(key);
}

function valueOf(tensor) {
  const [name, ArrayType] = interfaceOf(tensor);
  const dims = tensor.shape.map(Number);
  if (!dims.every(Number.isSafeInteger)) throw new Unsupported('a dimension of the JavaScript interface has 53 bits');
  if (tensor.values) return new ort.Tensor(name, tensor.values, dims);
  const copy = new Uint8Array(tensor.raw).buffer; // aligned
  return new ort.Tensor(name, new ArrayType(copy), dims);
}

// Loads a model of a type without tensors, for the words of an engine that refuses it.
async function take(call) {
  if (TYPES[call.inputs.data.type]) return run(call);
  await sessionOf(modelOf(call).model);
  return interfaceOf(call.inputs.data);
}

async function run(call) {
  Object.values(call.inputs).forEach(interfaceOf);
  const {model, given} = modelOf(call);
  const session = await sessionOf(model);
  const feeds = Object.fromEntries(given.map((name) => [name, valueOf(call.inputs[name])]));
  let output;
  try {
    output = (await session.run(feeds)).output;
  } catch (error) {
    throw fromEngine(error, 'run');
  }
  const type = Object.keys(TYPES).find((name) => TYPES[name][1] === output.type);
  const shape = Array.from(output.dims);
  if (type === 'string') return {type, shape, values: Array.from(output.data)};
  const {data} = output;
  return {type, shape, raw: Buffer.from(data.buffer, data.byteOffset, data.byteLength)};
}

// --- a script that makes a call without this worker -----------------------------------------------------------------

// The interface's name of an element type, made of ours: what a script states must not come from the table of TYPES.
function typeName(type) {
  return type === 'boolean' ? 'bool' : type.replace(/^u(?=\d)/, 'uint').replace(/^i(?=\d)/, 'int').replace(/^f(?=\d)/, 'float');
}

function source(call) {
  const {model, given} = modelOf(call, call.inputs.data && declaredOutput(call));
  const types = Object.entries(call.inputs).map(([name, {type}]) => `${name}: '${typeName(type)}'`);
  const described = (name) => `${name}: ${call.inputs[name].type} [${call.inputs[name].shape.join(', ')}]`;
  const feed = (name) => {
    const tensor = call.inputs[name], [type, ArrayType] = interfaceOf(tensor);
    const contents = tensor.values ? JSON.stringify(tensor.values)
        : `new ${ArrayType.name}(bytes('${tensor.raw.toString('hex')}').buffer)`;
    return `  ${name}: new ort.Tensor('${type}', ${contents}, [${tensor.shape.join(', ')}]),`;
  };
  return [
    '// node THIS_FILE [FOLDER], where onnxruntime-web is installed; it saves the model and its inputs in FOLDER.',
    "const fs = require('node:fs'), path = require('node:path');",
    "const ort = require(require.resolve('onnxruntime-web', {paths: [process.cwd()]}));",
    "const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));",
    `// ${call.operator}, ${Object.keys(call.inputs).map(described).join(', ')}`,
    ...Object.entries(call.attributes).map(([name, value]) => `// ${name} = ${String(value)}`),
    `const model = bytes('${model.toString('hex')}');`,
    `const types = {${types.join(', ')}}; // of the call's operands`,
    'const feeds = {',
    ...given.map(feed),
    '};',
    'function check(name, type, wanted) {',
    '  if (type === wanted) return;',
    '  console.error(`${name} is of ${type}, not of ${wanted}`);',
    '  process.exit(1);',
    '}',
    'for (const [name, {type}] of Object.entries(feeds)) check(name, type, types[name]);',
    `const saved = [${given.map((name) => `bytes('${constant(name, call.inputs[name]).toString('hex')}')`).join(', ')}];`,
    'if (process.argv[2]) { // laid out as ONNX\'s node tests',
    "  const set = path.join(process.argv[2], 'test_data_set_0');",
    '  fs.mkdirSync(set, {recursive: true});',
    "  fs.writeFileSync(path.join(process.argv[2], 'model.onnx'), model);",
    '  saved.forEach((tensor, k) => fs.writeFileSync(path.join(set, `input_${k}.pb`), tensor));',
    '}',
    'ort.env.wasm.numThreads = 1;',
    "ort.env.logLevel = 'fatal';",
    'ort.InferenceSession.create(model).then((session) => {',
    '  for (const {name, type} of session.inputMetadata) check(name, type, types[name]);',
    '  return session.run(feeds);',
    '}).then(({output}) => {',
    '  const {data} = output;',
    '  const shown = Array.isArray(data) ? JSON.stringify(data)',
    "      : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('hex');",
    "  console.log('output', output.type, JSON.stringify(output.dims), shown);",
    ...(call.inputs.data ? ["  check('output', output.type, types.data);"] : []),
    '}).catch((error) => {',
    '  if (error instanceof WebAssembly.RuntimeError) { // the engine trapped: its module is dead, and this process with it',
    "    console.error('trapped', error.message);",
    '    process.abort();',
    '  }',
    "  console.log('rejected', error.message);",
    '});',
    '',
  ].join('\n');
}

await serve({
  name: 'onnxruntime-web',
  version,
  device: 'wasm',
  operators: OPERATORS,
  routes: [{operands: ['runtime', 'constant'], shapes: ['static', 'dynamic']}, {operands: ['folded'], shapes: ['static']}],
  run,
  take,
  source,
});
