// SPDX-License-Identifier: Apache-2.0
// The runs of a folder one after the other: what came of each, what changed, and since when what fails.
import {address} from './address.js';
import {count, h, link, row, table} from './dom.js';
import {countsCell} from './parts.js';

function changesText(changes) {
  return changes.map(change => `${change.kind}: ${count(change.count)}` + (change.causes ? ` (${change.causes.join(', ')})` : '')).join('; ');
}

function runRow(model, point, isFirst) {
  const {started, file} = model.history.runs[point.run];
  const said = Object.keys(point.verdicts).length ? countsCell(point.verdicts) : `${point.state}${point.why ? ': ' + point.why : ''}`;
  return row(h('span', {title: file}, point.label, started && !point.label.includes(started) ? h('span', {class: 'soft'}, ' ' + started) : ''), said, isFirst ? '' : changesText(point.changes) || 'nothing');
}

function failureItem(model, failure) {
  const known = model.findingById.get(failure.finding);
  return h('li', {}, known ? link(address('finding', known.id), known.title) : failure.what, h('span', {class: 'soft'}, ` ${failure.operators.join(', ')}`), h('br', {}), failure.since);
}

/** Of one implementation, by its name: its runs and its failures; nothing where no run tells of it. */
export function trend(model, name) {
  const found = model.history?.implementations.find(each => each.name === name);
  if (!found) return undefined;
  return [table(`Runs of ${name}`, ['run', 'executions', 'what changed'], found.runs.map((point, k) => runRow(model, point, k === 0)), {class: 'history'}),
    found.failures.length ? [h('h3', {}, 'Since when it fails'), h('ul', {class: 'plain since'}, found.failures.map(failure => failureItem(model, failure)))] : undefined];
}

/** Of a finding: since when each implementation shows it, in the runs of the folder. */
export function sinceFacts(model, id) {
  return (model.history?.implementations ?? []).flatMap(each => each.failures.filter(failure => failure.finding === id).map(failure =>
    [h('dt', {}, `runs of ${each.name}`), h('dd', {}, failure.since)]));
}

export function historyPage(model) {
  if (!model.history) return undefined;
  const {runs, left_out: leftOut, implementations} = model.history;
  return {
    title: 'From run to run',
    element: h('div', {}, h('h1', {}, 'From run to run'), h('p', {class: 'lead'}, `${count(runs.length, 'whole run')}, in the order ${model.history.history.order === 'time' ? 'in which they began' : 'of the names of their files'}.`),
      implementations.map(each => h('section', {}, h('h2', {}, each.name), trend(model, each.name))),
      leftOut.length ? h('section', {}, h('h2', {}, 'What does not count'), h('ul', {}, leftOut.map(each => h('li', {}, h('code', {}, each.file), ' ' + each.why)))) : undefined),
  };
}
