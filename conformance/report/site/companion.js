// SPDX-License-Identifier: Apache-2.0
// An operator version as a companion to its specification: each rule with its cases, and who breaks it.
import {count, h} from '../page/dom.js';
import {brokenBy, findingItem, operator, ruleFacts, rulesBroken} from '../page/lists.js';
import {caseLink, ruleReference} from '../page/parts.js';

function ruleEntry(model, rule, {cases, broken}) {
  const number = model.rules.indexOf(rule);
  const findings = model.findings.filter(finding => finding.rules.includes(number));
  return h('section', {id: rule.id, class: 'rule-entry' + (broken.size ? ' is-broken' : '')}, ruleReference(rule), ruleFacts(rule),
    broken.size ? h('p', {}, h('strong', {}, 'Broken by '), brokenBy(rule, broken)) : undefined,
    findings.length ? h('ul', {class: 'plain'}, findings.map(finding => findingItem(model, finding))) : undefined,
    cases.size ? h('details', {}, h('summary', {}, `Its ${count(cases.size, 'case')}`),
      h('ul', {class: 'plain'}, [...cases].map(tested => h('li', {}, caseLink(tested), ' ', tested.title ?? '')))) : undefined);
}

export function companion(model, {id}) {
  return operator(model, {id}, (_, number) => {
    const byRule = rulesBroken(model, model.answers);
    return h('section', {}, h('h2', {}, 'Its rules, with their cases and who breaks them'), model.rules.filter(rule => rule.version === number).map(rule =>
      ruleEntry(model, rule, byRule.get(rule) ?? {cases: new Set(), broken: new Map()})));
  });
}
