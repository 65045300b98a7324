// SPDX-License-Identifier: Apache-2.0
// One case: the call, what is expected and why, and what every implementation answered.
import {expectationOf, isWrong, rulesOf} from './data.js';
import {address} from './address.js';
import {codeBlock, copyButton, h, link, row, table} from './dom.js';
import {callFigure} from './figure.js';
import {alternativeText, answerText, badge, reproduction, routeText, ruleReference} from './parts.js';

function gotOf(answer) {
  return answer?.outcome.got?.find(each => each.first) ?? answer?.outcome.got?.find(each => each.shape);
}

export function caseFigure(tested, version, answer) {
  if (!tested.call?.inputs) return undefined;
  const expect = expectationOf(tested, version);
  const wanted = expect?.alternatives?.find(alternative => alternative.shape);
  return callFigure({call: tested.call, expect, wanted, got: gotOf(answer), gotTitle: answer ? `got from ${answer.implementation.name}` : ''});
}

export function expectedSentence(model, tested, version) {
  const expect = expectationOf(tested, version);
  if (!expect) return 'The case is not in the suite of this command.';
  if (expect.unspecified) return `Nothing: no sentence decides. ${expect.unspecified}`;
  if (expect.too_large) return 'An output that is too large to be shown; gathercheck explain tells of it.';
  return (expect.alternatives ?? []).map((alternative, k) => [k ? ', or ' : '', h('code', {}, alternativeText(alternative))]);
}

export function gotSentence(answer) {
  const {detail} = answer.outcome;
  const structured = answerText(answer);
  return [structured ? h('code', {}, structured) : detail ? h('span', {class: 'words'}, detail) : answer.verdict === 'pass' ? 'what is expected' : answer.outcome.outcome ?? answer.verdict,
    structured && detail && !['value', 'descriptor', 'rejected'].includes(answer.outcome.outcome) ? h('span', {class: 'words soft'}, detail) : undefined];
}

function attributesOf(tested) {
  const words = (tested.call.attributes ?? []).map(([name, value]) => `${name} = ${value}`);
  if (tested.call.axis !== undefined) words.unshift(`axis = ${tested.call.axis}`);
  return words;
}

function answerRows(model, answers) {
  return answers.map(answer => row(
    link(address('engine', answer.implementation.label), answer.implementation.label),
    badge(answer),
    h('td', {class: 'said'}, gotSentence(answer), answer.outcome.reason ? h('span', {class: 'words soft'}, answer.outcome.finding && model.findingById.has(answer.outcome.finding) ?
      ['known: ', link(address('finding', answer.outcome.finding), answer.outcome.reason)] : 'known: ' + answer.outcome.reason) : undefined),
    routeText(model, answer.routes)));
}

export function casePage(model, {id, query}) {
  const tested = model.caseById.get(id);
  if (!tested) return undefined;
  const asked = [...new Set(tested.answers.map(answer => answer.version))].sort((a, b) => a - b);
  const wrong = tested.answers.filter(isWrong);
  const wanted = model.versionByName.get(query.operator);
  const version = asked.includes(wanted) ? wanted : wrong.find(answer => answer.implementation.label === query.engine)?.version ?? wrong[0]?.version ?? asked[0];
  const here = tested.answers.filter(answer => answer.version === version).sort((a, b) => Number(isWrong(b)) - Number(isWrong(a)) || a.implementation.number - b.implementation.number);
  const shown = here.find(answer => answer.implementation.label === query.engine && isWrong(answer)) ?? here.find(isWrong);
  const rules = rulesOf(model, tested, version);
  const expect = expectationOf(tested, version);
  const name = model.versions[version].name;
  const links = asked.map(each => h('a', {href: address('case', id, {operator: model.versions[each].name, engine: query.engine}), 'aria-current': each === version ? 'true' : undefined,
    class: wrong.some(answer => answer.version === each) ? 'has-wrong' : undefined}, model.versions[each].name));
  const written = tested.written ?? id;
  const alike = tested.sweep ? [] : model.cases.filter(each => each !== tested && (each.written ?? each.id) === written);
  const others = wrong.filter(answer => answer.version === version && answer !== shown);
  return {
    title: tested.title ? `${tested.title} (${id})` : id,
    element: h('article', {class: 'case'},
      h('p', {class: 'above'}, 'case ', h('code', {}, id), ' ', copyButton(id, 'the id of the case')),
      h('h1', {}, tested.title || id),
      tested.why ? h('p', {class: 'lead'}, tested.why) : undefined,
      tested.changed || (!model.same_suite && tested.call) ? h('p', {class: 'warning', role: 'note'}, tested.changed ? 'The case was changed since these records were made; it is drawn as the suite of this command has it.' :
        'These records are of another suite than this command has; the case is drawn as the suite of the command has it.') : undefined,
      h('nav', {class: 'tabs', 'aria-label': 'Operator versions'}, links),
      h('section', {},
        h('h2', {}, 'The call'),
        tested.call ? h('p', {class: 'soft'}, [name, ...attributesOf(tested)].join(', '), tested.call.after ? `, after the calls of ${tested.call.after.join(', ')} of the same model` : '') : undefined,
        h('dl', {class: 'facts'}, h('dt', {}, 'expected'), h('dd', {}, expectedSentence(model, tested, version)),
          shown ? [h('dt', {}, `${shown.implementation.name}`), h('dd', {}, badge(shown), ' ', gotSentence(shown))] : undefined,
          others.length ? [h('dt', {}, 'beside it'), h('dd', {}, others.map((answer, k) => [k ? ', ' : '', link(address('case', id, {operator: name, engine: answer.implementation.label}), `what ${answer.implementation.label} gave`)]))] : undefined),
        caseFigure(tested, version, shown)),
      rules.length ? h('section', {}, h('h2', {}, 'Why: ' + (rules.length === 1 ? 'the rule' : 'the rules')), rules.map(ruleReference),
        expect?.derived ? h('p', {class: 'soft'}, 'Nobody has written this expectation: the dialect and its equation say so.') : undefined,
        h('details', {}, h('summary', {}, 'The equations of ' + name), h('pre', {tabindex: '0'}, h('code', {}, model.versions[version].equations.join('\n'))))) : undefined,
      tested.clarifications ? h('section', {}, h('h2', {}, 'Open points'), h('ul', {}, tested.clarifications.map(each => h('li', {}, link(address('clarification', each), model.clarificationById.get(each)?.title ?? each))))) : undefined,
      shown ? reproduction(model, shown) : h('section', {class: 'reproduce'}, h('h2', {}, 'Reproduce'), codeBlock(`gathercheck explain '${id}' --for ${name}\ngathercheck compare '${id}'`, 'commands')),
      h('section', {id: 'answers'}, h('h2', {}, 'What every implementation answered'), here.length ? table(`Answers to ${id} of ${name}`, ['implementation', 'verdict', 'answer', 'routes'], answerRows(model, here)) : undefined),
      alike.length ? h('section', {}, h('h2', {}, 'The same call in other element types'), h('ul', {class: 'plain'}, alike.map(each => h('li', {}, link(address('case', each.id, {operator: name}), h('code', {}, each.id)), ' ',
        h('span', {class: 'soft'}, [...new Set(each.answers.map(answer => answer.implementation.label))].join(', ')))))) : undefined),
  };
}
