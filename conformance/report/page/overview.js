// SPDX-License-Identifier: Apache-2.0
// The first screen: what the run says as a whole, where it says it, and what is gravest.
import {addCounts, unexpected, wrongVerdicts} from './data.js';
import {address} from './address.js';
import {count, h, link} from './dom.js';
import {groupsOf, orders} from './groups.js';
import {changeChips, changeCounts} from './tables.js';
import {bar, chips, groupItem, unexpectedOf} from './parts.js';

const mostGroups = 8;

export function allGroups(model) {
  model.groups ??= groupsOf(model, model.answers).sort(orders.gravity.by);
  return model.groups;
}

function sumOf(countsOf) {
  return countsOf.reduce((sum, counts) => addCounts(sum, counts), {});
}

function hasWrong(counts) {
  return [...wrongVerdicts].some(verdict => counts[verdict]);
}

function failuresAddress(counts, engine, operator) {
  return address('failures', undefined, {engine, operator, state: unexpectedOf(counts) ? 'new' : ''});
}

function cell(model, implementation, version) {
  const counts = model.counts.get(implementation.number + ' ' + version);
  if (!counts) return h('td', {class: 'none'}, h('span', {'aria-label': 'not asked'}, '·'));
  const content = [bar(counts), h('span', {class: 'chips'}, chips(counts))];
  const look = unexpectedOf(counts) ? 'has-new' : counts['known failure'] ? 'has-known' : '';
  return h('td', {class: look}, hasWrong(counts) ? h('a', {href: failuresAddress(counts, implementation.label, model.versions[version].name)}, content) : content);
}

function total(implementation) {
  if (implementation.state && implementation.state !== 'started') {
    return h('span', {class: 'soft'}, implementation.state + (implementation.why ? ': ' + implementation.why : ''));
  }
  return [bar(implementation.counts ?? {}), h('span', {class: 'chips'}, chips(implementation.counts ?? {}))];
}

function wideMatrix(model) {
  return h('div', {class: 'scroll matrix', tabindex: '0', role: 'region', 'aria-label': 'Verdicts by operator version and implementation'},
    h('table', {},
      h('caption', {class: 'unseen'}, 'Executions by operator version and implementation'),
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'operator version'), model.implementations.map(implementation =>
        h('th', {scope: 'col'}, link(address('engine', implementation.label), implementation.name), h('span', {class: 'version'}, implementation.version + (implementation.witness ? ', a witness' : '')))))),
      h('tbody', {},
        h('tr', {class: 'total'}, h('th', {scope: 'row'}, 'all'), model.implementations.map(implementation => h('td', {}, total(implementation)))),
        model.ranVersions.map(version => h('tr', {}, h('th', {scope: 'row'}, link(address('operator', model.versions[version].name), model.versions[version].name)),
          model.implementations.map(implementation => cell(model, implementation, version)))))));
}

/** The same for narrow screens: one implementation after the other. */
function narrowMatrix(model) {
  return h('div', {class: 'stack'}, model.implementations.map(implementation => h('details', {open: unexpectedOf(implementation.counts ?? {}) > 0},
    h('summary', {}, h('strong', {}, implementation.name), ' ', h('span', {class: 'version'}, implementation.version), total(implementation)),
    h('p', {}, link(address('engine', implementation.label), 'More of ' + implementation.name)),
    h('table', {}, h('caption', {class: 'unseen'}, 'Executions of ' + implementation.name + ' by operator version'),
      h('tbody', {}, model.ranVersions.filter(version => model.counts.has(implementation.number + ' ' + version)).map(version =>
        h('tr', {}, h('th', {scope: 'row'}, model.versions[version].name), cell(model, implementation, version))))))));
}

