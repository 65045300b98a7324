// SPDX-License-Identifier: Apache-2.0
// Engines, operator versions, findings, rules, cases, open points, and the search over all of them.
import {addCounts, isWrong, versionNames} from './data.js';
import {address} from './address.js';
import {codeBlock, copyButton, count, h, link, outside, row, table} from './dom.js';
import {caseFigure} from './case.js';
import {groupTable} from './failures.js';
import {allGroups} from './overview.js';
import {sinceFacts, trend} from './history.js';
import {badge, caseLink, countsCell, groupItem, ruleReference, severityBadge} from './parts.js';

function countsOf(answers) {
  return answers.reduce((sum, answer) => addCounts(sum, {[answer.verdict]: answer.executions}), {});
}

export function engine(model, {id}) {
  const found = model.implementations.find(each => each.label === id);
  if (!found) return undefined;
  const groups = allGroups(model).filter(each => each.implementation === found);
  const notes = model.notes.filter(note => note.implementation === found.name);
  const runs = trend(model, found.name);
  const remarks = notes.filter(note => note.level !== 'diagnosis');
  const facts = [['version', found.version], ['language', found.language], ['device', found.device], ['state', found.state && found.state !== 'started' ? `${found.state}: ${found.why ?? ''}` : ''],
    ['known failures', found.known_failures], ['promises', found.witness ? 'none of the specifications: what it does differently is no failure' : ''], ['not run', found.stopped]];
  return {
    title: `${found.name} ${found.version}`,
    element: h('article', {},
      h('p', {class: 'above'}, found.witness ? 'witness' : 'implementation'),
      h('h1', {}, `${found.name} ${found.version}`),
      h('dl', {class: 'facts'}, facts.filter(([, value]) => value).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
      notes.filter(note => note.level === 'diagnosis').map(note => h('p', {class: 'diagnosis'}, h('strong', {}, 'diagnosis: '), note.text)),
      h('section', {}, h('h2', {}, 'Executions'), table(`Executions of ${found.name} by operator version`, ['operator version', 'executions'],
        model.ranVersions.filter(version => model.counts.has(found.number + ' ' + version)).map(version => row(link(address('operator', model.versions[version].name), model.versions[version].name), countsCell(model.counts.get(found.number + ' ' + version)))))),
      groups.length ? h('section', {}, h('h2', {}, 'What fails, by cause'), h('ol', {class: 'groups'}, groups.map(each => groupItem(model, each, {without: 'engine'})))) : h('p', {}, 'Nothing fails.'),
      openCalls(model, found),
      runs ? h('section', {}, h('h2', {}, 'From run to run'), runs) : undefined,
      remarks.length ? h('section', {}, h('h2', {}, 'Notes'), h('ul', {}, remarks.map(note => h('li', {}, h('strong', {}, note.level + ': '), note.text)))) : undefined,
      found.unclaimed ? h('section', {}, h('h2', {}, 'Not implemented, not claimed'), h('p', {class: 'soft'}, 'What the specifications allow and was not asked. It is no failure.'),
        table('What is not claimed', ['operators', 'element types', 'what is said'], found.unclaimed.map(each => row(each.operators, each.types, each.why ? 'not implemented: ' + each.why : 'not claimed')))) : undefined),
  };
}

/** What an implementation did where no sentence decides. */
function openCalls(model, implementation) {
  const classes = new Map();
  for (const answer of model.answers) {
    if (answer.implementation !== implementation || answer.verdict !== 'unspecified') continue;
    const key = answer.version;
    if (!classes.has(key)) classes.set(key, {});
    addCounts(classes.get(key), {[answer.outcome.class || 'value']: answer.executions});
  }
  if (classes.size === 0) return undefined;
  return h('section', {}, h('h2', {}, 'Where nothing is specified'), h('p', {class: 'soft'}, 'No sentence decides these calls of the hand-written cases: what was done is classified, and is no failure.'),
    table('What was done where nothing is specified', ['operator version', 'what it did'], [...classes].sort(([a], [b]) => a - b).map(([version, each]) =>
      row(model.versions[version].name, Object.entries(each).sort((a, b) => b[1] - a[1]).map(([word, number]) => `${word} ${count(number)}`).join(', ')))));
}

/** What an operator version is, who was asked, and its rules in the form that is given. */
export function operator(model, {id}, rulesSection = rulesTable) {
  const number = model.versionByName.get(id);
  if (number === undefined) return undefined;
  const version = model.versions[number];
  const facts = [['negative indices', version.negative], ['index outside its range', version.outside], ['axis', version.axis], ['batch_dims', version.batch_dims], ['types of indices', version.index_types]];
  const ran = model.implementations.filter(each => model.counts.has(each.number + ' ' + number));
  return {
    title: id,
    element: h('article', {}, h('p', {class: 'above'}, 'operator version'), h('h1', {}, id),
      h('dl', {class: 'facts'}, facts.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
      h('details', {}, h('summary', {}, 'Its equations'), h('pre', {tabindex: '0'}, h('code', {}, version.equations.join('\n')))),
      ran.length ? h('section', {}, h('h2', {}, 'Who was asked'), table('Executions of ' + id, ['implementation', 'executions'], ran.map(each => row(link(address('engine', each.label), each.label), countsCell(model.counts.get(each.number + ' ' + number)))))) : undefined,
      rulesSection(model, number)),
  };
}

function rulesTable(model, number) {
  const byRule = rulesBroken(model, model.answers.filter(answer => answer.version === number));
  return h('section', {}, h('h2', {}, 'Its rules, and who breaks them'), ruleTable(model, model.rules.filter(rule => rule.version === number), byRule));
}

/** By rule: which cases of the page name it, and the failures that break it, by implementation. */
export function rulesBroken(model, answers) {
  const byRule = new Map();
  const of = rule => {
    if (!byRule.has(rule)) byRule.set(rule, {cases: new Set(), broken: new Map()});
    return byRule.get(rule);
  };
  for (const answer of answers) {
    for (const number of answer.case.rules ?? []) {
      if (model.rules[number].version === answer.version) of(model.rules[number]).cases.add(answer.case);
    }
    if (!isWrong(answer)) continue;
    for (const number of answer.outcome.rules ?? []) {
      const {broken} = of(model.rules[number]);
      if (model.rules[number].version === answer.version) broken.set(answer.implementation, (broken.get(answer.implementation) ?? 0) + answer.executions);
    }
  }
  return byRule;
}

function ruleTable(model, rules, byRule) {
  return table('Rules of ' + model.versions[rules[0].version].name, ['rule', 'what it says', 'level', 'cases', 'broken by'], rules.map(rule => {
    const {cases, broken} = byRule.get(rule) ?? {cases: new Set(), broken: new Map()};
    return row(link(address('rule', rule.id), h('code', {}, rule.id)), rule.statement, rule.level,
      h('td', {class: 'number'}, cases.size ? count(cases.size) : rule.untestable ? 'untestable' : h('span', {class: 'soft'}, '0')),
      brokenBy(rule, broken));
  }), {class: 'rules'});
}

export function brokenBy(rule, broken) {
  return [...broken].map(([implementation, number], k) => [k ? ', ' : '', link(address('failures', undefined, {engine: implementation.label, rule: rule.id}), `${implementation.label} ${count(number)}`)]);
}

/** What a rule has besides its sentence. */
export function ruleFacts(found) {
  return [found.none ? h('p', {}, 'It has no sentence of its own: ' + found.none) : undefined,
    h('dl', {class: 'facts'}, [['a case that keeps it shows', found.kept], ['a case that breaks it shows', found.broken], ['untestable', found.untestable]].filter(([, value]) => value).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]))];
}

