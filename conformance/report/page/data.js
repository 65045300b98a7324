// SPDX-License-Identifier: Apache-2.0
// The document of the page, with its numbers made into what they mean.

async function textOf(element) {
  if (element.type === 'application/json') return element.textContent;
  const bytes = Uint8Array.from(atob(element.textContent), character => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

/** The verdicts, the gravest first: a short word, and the class of their colour. */
export const verdicts = new Map([
  ['crash', {word: 'crash', look: 'crash'}],
  ['timeout', {word: 'timeout', look: 'crash'}],
  ['fail', {word: 'fail', look: 'fail'}],
  ['broken', {word: 'broken', look: 'fail'}],
  ['difference', {word: 'difference', look: 'known'}],
  ['fixed', {word: 'fixed', look: 'known'}],
  ['known failure', {word: 'known', look: 'known'}],
  ['not run', {word: 'not run', look: 'fail'}],
  ['pass', {word: 'pass', look: 'pass'}],
  ['unspecified', {word: 'unspecified', look: 'open'}],
  ['unsupported', {word: 'unsupported', look: 'rest'}],
  ['unavailable', {word: 'unavailable', look: 'rest'}],
]);

/** Those that say that something is wrong, and those that nobody expected. */
export const unexpected = new Set(['crash', 'timeout', 'fail', 'broken', 'fixed', 'difference']);
export const wrongVerdicts = new Set([...unexpected, 'known failure']);

export function isWrong(answer) {
  return wrongVerdicts.has(answer.verdict);
}

export function bitsOf(mask) {
  let number = 0;
  for (; mask; mask &= mask - 1) ++number;
  return number;
}

export function addCounts(sum, counts) {
  for (const [verdict, number] of Object.entries(counts)) sum[verdict] = (sum[verdict] ?? 0) + number;
  return sum;
}

function elementsOf(tested) {
  let elements = 0;
  for (const input of tested.call?.inputs ?? []) elements += input.shape.reduce((all, dim) => all * dim, 1);
  return elements;
}

function typeOf(tested) {
  return tested.call?.inputs?.find(input => input.name === 'data')?.type ?? '';
}

export function prepared(data) {
  const model = {...data};
  model.caseById = new Map();
  model.cases.forEach((tested, number) => {
    tested.number = number;
    tested.answers = [];
    tested.elements ??= elementsOf(tested);
    tested.type ??= typeOf(tested);
    model.caseById.set(tested.id, tested);
  });
  model.ruleById = new Map(model.rules.map(rule => [rule.id, rule]));
  for (const finding of model.findings) finding.program ??= data.programs?.[finding.id];
  model.findingById = new Map(model.findings.map(finding => [finding.id, finding]));
  model.clarificationById = new Map(model.clarifications.map(entry => [entry.id, entry]));
  model.versionByName = new Map(model.versions.map((version, number) => [version.name, number]));
  model.answers = data.answers.map(([caseNumber, version, implementation, verdict, routes, outcome, repeat]) => {
    const answer = {
      case: model.cases[caseNumber],
      version,
      implementation: model.implementations[implementation],
      verdict: data.verdicts[verdict],
      routes,
      executions: bitsOf(routes),
      outcome: outcome < 0 ? {} : data.outcomes[outcome],
      repeat: repeat < 0 ? '' : data.repeats[repeat],
    };
    answer.case.answers.push(answer);
    return answer;
  });
  // The matrix: counts by implementation and operator version.
  model.counts = new Map();
  for (const [implementation, version, counts] of data.matrix) model.counts.set(implementation + ' ' + version, counts);
  model.implementations.forEach((implementation, number) => {
    implementation.number = number;
  });
  model.ranVersions = [...new Set(data.matrix.map(([, version]) => version))].sort((a, b) => a - b);
  return model;
}

export async function load() {
  return prepared(JSON.parse(await textOf(document.getElementById('data'))));
}

export function routesOf(model, mask) {
  return model.routes.filter((_, k) => mask >>> k & 1);
}

/** The line that repeats an answer by the first of its routes. */
export function repeatLine(model, answer) {
  if (!answer.repeat) return '';
  return answer.repeat + ' --filter ' + (answer.case.term ?? 'case=' + answer.case.id) + ' --filter operator=' +
    model.versions[answer.version].name + ' --filter route=' + routesOf(model, answer.routes)[0];
}

/** What a case expects of an operator version. */
export function expectationOf(tested, version) {
  return tested.expect?.find(each => each.versions.includes(version));
}

export function rulesOf(model, tested, version) {
  return (tested.rules ?? []).map(number => model.rules[number]).filter(rule => rule.version === version);
}

/** "onnx.Gather-1,11,13, webnn.gather". */
export function versionNames(model, versions) {
  const groups = new Map();
  for (const version of [...new Set(versions)].sort((a, b) => a - b)) {
    const [, name, number] = /^(.*?)(?:-(\d+))?$/.exec(model.versions[version].name);
    if (!groups.has(name)) groups.set(name, []);
    if (number) groups.get(name).push(number);
  }
  return [...groups].map(([name, numbers]) => name + (numbers.length ? '-' + numbers.join(',') : '')).join(', ');
}
