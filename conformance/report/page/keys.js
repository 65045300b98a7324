// SPDX-License-Identifier: Apache-2.0
// The keyboard.
import {address} from './address.js';
import {h} from './dom.js';

const keys = [['/', 'find'], ['j, k', 'next, previous entry'], ['Enter', 'open it'], ['u', 'back'], ['o', 'overview'], ['f', 'failures'], ['?', 'this help']];

export function help() {
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

export function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (typing) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  if (document.querySelector('dialog')) return;
  const actions = {
    '/': () => (document.querySelector('#content [data-find]') ?? document.querySelector('#header input')).focus(),
    j: () => step(1), k: () => step(-1), u: () => history.back(), o: () => { location.href = address(''); }, f: () => { location.href = address('failures'); }, '?': help,
  };
  if (!Object.hasOwn(actions, event.key)) return;
  event.preventDefault();
  actions[event.key]();
}