export function findingItem(model, finding) {
  return h('li', {}, severityBadge(model, finding), ' ', link(address('finding', finding.id), finding.title), h('span', {class: 'soft'}, ' ' + finding.engine));
}

export function rules(model) {
  const byRule = rulesBroken(model, model.answers);
  const named = model.rules.filter(rule => byRule.get(rule)?.cases.size);
  const broken = model.rules.filter(rule => byRule.get(rule)?.broken.size);
  return {
    title: 'Rules',
    element: h('div', {}, h('h1', {}, 'Rules and what covers them'),
      h('p', {}, `${count(model.rules.length, 'rule')}: ${count(named.length)} are named by hand-written or failing cases of these records, ${count(broken.length)} are broken by some implementation. `,
        h('span', {class: 'soft'}, 'Rules of operator versions that nobody here was asked of have no cases; gathercheck coverage tells which of the suite cover them.')),
      model.ranVersions.map(version => h('section', {}, h('h2', {}, link(address('operator', model.versions[version].name), model.versions[version].name)),
        ruleTable(model, model.rules.filter(rule => rule.version === version), byRule)))),
  };
}

const mostAnswers = 200;

export function rule(model, {id}) {
  const found = model.ruleById.get(id);
  if (!found) return undefined;
  const number = model.rules.indexOf(found);
  const answers = model.answers.filter(answer => answer.version === found.version && (answer.case.rules ?? []).includes(number));
  const cases = [...new Set(answers.map(answer => answer.case))];
  const breaking = model.answers.filter(answer => isWrong(answer) && (answer.outcome.rules ?? []).includes(number) && answer.version === found.version);
  const findings = model.findings.filter(finding => finding.rules.includes(number));
  return {
    title: found.id,
    element: h('article', {}, h('p', {class: 'above'}, 'rule of ', link(address('operator', model.versions[found.version].name), model.versions[found.version].name), ' ', copyButton(id, 'the id of the rule')),
      h('h1', {}, found.statement), ruleReference(found),
      ruleFacts(found),
      findings.length ? h('section', {}, h('h2', {}, 'Findings that break it'), h('ul', {}, findings.map(finding => findingItem(model, finding)))) : undefined,
      breaking.length ? h('section', {}, h('h2', {}, 'Executions that break it'), table('Executions that break it', ['case', 'implementation', 'what is wrong'], breaking.slice(0, mostAnswers).map(answer => row(caseLink(answer.case, answer, model), answer.implementation.label, badge(answer)))),
        breaking.length > mostAnswers ? h('p', {class: 'soft'}, `… and ${count(breaking.length - mostAnswers)} more`) : undefined) : undefined,
      h('section', {}, h('h2', {}, `Cases that name it: ${count(cases.length)}`), table('Cases that name the rule', ['case', 'what it shows', 'executions'], cases.map(tested =>
        row(caseLink(tested), tested.title ?? '', countsCell(countsOf(answers.filter(answer => answer.case === tested)))))))),
  };
}

