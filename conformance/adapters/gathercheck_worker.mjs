// SPDX-License-Identifier: Apache-2.0
// Speaks the worker protocol for adapters in JavaScript, so that an adapter holds only what its engine needs.
//
// A worker is called as `node worker.mjs FOLDER`, where FOLDER/node_modules holds the packages of its engine. It imports this
// module before the engine, takes the engine with `installed`, and ends with `await serve(adapter)`:
//
//   name, version, device   of the hello
//   operators               operator version -> {data: [...], indices: [...]}, the element types that are legal there
//   routes                  claims' keys of routes, one object each: [{operands: ['runtime'], shapes: ['static']}]
//   run(call)               the output, a tensor; throws Rejected or Unsupported. Anything else thrown is a fault of the adapter
//   take(call)              optional: what is tried of a smallest legal call to see whether the engine takes it, else run
//   source(call)            optional: a program that makes the call without the worker
//
// A call is {operator, attributes, inputs, operands, shapes, axis, pass}, a tensor {type, shape, raw or values}: `raw` holds
// the protocol's bytes, `values` strings. Integers of attributes and shapes are BigInts: 1 and 1.0 are two things.

import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

for (const method of ['log', 'info', 'debug', 'warn']) console[method] = console.error; // engines print

export class Unsupported extends Error {}
export class Rejected extends Error {
  constructor(message, phase) {
    super(message);
    this.phase = phase;
  }
}

// The packages of an engine, which tools/setup.sh has put into the folder, with the version of the first, and the folder; a
// missing one ends the process with a line that says so.
export function installed(engine, ...names) {
  const folder = path.resolve(process.argv[2] ?? '.');
  const require = createRequire(path.join(folder, 'worker.cjs'));
  try {
    const {version} = JSON.parse(fs.readFileSync(path.join(folder, 'node_modules', names[0], 'package.json')));
    return {folder, version, packages: names.map((name) => require(name))};
  } catch (error) {
    const inTree = fs.existsSync(new URL('../../tools/setup.sh', import.meta.url));
    const where = inTree ? '' : ' in a source tree of gathercheck, and GATHERCHECK_ENGINES=TREE/build/engines';
    console.error(`${engine} is not in ${folder} (${error.code}); remedy: tools/setup.sh ${engine}${where}`);
    process.exit(3);
  }
}

// What an engine threw, in words. Where its WebAssembly has trapped, its memory is not to be trusted any more: what it died
// of, then the end of this worker.
export function words(error) {
  const what = String(error?.message ?? error);
  if (error instanceof WebAssembly.RuntimeError || what.includes('Aborted(')) {
    console.error(`the engine trapped: ${what}; this worker ends itself`);
    process.abort();
  }
  return what;
}

// --- messages --------------------------------------------------------------------------------------------------------

const MARK = '\0number:';

// Numbers become BigInts where they are written as integers: 1 and 1.0 are two things, and 64 bits are kept.
function parse(line) {
  const marked = line.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token[0] === '"' ? token : JSON.stringify(MARK + token));
  return JSON.parse(marked, (_, value) => {
    if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
    const digits = value.slice(MARK.length);
    return /^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits);
  });
}

function decode(asked) {
  const inputs = {};
  for (const [name, {type, shape, values, base64}] of Object.entries(asked.inputs)) {
    inputs[name] = {type, shape, ...(values ? {values} : {raw: Buffer.from(base64 ?? '', 'base64')})};
  }
  const {operands = 'runtime', shapes = 'static', axis = 'constant'} = asked.route ?? {};
  return {operator: asked.operator, attributes: asked.attributes ?? {}, inputs, operands, shapes, axis, pass: Number(asked.pass ?? 0)};
}

function encode({type, shape, raw, values}) {
  return values ? {type, shape, values} : {type, shape, base64: Buffer.from(raw).toString('base64')};
}

// --- claims: each legal type is tried in a smallest legal call --------------------------------------------------------

const SIZES = {boolean: 1, i4: 1, u4: 1, f8e4m3: 1, f8e5m2: 1, bf16: 2}; // in bytes; of others the name tells it

