// SPDX-License-Identifier: Apache-2.0
// What several views share.
import {address} from './address.js';
import {codeBlock, count, h, link, outside} from './dom.js';
import {repeatLine, routesOf, unexpected, verdicts, versionNames} from './data.js';
import {shapeText} from './figure.js';
import {wordOf} from './groups.js';

/** "3 fail", "12 known", "1,240 pass": every count that is not zero, the gravest first. */
export function chips(counts) {
  return [...verdicts].filter(([verdict]) => counts[verdict]).map(([verdict, {word, look}]) =>
    h('span', {class: 'chip ' + look}, h('b', {}, count(counts[verdict])), ' ' + word));
}

/** The same as a bar; for whom sees it, the numbers stand beside it. */
export function bar(counts) {
  return h('span', {class: 'proportions', 'aria-hidden': 'true'}, [...verdicts].filter(([verdict]) => counts[verdict]).map(([verdict, {look}]) =>
    h('span', {class: look, style: `flex-grow:${counts[verdict]}`})));
}

/** Counts as a cell of a table. */
export function countsCell(counts) {
  return h('td', {}, bar(counts), h('span', {class: 'chips'}, chips(counts)));
}

export function badge(answer) {
  const known = verdicts.get(answer.verdict);
  const word = answer.verdict === 'known failure' ? 'known: ' + wordOf(answer) : answer.verdict === 'unspecified' && answer.outcome.class ? 'unspecified: ' + answer.outcome.class : wordOf(answer);
  return h('span', {class: 'badge ' + known.look}, word);
}

export function severityBadge(model, group) {
  return h('span', {class: 'severity s' + Math.min(group.severity, 5)}, model.severities[group.severity] ?? '');
}

/** The reference to a rule: its sentence, its place, and the page where that stands. */
export function ruleReference(rule) {
  return h('div', {class: 'rule'},
    h('p', {}, link(address('rule', rule.id), h('code', {}, rule.id)), ' ', rule.statement),
    h('p', {class: 'soft'}, rule.level + ': ' + rule.meaning + '. ',
      (rule.places ?? []).map((place, k) => [k ? '; ' : '', place.address ? outside(place.address, `${place.document}, ${place.section} ↗`) : `${place.document}, ${place.section}`])));
}

export function groupItem(model, group, options = {}) {
  return h('li', {class: 'group' + (group.unexpected ? ' unexpected' : '')},
    h('a', {href: group.address, class: 'item'},
      h('span', {class: 'top'}, severityBadge(model, group),
        options.without === 'engine' ? undefined : h('span', {class: 'engine'}, group.implementation.label),
        group.unexpected ? h('span', {class: 'badge fail'}, 'not known') : h('span', {class: 'badge known'}, 'known')),
      h('span', {class: 'title'}, group.title),
      h('span', {class: 'soft'}, `${versionNames(model, group.versions)} · ${count(group.cases.size, 'case')} · ${count(group.executions, 'execution')}`)));
}

export function caseLink(tested, answer, model) {
  return link(address('case', tested.id, answer ? {operator: model.versions[answer.version].name, engine: answer.implementation.label} : {}), h('code', {}, tested.id));
}

export function routeText(model, mask, all) {
  const routes = routesOf(model, mask);
  return routes.length > 1 && routes.length === all ? 'every route' : routes.join(', ');
}

/** What makes a failure again: a program in the engine's own API where there is one, and the line of the command. */
export function reproduction(model, answer) {
  const finding = model.findingById.get(answer.outcome.finding);
  const program = answer.outcome.program ?? finding?.program;
  const name = answer.outcome.program ? answer.outcome.reproducer : finding?.reproducer;
  const line = repeatLine(model, answer);
  if (!program && !line) return undefined;
  return h('section', {class: 'reproduce'}, h('h2', {}, 'Reproduce'),
    program ? [h('p', {}, 'In the engine’s own API, ', h('code', {}, name), answer.outcome.program ? '' : [', which shows ', link(address('finding', finding.id), finding.id)], ':'), codeBlock(program, 'reproducer')] : undefined,
    !program && answer.outcome.reproducer ? h('p', {}, 'Reproducer: ', h('code', {}, answer.outcome.reproducer)) : undefined,
    line ? [h('p', {}, 'This execution alone:'), codeBlock(line, 'command')] : undefined,
    h('p', {}, 'Why the case expects what it does, and what other specifications say of the call:'),
    codeBlock(`gathercheck explain '${answer.case.id}' --for ${model.versions[answer.version].name}\ngathercheck compare '${answer.case.id}'`, 'commands'));
}

export function answerText(answer) {
  const one = each => {
    if (each.shape !== undefined || each.type !== undefined) {
      const elements = each.first ? ' = ' + each.first.slice(0, 12).join(', ') + (each.first.length > 12 ? ', …' : '') : '';
      return `${each.type} ${shapeText(each.shape)}${elements}` + (each.differing ? `; ${count(each.differing, 'element')} differ` + (each.differing === 1 ? 's' : '') : '');
    }
    if (each.message !== undefined || each.phase !== undefined || each.error !== undefined) {
      return 'rejected' + (each.phase ? ' at ' + each.phase : '') + (each.error ? ` (${each.error})` : '') + (each.message ? ': ' + each.message : '');
    }
    return each.text ?? '';
  };
  return (answer.outcome.got ?? []).map(one).filter(Boolean).join('; then ');
}

export function alternativeText(alternative) {
  if (alternative.error) return `the error ${alternative.error}` + (alternative.phase ? ` in phase ${alternative.phase}` : '');
  return `${alternative.type} ${shapeText(alternative.shape)}` + (alternative.first ? ' = ' + alternative.first.slice(0, 16).join(', ') + (alternative.first.length > 16 ? ', …' : '') : alternative.sha256 ? ` with the SHA-256 ${alternative.sha256}` : '');
}

export function unexpectedOf(counts) {
  let sum = 0;
  for (const verdict of unexpected) sum += counts[verdict] ?? 0;
  return sum;
}
