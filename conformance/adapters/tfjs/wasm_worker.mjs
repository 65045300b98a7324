// SPDX-License-Identifier: Apache-2.0
// Worker that runs TensorFlow's gather operators on TensorFlow.js' WebAssembly backend, in Node.js.
//
// usage: node wasm_worker.mjs FOLDER, where FOLDER/node_modules holds the packages of package.json.

import {serveOn} from './tfjs.mjs';

await serveOn('wasm', 'tfjs:wasm');
