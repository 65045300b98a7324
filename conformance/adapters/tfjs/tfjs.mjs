// SPDX-License-Identifier: Apache-2.0
// Runs TensorFlow's gather operators on TensorFlow.js, in Node.js, by one of its backends: tf.gather(x, indices, axis, batchDims)
// and tf.gatherND(x, indices), whose tensors are float32, int32, bool, complex64 and string. What is none of these, or no
// argument of the function, is unsupported: nothing is converted on the way.

import path from 'node:path';
import {Rejected, Unsupported, installed, serve, words} from '../gathercheck_worker.mjs';

const names = ['core', 'backend-cpu', 'backend-wasm'].map((name) => `@tensorflow/tfjs-${name}`);
const {folder, version, packages: [tf, , wasm]} = installed('tfjs', ...names);

// Element type -> name in TensorFlow.js, array that holds its bits.
const TYPES = {
  boolean: ['bool', Uint8Array],
  i32: ['int32', Int32Array],
  f32: ['float32', Float32Array],
  c64: ['complex64', Float32Array],
  string: ['string', Array],
};
const INTEGERS = ['i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64'];
const DATA = ['boolean', 'i4', 'u4', 'f16', 'bf16', 'f32', 'f64', 'f8e4m3', 'f8e5m2', 'c64', 'c128', 'string', ...INTEGERS];
const legal = {data: DATA, indices: ['i16', 'i32', 'i64']};
const OPERATORS = {'tensorflow.GatherV2': legal, 'tensorflow.GatherNd': legal};
// Operator version -> function, the operand and the attribute that are numbers among its arguments.
const FUNCTIONS = {'tensorflow.GatherV2': ['gather', 'axis', 'batch_dims'], 'tensorflow.GatherNd': ['gatherND']};

function arrayOf({type, raw, values}) {
  return values ?? new TYPES[type][1](new Uint8Array(raw).buffer); // a copy is aligned
}

function demandTensor({type, shape}) {
  if (!TYPES[type]) throw new Unsupported(`TensorFlow.js has no tensors of ${type}`);
  if (!shape.every((extent) => Number.isSafeInteger(Number(extent)))) throw new Unsupported('a dimension of TensorFlow.js has 53 bits');
}

// A number of JavaScript, which does not tell 1.0 from 1.
function argument(name, value) {
  const number = Number(value);
  const isExact = typeof value === 'bigint' ? BigInt(number) === value : typeof value === 'number' && !Number.isInteger(value);
  if (!isExact) throw new Unsupported(`${name} is a number of JavaScript, which ${value} is not`);
  return number;
}

function axisOf({axis}) {
  if (!axis) throw new Unsupported('tf.gather has an axis of its own where none is given');
  if (axis.shape.length || !['i32', 'i64'].includes(axis.type)) throw new Unsupported('the axis of tf.gather is one integer');
  return argument('axis', axis.type === 'i64' ? axis.raw.readBigInt64LE() : BigInt(axis.raw.readInt32LE()));
}

// The function of a call, its tensors and its numbers.
function expressed({operator, inputs, attributes, axis}) {
  if (!FUNCTIONS[operator]) throw new Unsupported(`TensorFlow.js has no operator ${operator}`);
  const [name, operand, attribute] = FUNCTIONS[operator], {data, indices, ...others} = inputs;
  if (axis === 'runtime') throw new Unsupported('TensorFlow.js builds no model');
  const surplus = [...Object.keys(others).filter((key) => key !== operand), ...Object.keys(attributes).filter((key) => key !== attribute)];
  if (surplus.length) throw new Unsupported(`tf.${name} has no argument for ${surplus.join(' and ')}`);
  const tensors = [data, indices];
  tensors.filter((tensor) => tensor).forEach(demandTensor);
  return {name, tensors, numbers: operand ? [axisOf(inputs), argument(attribute, attributes[attribute] ?? 0n)] : []};
}

// --- the engine ------------------------------------------------------------------------------------------------------