// A tensor of one element, 0 or a string.
function zero(type, shape) {
  return type === 'string' ? {type, shape, values: ['a']} : {type, shape, raw: Buffer.alloc(SIZES[type] ?? type.slice(1) / 8)};
}

function smallestCalls(operators) {
  const calls = [];
  for (const [operator, legal] of Object.entries(operators)) {
    for (const indices of legal.indices) {
      for (const data of legal.data) {
        const inputs = {data: zero(data, [1]), indices: zero(indices, /gathernd/i.test(operator) ? [1, 1] : [1])};
        if (operator === 'tensorflow.GatherV2') inputs.axis = zero('i32', []);
        calls.push({operator, attributes: {}, inputs, operands: 'runtime', shapes: 'static', axis: 'constant', pass: 0});
      }
    }
  }
  return calls;
}

// In a process of its own, called with --ask FIRST: a line for each call from that on, null where the engine takes it, else why not.
async function tell({operators, run, take = run}, first) {
  for (const call of smallestCalls(operators).slice(first)) {
    let why = null;
    try {
      await take(call);
    } catch (error) {
      if (error instanceof Rejected || error instanceof Unsupported) why = error.message.trim().split('\n').at(-1).slice(0, 160);
      else console.error(error); // a fault of the adapter, which the run shows
    }
    fs.writeSync(1, JSON.stringify(why) + '\n');
  }
}

// Why each smallest call is refused, null where it is taken. What ends the process is taken: that is for the run to show.
function refusals(count) {
  const found = [];
  while (found.length < count) {
    const command = [...process.argv.slice(1, 3), '--ask', found.length];
    const {stdout} = spawnSync(process.execPath, command, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit']});
    found.push(...(stdout ?? '').split('\n').filter((line) => line).map((line) => JSON.parse(line)));
    if (found.length < count) found.push(null);
  }
  return found;
}

// A restarted worker need not ask again: what the first one said holds.
function hello({name, version, device, operators, routes, source}, restart) {
  const calls = smallestCalls(operators);
  const reasons = restart ? calls.map(() => null) : refusals(calls.length);
  const claims = new Map(), refused = [];
  calls.forEach(({operator, inputs: {data, indices}}, k) => {
    if (reasons[k] !== null) {
      refused.push({operators: [operator], data: [data.type], indices: [indices.type], why: reasons[k]});
      return;
    }
    const key = `${operator} ${indices.type}`;
    if (!claims.has(key)) claims.set(key, {operators: [operator], data: [], indices: [indices.type]});
    claims.get(key).data.push(data.type);
  });
  return {
    message: 'hello',
    protocol: 1,
    implementation: {name, version, language: 'javascript', device},
    claims: [...claims.values()].flatMap((claim) => routes.map((route) => ({...claim, ...route}))),
    not_implemented: refused,
    answers: ['run'],
    features: source ? ['reproduce'] : [],
  };
}

async function answer({run, source}, asked) {
  try {
    if (asked.message === 'reproduce' && source) {
      if (asked.language !== 'javascript') throw new Unsupported('no language but javascript');
      return {source: source(decode(asked))};
    }
    if (asked.message !== 'run') throw new Unsupported(`no answer to ${asked.message}`);
    return {output: encode(await run(decode(asked)))};
  } catch (error) {
    if (error instanceof Rejected) return {rejected: {message: error.message, phase: error.phase}};
    if (error instanceof Unsupported) return {unsupported: error.message};
    return {broken: String(error?.stack ?? error)};
  }
}

// Answers messages until goodbye or the end of the input.
export async function serve(adapter) {
  if (process.argv[3] === '--ask') {
    await tell(adapter, Number(process.argv[4]));
    process.exit(0);
  }
  for await (const line of readline.createInterface({input: process.stdin, crlfDelay: Infinity})) {
    let asked, reply;
    try {
      asked = parse(line);
    } catch (error) {
      asked = {};
      reply = {broken: `malformed message: ${error.message}`};
    }
    if (asked.message === 'goodbye') break;
    if (asked.message === 'hello') reply = hello(adapter, asked.restart === true);
    reply ??= {seq: Number(asked.seq), ...(await answer(adapter, asked))};
    fs.writeSync(1, JSON.stringify(reply) + '\n');
  }
  process.exit(0);
}