export function findings(model) {
  const sorted = [...model.findings].sort((a, b) => a.severity - b.severity || (a.engine < b.engine ? -1 : 1));
  const shown = new Map();
  for (const answer of model.answers) if (answer.outcome.finding) shown.set(answer.outcome.finding, (shown.get(answer.outcome.finding) ?? 0) + answer.executions);
  return {
    title: 'Findings',
    element: h('div', {}, h('h1', {}, 'Findings of the engines that ran'), h('p', {class: 'soft'}, 'Each bug once, with the sentence that it breaks and a program that shows it.'),
      table('Findings', ['severity', 'engine', 'what it does', 'executions here'], sorted.map(finding => row(severityBadge(model, finding), finding.engine, link(address('finding', finding.id), finding.title), h('td', {class: 'number'}, count(shown.get(finding.id) ?? 0)))))),
  };
}

export function finding(model, {id}) {
  const found = model.findingById.get(id);
  if (!found) return undefined;
  const groups = allGroups(model).filter(each => each.finding === found);
  const tested = model.caseById.get(found.case);
  const version = model.versions[found.version].name;
  return {
    title: found.title,
    element: h('article', {}, h('p', {class: 'above'}, severityBadge(model, found), ` finding of ${found.engine}, seen in `, found.first === found.last ? found.first : `${found.first} to ${found.last} `, ' ', copyButton(id, 'the id of the finding')),
      h('h1', {}, found.title), found.statement === found.title ? undefined : h('p', {class: 'lead'}, found.statement), found.note ? h('p', {}, found.note) : undefined,
      h('dl', {class: 'facts'}, h('dt', {}, 'a small call'), h('dd', {}, tested ? link(address('case', found.case, {operator: version, engine: groups[0]?.implementation.label}), h('code', {}, found.case)) : h('code', {}, found.case), `, ${version}, ${found.route}: ${found.outcome}`),
        h('dt', {}, 'implementations'), h('dd', {}, found.implementations.join(', ')),
        found.since ? [h('dt', {}, 'versions'), h('dd', {}, found.since)] : undefined,
        sinceFacts(model, id),
        found.link ? [h('dt', {}, 'reported'), h('dd', {}, outside(found.link, found.link))] : undefined),
      tested ? caseFigure(tested, found.version, tested.answers.find(answer => answer.version === found.version && answer.outcome.finding === id)) : undefined,
      h('section', {}, h('h2', {}, found.rules.length === 1 ? 'The rule that it breaks' : 'The rules that it breaks'), found.rules.map(number => ruleReference(model.rules[number]))),
      h('section', {class: 'reproduce'}, h('h2', {}, 'Reproduce'), found.program ? [h('p', {}, 'In the engine’s own API, ', h('code', {}, found.reproducer), ':'), codeBlock(found.program, 'reproducer')] : undefined,
        h('p', {}, 'A report, ready to post:'), codeBlock(`gathercheck findings ${id} --format markdown`, 'command')),
      groups.length ? h('section', {}, h('h2', {}, 'In these records'), groups.map(each => h('section', {id: each.implementation.label},
        h('h3', {}, link(address('engine', each.implementation.label), `${each.implementation.name} ${each.implementation.version}`), `: ${count(each.executions, 'execution')} of ${count(each.cases.size, 'case')}`), groupTable(model, each)))) :
        h('p', {class: 'soft'}, 'No execution of these records shows it.')),
  };
}