function made(tensor) {
  if (!tensor) return undefined;
  const array = arrayOf(tensor), shape = tensor.shape.map(Number), [name] = TYPES[tensor.type];
  if (tensor.type !== 'c64') return tf.tensor(array, shape, name);
  const part = (first) => tf.tensor(array.filter((_, k) => k % 2 === first), shape, 'float32');
  return tf.complex(part(0), part(1));
}

function fromEngine(error) {
  const what = words(error);
  return /not registered for backend|does not support|must be numeric tensor/.test(what) ? new Unsupported(what) : new Rejected(what, 'run');
}

// Leaves bytes in memory that the backend gives out next, other ones in pass 1: what is not written, or read outside, shows.
function perturb(pass) {
  tf.tensor(new Int32Array(1 << 12).fill(pass ? 0x5a5a5a5a : 0xa5a5a5a5), [1 << 12], 'int32').dispose();
}

function run(call) {
  const {name, tensors, numbers} = expressed(call);
  let output, data;
  perturb(call.pass);
  try {
    tf.tidy(() => {
      output = tf[name](...tensors.map(made), ...numbers);
      data = output.dataSync();
    });
  } catch (error) {
    throw fromEngine(error);
  }
  const type = Object.keys(TYPES).find((key) => TYPES[key][0] === output.dtype);
  if (type === 'string') return {type, shape: output.shape, values: Array.from(data)};
  const bits = ArrayBuffer.isView(data) ? data : new TYPES[type][1](data); // an empty output may come as a list
  return {type, shape: output.shape, raw: Buffer.from(bits.buffer, bits.byteOffset, bits.byteLength)};
}

// --- a program that makes a call without this worker ---------------------------------------------------------------------

function source(backend, call) {
  const {name, tensors, numbers} = expressed(call);
  const expression = (tensor) => {
    if (!tensor) return 'undefined';
    const [type, ArrayType] = TYPES[tensor.type], shape = `[${tensor.shape.join(', ')}]`;
    if (tensor.type === 'c64') throw new Unsupported('no program with complex numbers');
    const contents = tensor.values ? JSON.stringify(tensor.values) : `new ${ArrayType.name}(bytes('${tensor.raw.toString('hex')}'))`;
    return `tf.tensor(${contents}, ${shape}, '${type}')`;
  };
  const dtype = TYPES[call.inputs.data?.type]?.[0];
  return [
    '// node THIS_FILE, in the folder where TensorFlow.js is installed.',
    "const path = require('node:path');",
    "const file = (name) => require.resolve(`@tensorflow/tfjs-${name}`, {paths: [process.cwd()]});",
    'const bytes = (hex) => new Uint8Array(Buffer.from(hex, \'hex\')).buffer;',
    "const tf = require(file('core'));",
    `const backend = require(file('backend-${backend}'));`,
    ...(backend === 'wasm' ? ["backend.setWasmPaths(path.dirname(file('backend-wasm')) + '/');"] : []),
    `tf.setBackend('${backend}').then(() => {`,
    `  const data = ${expression(tensors[0])};`,
    `  const indices = ${expression(tensors[1])};`,
    `  const output = tf.${name}(${['data', 'indices', ...numbers].join(', ')});`,
    '  const values = output.dataSync();',
    "  const shown = output.dtype === 'string' ? JSON.stringify(values)",
    "      : Buffer.from(values.buffer ?? values, values.byteOffset, values.byteLength).toString('hex');",
    "  console.log('output', output.dtype, JSON.stringify(output.shape), shown);",
    `  if (data.dtype !== '${dtype}' || output.dtype !== '${dtype}') process.exit(1);`,
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

export async function serveOn(backend, name) {
  wasm.setWasmPaths(path.join(folder, 'node_modules', names[2], 'dist') + path.sep);
  await tf.setBackend(backend);
  const routes = [{operands: ['runtime'], shapes: ['static']}];
  await serve({name, version, device: backend, operators: OPERATORS, routes, run, source: (call) => source(backend, call)});
}
