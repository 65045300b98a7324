// SPDX-License-Identifier: Apache-2.0
// Making elements. What records say is text, never markup, and nothing in it steers the page.

/** Control characters, and those that change the direction of the text around them. */
const unshown = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

export function clean(text) {
  return String(text).replace(unshown, '\ufffd');
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : clean(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : clean(child));
  }
  return element;
}

/** An element: h('a', {href: '#/'}, 'text', other). */
export function h(name, properties, ...children) {
  return fill(document.createElement(name), properties, children);
}

export function s(name, properties, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), properties, children);
}

const grouped = new Intl.NumberFormat('en');

export function count(number, what) {
  return grouped.format(number) + (what ? ' ' + what + (number === 1 ? '' : 's') : '');
}

/** "?engine=onnx" of {engine: 'onnx'}, and nothing of nothing. */
export function searchOf(query) {
  const words = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
  return words.length ? '?' + words.map(([key, value]) => key + '=' + encodeURIComponent(value)).join('&') : '';
}

export function link(to, ...children) {
  return h('a', {href: to}, children);
}

/** A link out of the page; nothing but https is one. */
export function outside(to, ...children) {
  return /^https:\/\//.test(to) ? h('a', {href: to, rel: 'noopener noreferrer', target: '_blank'}, children) : h('span', {}, children);
}

export function copyButton(text, what) {
  const button = h('button', {type: 'button', class: 'copy', 'aria-label': 'Copy ' + what}, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      // Pages that are opened from a disk may have no clipboard: the text is marked in its place.
      const block = button.parentElement.querySelector('code');
      if (block) getSelection().selectAllChildren(block);
      button.textContent = document.execCommand('copy') ? 'Copied' : 'Press Ctrl+C';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  return button;
}

/** A block of code with a button that copies it. */
export function codeBlock(text, what) {
  return h('div', {class: 'block'}, h('pre', {tabindex: '0', role: 'region', 'aria-label': what}, h('code', {}, text)), copyButton(text, what));
}

export function table(caption, head, rows, options = {}) {
  return h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
    h('table', {class: options.class},
      h('caption', {class: options.shown ? undefined : 'unseen'}, caption),
      h('thead', {}, h('tr', {}, head.map(cell => cell instanceof Node && cell.tagName === 'TH' ? cell : h('th', {scope: 'col'}, cell)))),
      h('tbody', {}, rows)));
}

export function row(...cells) {
  return h('tr', {}, cells.map((cell, k) => cell instanceof Node && /^T[DH]$/.test(cell.tagName) ? cell : h(k === 0 ? 'th' : 'td', k === 0 ? {scope: 'row'} : {}, cell)));
}
