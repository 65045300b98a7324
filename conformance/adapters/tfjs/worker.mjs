// SPDX-License-Identifier: Apache-2.0
// Worker that runs TensorFlow's gather operators on TensorFlow.js' CPU backend, in Node.js.
//
// usage: node worker.mjs FOLDER, where FOLDER/node_modules holds the packages of package.json.

import {serveOn} from './tfjs.mjs';

await serveOn('cpu', 'tfjs');