function sentence(model) {
  const all = sumOf(model.implementations.map(each => each.counts ?? {}));
  const executions = Object.values(all).reduce((sum, number) => sum + number, 0);
  const ran = model.implementations.filter(each => each.state === 'started' || !each.state).length;
  return [`${count(executions, 'execution')} on ${count(ran, 'implementation')}, ${count(model.ranVersions.length, 'operator version')}: `,
    h('span', {class: 'chips inline'}, chips(all))];
}

/** What was left out because nobody asked for it. */
function part(model) {
  const parts = model.runs.filter(each => each.part);
  if (parts.length === 0) return undefined;
  const options = [...new Set(parts.map(each => each.part))];
  return h('p', {class: 'soft'}, model.runs.length === 1 ? 'A part of the suite was asked for: ' : `${count(parts.length, 'run')} of ${model.runs.length} asked for a part of the suite: `,
    options.length === 1 ? h('code', {}, options[0]) : link(address('run'), 'which'));
}

/** Which suite and which runs, and when. */
function origin(model) {
  const days = [...new Set(model.runs.map(each => each.started?.slice(0, 10)).filter(Boolean))].sort();
  return h('p', {class: 'soft'}, `Suite ${model.runs[0]?.suite ?? '?'}, `, link(address('run'), count(model.runs.length, 'run')), days.length ? ' of ' + (days.length > 1 ? `${days[0]} to ${days.at(-1)}` : days[0]) : '');
}

/** What a reader must know before any number. */
export function warnings(model) {
  const {partial, lacking} = model.conclusion;
  return [
    partial ? h('p', {class: 'warning', role: 'note'}, 'The run was cut short: these records are partial.') : undefined,
    lacking.map(what => h('p', {class: 'warning', role: 'note'}, 'incomplete: ' + what)),
  ];
}

function listed(model, title, groups, more) {
  if (groups.length === 0) return undefined;
  return h('section', {}, h('h2', {}, title),
    h('ol', {class: 'groups'}, groups.slice(0, mostGroups).map(group => groupItem(model, group))),
    groups.length > mostGroups ? h('p', {}, link(more, `All ${count(groups.length, 'cause')} of them →`)) : undefined);
}

export function overview(model) {
  const groups = allGroups(model);
  const fresh = groups.filter(group => group.unexpected);
  const known = groups.filter(group => !group.unexpected);
  const look = model.conclusion.exit === 0 ? 'pass' : model.conclusion.exit === 1 ? 'fail' : 'known';
  const narrow = matchMedia('(max-width: 46rem)');
  const matrix = h('div', {class: 'holder'}, narrow.matches ? narrowMatrix(model) : wideMatrix(model));
  narrow.addEventListener('change', () => matrix.replaceChildren(narrow.matches ? narrowMatrix(model) : wideMatrix(model)));
  const diagnoses = model.notes.filter(note => note.level === 'diagnosis');
  return {
    title: 'Overview',
    element: h('div', {class: 'overview'},
      h('section', {class: 'verdict ' + look}, h('h1', {}, model.conclusion.text), h('p', {}, sentence(model)), origin(model), part(model), warnings(model),
        diagnoses.map(note => h('p', {class: 'diagnosis'}, h('strong', {}, note.implementation + ': '), note.text))),
      model.changes ? changesSection(model) : undefined,
      // What is broken stands before where.
      listed(model, 'What fails and is not known', fresh, address('failures', undefined, {state: 'new'})),
      fresh.length ? undefined : listed(model, 'The gravest known failures', known, address('failures', undefined, {state: 'known'})),
      h('section', {}, h('h2', {}, 'Where'), matrix),
      fresh.length ? listed(model, 'Known failures, the gravest', known, address('failures', undefined, {state: 'known'})) : undefined),
  };
}

function changesSection(model) {
  const counts = changeCounts(model);
  return h('section', {}, h('h2', {}, 'What changed'), h('p', {}, `Since the run of ${model.changes.before.started}: `, counts.size ? changeChips(counts) : 'nothing', ' ', link(address('changes'), 'All of it →')));
}
