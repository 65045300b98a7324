// SPDX-License-Identifier: Apache-2.0
// Addresses, the head of the page, and the keyboard.
import {address, clean, h, link} from './dom.js';
import {load} from './data.js';
import {overview, warnings} from './overview.js';
import {failures, group} from './failures.js';
import {casePage} from './case.js';
import {cases, clarification, clarifications, engine, finding, findings, operator, rule, rules, search} from './lists.js';
import {bench, changes, policy, run, specifications} from './tables.js';

const views = {
  '': overview, failures, group, case: casePage, cases, engine, operator, findings, finding, rules, rule, clarifications, clarification,
  policy, specifications, bench, changes, run, search,
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
    ['clarifications', 'Open points'], model.bench ? ['bench', 'Speed'] : undefined, model.changes ? ['changes', 'Changes'] : undefined, ['run', 'Provenance']].filter(Boolean);
  return h('nav', {'aria-label': 'Views'}, entries.map(([view, label]) => h('a', {href: '#/' + view, 'data-view': view}, label)));
}

const parents = {group: 'failures', case: 'cases', finding: 'findings', rule: 'rules', clarification: 'clarifications', operator: 'specifications', engine: ''};

function show(model, isFirst) {
  const {view, id, query} = parsed(location.hash);
  const made = (Object.hasOwn(views, view) ? views[view] : undefined)?.(model, {id, query}) ??
    {title: 'Not found', element: h('div', {}, h('h1', {}, 'Nothing has this address'), h('p', {}, clean(decodeURI(location.hash.replace(/%(?![0-9a-f]{2})/gi, '%25')))), h('p', {}, link('#/', 'To the overview')))};
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

const keys = [['/', 'find'], ['j, k', 'next, previous entry'], ['Enter', 'open it'], ['u', 'back'], ['o', 'overview'], ['f', 'failures'], ['?', 'this help']];

function help() {
  const dialog = h('dialog', {'aria-labelledby': 'help-title'}, h('h2', {id: 'help-title'}, 'Keys'), h('dl', {class: 'facts'}, keys.map(([key, what]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)])),
    h('form', {method: 'dialog'}, h('button', {}, 'Close')));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function step(by) {
  const items = [...document.querySelectorAll('#content a.item, #content tbody tr > :first-child a')];
  if (items.length === 0) return;
  const at = items.indexOf(document.activeElement);
  items[Math.min(Math.max(at < 0 && by < 0 ? 0 : at + by, 0), items.length - 1)].focus();
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (typing) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  if (document.querySelector('dialog')) return;
  const actions = {
    '/': () => (document.querySelector('#content [data-find]') ?? document.querySelector('#header input')).focus(),
    j: () => step(1), k: () => step(-1), u: () => history.back(), o: () => { location.hash = '#/'; }, f: () => { location.hash = '#/failures'; }, '?': help,
  };
  if (!Object.hasOwn(actions, event.key)) return;
  event.preventDefault();
  actions[event.key]();
}

async function start() {
  const model = await load();
  const input = h('input', {type: 'search', name: 'q', 'aria-label': 'Search everything', placeholder: 'Search  /'});
  const form = h('form', {role: 'search', 'aria-label': 'Search everything'}, input);
  form.addEventListener('submit', event => {
    event.preventDefault();
    location.hash = address('search', undefined, {q: input.value});
  });
  document.getElementById('header').append(h('a', {class: 'name', href: '#/'}, 'gathercheck'), navigation(model), form);
  document.getElementById('footer').append(h('p', {}, `gathercheck ${model.runs[0]?.tool ?? ''}, suite ${model.runs[0]?.suite ?? ''} · `, link('#/run', 'where it comes from'), ' · ', h('button', {type: 'button', class: 'plain', onclick: help}, 'keys')));
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
