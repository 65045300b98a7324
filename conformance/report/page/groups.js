// SPDX-License-Identifier: Apache-2.0
// Failures by cause: what a finding, a reason, a diagnosis or a rule explains of one implementation.
import {isWrong, unexpected} from './data.js';
import {address} from './address.js';

/** What is wrong, as a place among the severities of findings. */
const gravity = new Map([
  ['unsafe memory', 0], ['crash', 1], ['timeout', 2], ['broken', 2], ['wrong value', 3], ['not deterministic', 3],
  ['wrong shape', 4], ['wrong type', 4], ['accepted what must be rejected', 5], ['rejected what must be accepted', 6],
  ['unsupported though claimed', 6], ['wrong error', 7],
]);

export function wordOf(answer) {
  return answer.outcome.wrong || answer.verdict;
}

/** "indices.error" of "onnx.gather-13.indices.error": the same rule of the operator's other versions. */
function ruleKey(rule) {
  return rule.id.split('.').slice(2).join('.');
}

function causeOf(model, answer) {
  const {finding, reason, cause, rules} = answer.outcome;
  const known = model.findingById.get(finding);
  if (known) return {kind: 'finding', id: finding, title: known.title, severity: known.severity, finding: known};
  const severity = gravity.get(wordOf(answer)) ?? 7;
  if (answer.verdict === 'fixed') return {kind: 'fixed', id: reason ?? '', title: 'No failure any more: ' + (reason ?? ''), severity};
  if (reason) return {kind: 'reason', id: reason, title: reason, severity};
  if (cause) return {kind: 'diagnosis', id: cause, title: cause, severity};
  const broken = (rules ?? []).map(number => model.rules[number]);
  const rule = broken.find(each => each.version === answer.version) ?? broken[0];
  const id = wordOf(answer) + (rule ? ': ' + ruleKey(rule) : '');
  return {kind: 'rule', id, title: wordOf(answer) + (rule ? ': ' + rule.statement : ''), severity};
}

/** The smallest call shows most; of a finding the one that was chosen for it. */
function compareExamples(finding, a, b) {
  const chosen = each => Number(finding !== undefined && each.case.id === finding.case && each.version === finding.version);
  const drawn = each => Number(each.case.call !== undefined);
  return chosen(b) - chosen(a) || drawn(b) - drawn(a) || a.case.elements - b.case.elements || b.version - a.version;
}

export function groupsOf(model, answers) {
  const groups = new Map();
  for (const answer of answers) {
    if (!isWrong(answer)) continue;
    const cause = causeOf(model, answer);
    const key = [answer.implementation.number, cause.kind, cause.id].join('\n');
    let group = groups.get(key);
    if (!group) {
      group = {...cause, implementation: answer.implementation, answers: [], executions: 0, cases: new Set(), versions: new Set(),
        unexpected: 0, words: new Set(), example: answer};
      groups.set(key, group);
    }
    group.answers.push(answer);
    group.executions += answer.executions;
    if (unexpected.has(answer.verdict)) group.unexpected += answer.executions;
    group.cases.add(answer.case);
    group.versions.add(answer.version);
    group.words.add(wordOf(answer));
    group.severity = Math.min(group.severity, cause.severity);
    if (compareExamples(group.finding, answer, group.example) < 0) group.example = answer;
  }
  const sorted = [...groups.values()];
  for (const group of sorted) {
    group.address = address('group', group.id, {engine: group.implementation.label, kind: group.kind});
  }
  return sorted;
}

export const orders = {
  gravity: {label: 'gravest first', by: (a, b) => Number(b.unexpected > 0) - Number(a.unexpected > 0) || a.severity - b.severity || b.executions - a.executions},
  count: {label: 'most executions', by: (a, b) => b.executions - a.executions},
  cases: {label: 'most cases', by: (a, b) => b.cases.size - a.cases.size},
  engine: {label: 'engine', by: (a, b) => a.implementation.number - b.implementation.number || a.severity - b.severity},
};