export function clarifications(model) {
  return {
    title: 'Open points',
    element: h('div', {}, h('h1', {}, 'What the texts leave open'), h('p', {class: 'soft'}, 'Each point with its readings, the one that the suite takes, and a question to post.'),
      model.topics.map(([topic, heading]) => {
        const entries = model.clarifications.filter(entry => entry.topic === topic);
        return entries.length ? h('section', {}, h('h2', {}, heading), h('ul', {class: 'plain'}, entries.map(entry => h('li', {}, link(address('clarification', entry.id), entry.title), h('span', {class: 'soft'}, ' ' + versionNames(model, entry.versions ?? [])))))) : undefined;
      })),
  };
}

export function clarification(model, {id}) {
  const found = model.clarificationById.get(id);
  if (!found) return undefined;
  const cases = found.cases.map(each => model.caseById.get(each)).filter(Boolean);
  return {
    title: found.title,
    element: h('article', {}, h('p', {class: 'above'}, 'open point of ', versionNames(model, found.versions ?? [])), h('h1', {}, found.title),
      h('dl', {class: 'facts'}, h('dt', {}, 'the text says'), h('dd', {}, found.says), h('dt', {}, 'it does not say'), h('dd', {}, found.silent)),
      h('h2', {}, 'Readings'), h('ol', {}, (found.readings ?? []).map((reading, k) => h('li', {}, h('strong', {}, reading.reading), k === 0 ? ', which the suite takes' : '', h('br', {}), reading.for ? ['For: ', reading.for, ' '] : '', reading.against ? ['Against: ', reading.against] : ''))),
      h('p', {}, 'Why the suite takes it: ' + found.why),
      h('h2', {}, 'The question to post'), codeBlock(found.question, 'question'),
      cases.length ? h('section', {}, h('h2', {}, 'What was done here'), table('Answers to its cases', ['case', 'implementation', 'operator versions', 'what it did'], cases.flatMap(tested => didRows(model, tested, found)))) : undefined,
      h('h2', {}, 'Its rules'), found.rules.map(number => ruleReference(model.rules[number]))),
  };
}

