// SPDX-License-Identifier: Apache-2.0
// Failures by cause, filtered and sorted; the address holds the filter. And one cause with its cases.
import {isWrong, routesOf, unexpected, versionNames} from './data.js';
import {address} from './address.js';
import {count, h, link, row, table} from './dom.js';
import {groupsOf, orders, wordOf} from './groups.js';
import {allGroups} from './overview.js';
import {badge, caseLink, groupItem, reproduction, routeText, ruleReference, severityBadge} from './parts.js';
import {caseFigure, expectedSentence, gotSentence} from './case.js';

const states = [['', 'new and known'], ['new', 'not known'], ['known', 'known failures']];

function distinct(values) {
  return [...new Set(values)].filter(Boolean).sort();
}

/** The fields of the filter: what an answer has of each, and what there is to choose from. */
function fieldsOf(model) {
  const wrong = model.answers.filter(isWrong);
  return [
    {name: 'engine', label: 'Engine', of: answer => [answer.implementation.label], options: model.implementations.map(each => each.label)},
    {name: 'operator', label: 'Operator', of: answer => [model.versions[answer.version].name], options: model.ranVersions.map(version => model.versions[version].name)},
    {name: 'verdict', label: 'What is wrong', of: answer => [wordOf(answer)], options: distinct(wrong.map(wordOf))},
    {name: 'type', label: 'Type of data', of: answer => [answer.case.type], options: distinct(wrong.map(answer => answer.case.type))},
    {name: 'route', label: 'Route', of: answer => routesOf(model, answer.routes), options: distinct(wrong.flatMap(answer => routesOf(model, answer.routes)))},
    {name: 'rule', label: 'Rule', of: answer => rulesNamed(model, answer), options: distinct(wrong.flatMap(answer => rulesNamed(model, answer)))},
  ];
}

function rulesNamed(model, answer) {
  return (answer.outcome.rules ?? answer.case.rules ?? []).map(number => model.rules[number].id);
}

function textOfAnswer(answer) {
  const {reason, detail, cause, finding} = answer.outcome;
  return [answer.case.id, answer.case.title, reason, detail, cause, finding, answer.implementation.label].join(' ').toLowerCase();
}

function chosen(model, fields, query) {
  const words = (query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return model.answers.filter(answer => isWrong(answer) &&
    (query.state !== 'new' || unexpected.has(answer.verdict)) && (query.state !== 'known' || answer.verdict === 'known failure') &&
    fields.every(field => !query[field.name] || field.of(answer).includes(query[field.name])) &&
    words.every(word => textOfAnswer(answer).includes(word)));
}

function select(label, name, value, options, change) {
  const element = h('select', {name, id: 'filter-' + name}, options.map(([key, text]) => h('option', {value: key, selected: key === value}, text)));
  element.addEventListener('change', change);
  return h('div', {class: 'field'}, h('label', {for: 'filter-' + name}, label), element);
}

export function failures(model, {query}) {
  const fields = fieldsOf(model);
  const list = h('ol', {class: 'groups rows'});
  const told = h('p', {role: 'status', class: 'soft'});
  const form = h('form', {class: 'filter', role: 'search', 'aria-label': 'Filter the failures'});
  const show = () => {
    const now = Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
    const answers = chosen(model, fields, now);
    const groups = groupsOf(model, answers).sort((orders[now.sort] ?? orders.gravity).by);
    list.replaceChildren(...groups.map(group => groupItem(model, group)));
    const executions = answers.reduce((sum, answer) => sum + answer.executions, 0);
    told.textContent = groups.length === 0 ? 'Nothing matches.' : `${count(groups.length, 'cause')}, ${count(executions, 'execution')}`;
    return now;
  };
  const change = () => history.replaceState(null, '', address('failures', undefined, show()));
  const text = h('input', {type: 'search', name: 'q', id: 'filter-q', value: query.q ?? '', placeholder: 'case, reason, answer …', 'data-find': true});
  text.addEventListener('input', change);
  form.addEventListener('submit', event => event.preventDefault());
  form.append(h('div', {class: 'field wide'}, h('label', {for: 'filter-q'}, 'Text'), text),
    select('State', 'state', query.state ?? '', states, change),
    ...fields.map(field => select(field.label, field.name, query[field.name] ?? '', [['', 'all'], ...field.options.map(option => [option, option])], change)),
    select('Order', 'sort', query.sort ?? '', [['', orders.gravity.label], ...Object.entries(orders).filter(([key]) => key !== 'gravity').map(([key, {label}]) => [key, label])], change),
    h('div', {class: 'field'}, h('button', {type: 'button', onclick: () => { location.href = address('failures'); }}, 'Clear')));
  show();
  return {title: 'Failures', element: h('div', {}, h('h1', {}, 'Failures by cause'), form, told, list)};
}

const mostCases = 300;

export function group(model, {id, query}) {
  const found = allGroups(model).find(each => each.id === id && each.implementation.label === query.engine && each.kind === query.kind);
  if (!found) return undefined;
  const {example} = found;
  const kinds = {finding: 'finding', reason: 'known failure', fixed: 'known failure that is none any more', diagnosis: 'diagnosis', rule: 'failures of one rule'};
  const finding = found.finding;
  const rules = finding ? finding.rules.map(number => model.rules[number]).filter(rule => rule.version === example.version) :
    (example.outcome.rules ?? []).map(number => model.rules[number]).filter(rule => rule.version === example.version);
  return {
    title: found.title,
    element: h('article', {},
      h('p', {class: 'above'}, severityBadge(model, found), ' ', link(address('engine', found.implementation.label), `${found.implementation.name} ${found.implementation.version}`), ' · ', kinds[found.kind], finding ? [' ', link(address('finding', finding.id), finding.id)] : ''),
      h('h1', {}, found.title),
      finding && finding.statement !== found.title ? h('p', {class: 'lead'}, finding.statement) : undefined,
      h('p', {class: 'soft'}, `${count(found.executions, 'execution')} of ${count(found.cases.size, 'case')}, ${versionNames(model, found.versions)}: ${[...found.words].join(', ')}`),
      h('section', {class: 'example'}, h('h2', {}, 'An example: ', caseLink(example.case, example, model)),
        h('p', {}, example.case.title ?? ''),
        h('dl', {class: 'facts'}, example.case.listed ? undefined : [h('dt', {}, 'expected'), h('dd', {}, expectedSentence(model, example.case, example.version))], h('dt', {}, 'got'), h('dd', {}, gotSentence(example))),
        caseFigure(example.case, example.version, example)),
      rules.length ? h('section', {}, h('h2', {}, rules.length === 1 ? 'The rule' : 'The rules'), rules.map(ruleReference)) : undefined,
      reproduction(model, example),
      h('section', {}, h('h2', {}, 'All of them'), groupTable(model, found))),
  };
}

/** The executions of a cause, those of small calls first. */
export function groupTable(model, each) {
  const answers = [...each.answers].sort((a, b) => a.case.elements - b.case.elements || a.version - b.version);
  return [table(`Executions of ${each.implementation.label}: ${each.title}`, ['case', 'operator version', 'what is wrong', 'routes'],
    answers.slice(0, mostCases).map(answer => row(caseLink(answer.case, answer, model), model.versions[answer.version].name, badge(answer), routeText(model, answer.routes)))),
  answers.length > mostCases ? h('p', {class: 'soft'}, `… and ${count(answers.length - mostCases)} more; the records have them all`) : undefined];
}
