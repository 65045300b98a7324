// SPDX-License-Identifier: Apache-2.0
// A page of a site: the view that its file is of, in place of the text that stands there for whom runs no scripts.
import {address, knowRules} from './address.js';
import {companion} from './companion.js';
import {casePage} from '../page/case.js';
import {prepared} from '../page/data.js';
import {h, link} from '../page/dom.js';
import {failures, group} from '../page/failures.js';
import {help, pressed} from '../page/keys.js';
import {cases, clarification, clarifications, engine, finding, findings, search} from '../page/lists.js';
import {overview, warnings} from '../page/overview.js';
import {historyPage} from '../page/history.js';
import {policy, run, specifications} from '../page/tables.js';

const views = {
  index: overview, failures, cause: group, case: casePage, cases, engine, operator: companion, findings, finding, clarifications, clarification,
  policy, specifications, history: historyPage, run, search,
};

function start() {
  const {view, id} = document.body.dataset;
  // Files that several pages share have added their members; what is the page's own stands in it.
  const model = prepared({...globalThis.gathercheckData, ...JSON.parse(document.getElementById('data')?.textContent ?? '{}')});
  knowRules(model);
  const query = Object.fromEntries(new URLSearchParams(location.search));
  const made = views[view](model, {id: id || query.id, query}) ??
    {element: h('div', {}, h('h1', {}, 'Nothing has this address'), h('p', {}, link(address(''), 'To the overview')))};
  document.getElementById('content').replaceChildren(...(view === 'index' ? [] : warnings(model)).flat().filter(Boolean), made.element);
  if (query.q) document.querySelector('#header input').value = query.q;
  document.querySelector('#footer p').append(' · ', h('button', {type: 'button', class: 'plain', onclick: help}, 'keys'));
  addEventListener('keydown', pressed);
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

start();
