// SPDX-License-Identifier: Apache-2.0
// Addresses of views in a site: each page is a file. tools/site/names.cpp has the same names.
import {searchOf} from '../page/dom.js';

const folders = {engine: 'engines', operator: 'operators', finding: 'findings', case: 'cases', clarification: 'clarifications'};
const operatorOfRule = new Map();

export function knowRules(model) {
  for (const rule of model.rules) operatorOfRule.set(rule.id, model.versions[rule.version].name);
}

/** The name of a file for an id: what file systems or addresses take for something else is ~ and its bytes. */
function fileName(id) {
  return encodeURIComponent(id).replace(/[!~*'()]/g, character => '%' + character.charCodeAt(0).toString(16).toUpperCase()).replaceAll('%', '~') + '.html';
}

function pathOf(kind, id, query) {
  if (kind === 'rule') return pathOf('operator', operatorOfRule.get(id)) + '#' + encodeURIComponent(id);
  if (kind === 'group' && query.kind === 'finding') return pathOf('finding', id) + '#' + encodeURIComponent(query.engine);
  if (kind === 'group') return 'cause.html' + searchOf({id, ...query});
  return (id === undefined ? `${kind || 'index'}.html` : `${folders[kind]}/${fileName(id)}`) + searchOf(query);
}

/** An address of a view: address('case', id, {engine: 'onnx'}); of the overview address(''). */
export function address(kind, id, query) {
  return document.body.dataset.root + pathOf(kind, id, query);
}