/** What each implementation did with a case, said once for all versions that it treated alike. */
function didRows(model, tested, entry) {
  const alike = new Map();
  for (const answer of tested.answers) {
    if (!(entry.versions ?? []).includes(answer.version)) continue;
    const {class: word, category, wrong} = answer.outcome;
    const key = [answer.implementation.number, answer.verdict, word, category, wrong].join('\n');
    if (!alike.has(key)) alike.set(key, {answer, versions: []});
    alike.get(key).versions.push(answer.version);
  }
  return [...alike.values()].map(({answer, versions}) => row(caseLink(tested, answer, model), answer.implementation.label, versionNames(model, versions), badge(answer)));
}

const mostListed = 200;

export function cases(model, {query}) {
  const list = h('tbody', {});
  const told = h('p', {role: 'status', class: 'soft'});
  const input = h('input', {type: 'search', id: 'cases-q', value: query.q ?? '', placeholder: 'words of an id or a title', 'data-find': true});
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = model.cases.filter(tested => words.every(word => `${tested.id} ${tested.title ?? ''}`.toLowerCase().includes(word)));
    list.replaceChildren(...found.slice(0, mostListed).map(tested => row(caseLink(tested), tested.title ?? '', countsCell(tested.counts ?? countsOf(tested.answers)))));
    told.textContent = `${count(found.length, 'case')}` + (found.length > mostListed ? `, the first ${mostListed} are listed` : '') + (model.cases_left_out ? `; ${count(model.cases_left_out, 'case')} of sweeps and in other element types, of which nothing failed, ${model.cases_left_out === 1 ? 'is' : 'are'} in no list` : '');
  };
  input.addEventListener('input', () => { history.replaceState(null, '', address('cases', undefined, {q: input.value})); show(); });
  show();
  return {
    title: 'Cases',
    element: h('div', {}, h('h1', {}, 'Cases'), h('div', {class: 'filter'}, h('div', {class: 'field wide'}, h('label', {for: 'cases-q'}, 'Text'), input)), told,
      h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Cases'}, h('table', {}, h('caption', {class: 'unseen'}, 'Cases'), h('thead', {}, h('tr', {}, ['case', 'what it shows', 'executions'].map(cell => h('th', {scope: 'col'}, cell)))), list))),
  };
}

export function search(model, {query}) {
  const words = (query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const matches = text => words.length > 0 && words.every(word => text.toLowerCase().includes(word));
  const kinds = [
    ['Implementations', model.implementations.filter(each => matches(`${each.name} ${each.version}`)).map(each => link(address('engine', each.label), each.label))],
    ['Operator versions', model.versions.filter(each => matches(each.name)).map(each => link(address('operator', each.name), each.name))],
    ['Findings', model.findings.filter(each => matches(`${each.id} ${each.title} ${each.statement} ${each.engine}`)).map(each => [severityBadge(model, each), ' ', link(address('finding', each.id), each.title)])],
    ['Rules', model.rules.filter(each => matches(`${each.id} ${each.statement}`)).map(each => [link(address('rule', each.id), h('code', {}, each.id)), ' ', each.statement])],
    ['Open points', model.clarifications.filter(each => matches(`${each.id} ${each.title}`)).map(each => link(address('clarification', each.id), each.title))],
    ['Cases', model.cases.filter(each => matches(`${each.id} ${each.title ?? ''}`)).map(each => [caseLink(each), ' ', each.title ?? ''])],
  ].filter(([, found]) => found.length);
  return {
    title: 'Search: ' + (query.q ?? ''),
    element: h('div', {}, h('h1', {}, `Search: ${query.q ?? ''}`), kinds.length ? kinds.map(([title, found]) => h('section', {}, h('h2', {}, `${title}: ${count(found.length)}`), h('ul', {class: 'plain'}, found.slice(0, 50).map(each => h('li', {}, each))), found.length > 50 ? h('p', {class: 'soft'}, `… and ${count(found.length - 50)} more`) : undefined)) : h('p', {}, 'Nothing is found.')),
  };
}
