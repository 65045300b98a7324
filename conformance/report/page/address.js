// SPDX-License-Identifier: Apache-2.0
// Addresses of views in the one page of a report.
import {searchOf} from './dom.js';

/** An address of a view: address('case', id, {engine: 'onnx'}); of the overview address(''). */
export function address(kind, id, query) {
  return '#/' + kind + (id === undefined ? '' : '/' + encodeURIComponent(id)) + searchOf(query);
}
