// SPDX-License-Identifier: Apache-2.0
// The page of a report: its views by their addresses, and its head.
import {address} from './address.js';
import {clean, h, link} from './dom.js';
import {load} from './data.js';
import {help, pressed} from './keys.js';
import {overview, warnings} from './overview.js';
import {failures, group} from './failures.js';
import {casePage} from './case.js';
import {cases, clarification, clarifications, engine, finding, findings, operator, rule, rules, search} from './lists.js';
import {historyPage} from './history.js';
import {bench, changes, policy, run, specifications} from './tables.js';

const views = {
  '': overview, failures, group, case: casePage, cases, engine, operator, findings, finding, rules, rule, clarifications, clarification,
  policy, specifications, bench, changes, history: historyPage, run, search,
};

/** Of "#/case/ID?engine=onnx" the view, the id and the query. */
function parsed(hash) {
  const [path, search] = hash.replace(/^#\/?/, '').split('?');
  const [view, ...id] = path.split('/');
  const decoded = text => { try { return decodeURIComponent(text); } catch { return text; } };
  const query = Object.fromEntries((search ?? '').split('&').filter(Boolean).map(word => {
    const [key, ...value] = word.split('=');
    return [key, decoded(value.join('='))];
  }));
  return {view, id: id.length ? decoded(id.join('/')) : undefined, query};
}

function navigation(model) {
  const entries = [['', 'Overview'], ['failures', 'Failures'], ['findings', 'Findings'], ['cases', 'Cases'], ['rules', 'Rules'], ['policy', 'Out of bounds'], ['specifications', 'Specifications'],
    ['clarifications', 'Open points'], model.bench ? ['bench', 'Speed'] : undefined, model.changes ? ['changes', 'Changes'] : undefined, model.history ? ['history', 'History'] : undefined, ['run', 'Provenance']].filter(Boolean);
  return h('nav', {'aria-label': 'Views'}, entries.map(([view, label]) => h('a', {href: address(view), 'data-view': view}, label)));
}

const parents = {group: 'failures', case: 'cases', finding: 'findings', rule: 'rules', clarification: 'clarifications', operator: 'specifications', engine: ''};

function show(model, isFirst) {
  const {view, id, query} = parsed(location.hash);
  const made = (Object.hasOwn(views, view) ? views[view] : undefined)?.(model, {id, query}) ??
    {title: 'Not found', element: h('div', {}, h('h1', {}, 'Nothing has this address'), h('p', {}, clean(decodeURI(location.hash.replace(/%(?![0-9a-f]{2})/gi, '%25')))), h('p', {}, link(address(''), 'To the overview')))};
  const content = document.getElementById('content');
  content.replaceChildren(...(view === '' ? [] : warnings(model)).flat().filter(Boolean), made.element);
  document.title = `${clean(made.title)} · gathercheck: ${clean(model.conclusion.text)}`;
  const current = parents[view] ?? view;
  for (const each of document.querySelectorAll('#header nav a')) {
    if (each.dataset.view === current) each.setAttribute('aria-current', 'page');
    else each.removeAttribute('aria-current');
  }
  if (!isFirst) {
    scrollTo(0, 0);
    content.focus({preventScroll: true});
  }
}

async function start() {
  const model = await load();
  const input = h('input', {type: 'search', name: 'q', 'aria-label': 'Search everything', placeholder: 'Search  /'});
  const form = h('form', {role: 'search', 'aria-label': 'Search everything'}, input);
  form.addEventListener('submit', event => {
    event.preventDefault();
    location.href = address('search', undefined, {q: input.value});
  });
  document.getElementById('header').append(h('a', {class: 'name', href: address('')}, 'gathercheck'), navigation(model), form);
  document.getElementById('footer').append(h('p', {}, `gathercheck ${model.runs[0]?.tool ?? ''}, suite ${model.runs[0]?.suite ?? ''} · `, link(address('run'), 'where it comes from'), ' · ', h('button', {type: 'button', class: 'plain', onclick: help}, 'keys')));
  addEventListener('hashchange', () => show(model, false));
  addEventListener('keydown', pressed);
  // Skipping to the content is no address of a view.
  document.querySelector('.skip').addEventListener('click', event => { event.preventDefault(); document.getElementById('content').focus(); });
  show(model, true);
}

start().catch(error => {
  document.getElementById('content').replaceChildren(h('p', {class: 'warning', role: 'alert'}, `The records could not be read: ${error.message}. The page needs a browser of 2023 or newer.`));
  throw error;
});
