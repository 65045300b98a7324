// SPDX-License-Identifier: Apache-2.0
// The out-of-bounds map, the specifications side by side, speed, what changed, and where the records come from.
import {address} from './address.js';
import {codeBlock, count, h, link, row, s, table} from './dom.js';

export function policy(model) {
  if (!model.map) return {title: 'Indices out of bounds', element: h('div', {}, h('h1', {}, 'Indices out of bounds'), h('p', {}, 'These records hold no case of the map.'))};
  const [head, ...rows] = model.map.rows;
  return {
    title: 'Indices out of bounds',
    element: h('div', {}, h('h1', {}, 'What becomes of indices out of bounds'), h('p', {class: 'lead'}, model.map.legend),
      table('The out-of-bounds map', head, rows.map(cells => row(...cells.map((text, k) => k < 3 ? text : h('td', {class: text.endsWith(' !') ? 'departs' : text.endsWith(' ?') ? 'open' : ''}, text)))), {class: 'map'})),
  };
}

export function specifications(model) {
  const ran = new Set(model.ranVersions);
  return {
    title: 'Specifications',
    element: h('div', {}, h('h1', {}, 'What each specification says'), h('p', {class: 'lead'}, 'Engines read the same prose differently, and the texts differ, too. gathercheck compare shows what all of them say of one call.'),
      table('Operator versions side by side', ['operator version', 'negative indices', 'index outside its range', 'axis', 'batch_dims', 'types of indices'],
        model.versions.map((version, number) => {
          const made = row(link(address('operator', version.name), version.name), version.negative, version.outside, version.axis, version.batch_dims, version.index_types);
          if (ran.has(number)) made.className = 'ran';
          return made;
        }))),
  };
}

export function run(model) {
  const list = pairs => h('dl', {class: 'facts'}, pairs.filter(([, value]) => value).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
  const notes = model.notes.filter(note => note.level !== 'diagnosis');
  return {
    title: 'Where it comes from',
    element: h('div', {}, h('h1', {}, 'Where it comes from'), model.runs.map(each => h('section', {}, h('h2', {}, each.started ? `The run of ${each.started}` : 'A run'),
      list([['suite', `${each.suite}, ${count(each.cases, 'case')}`], ['hash of the suite', each.hash], ['gathercheck', each.tool], ['asked for', each.part], ['executions', each.executions === undefined ? '' : `${count(each.executions)} in ${each.seconds.toFixed(1)} s`],
        ['state', each.partial ? 'it was cut short: these records are partial' : 'complete'], ['CPU', each.cpu], ['system', [each.system, each.distribution].filter(Boolean).join(', ')]]),
      each.command ? codeBlock(each.command, 'command of the run') : undefined)),
    notes.length ? h('section', {}, h('h2', {}, 'Notes'), h('ul', {}, notes.map(note => h('li', {}, h('strong', {}, note.level), ` ${note.implementation}: ${note.text}`)))) : undefined),
  };
}

/** Times of one workload as bars; a shorter one is faster. */
function benchBars(workload) {
  const entries = workload.entries;
  const longest = Math.max(...entries.map(each => each.value));
  const height = entries.length * 22 + 4;
  return h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Times of ${workload.id}`}, s('svg', {class: 'bench', role: 'img', width: 620, height, viewBox: `0 0 620 ${height}`, 'aria-label': entries.map(each => `${each.name} ${each.text}`).join(', ')},
    entries.map((each, k) => [s('text', {x: 150, y: k * 22 + 15, class: 'label'}, each.name), s('rect', {x: 158, y: k * 22 + 4, width: Math.max(2, each.value / longest * 360), height: 14, class: each.ours ? 'ours' : 'other'}), s('text', {x: 166 + each.value / longest * 360, y: k * 22 + 15}, each.text)])));
}

const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

function timeText(nanoseconds) {
  const [factor, unit] = units.find(([each]) => nanoseconds >= each) ?? units.at(-1);
  return `${(nanoseconds / factor).toPrecision(3)} ${unit}`;
}

function benchTimes(workload) {
  return workload.contenders.filter(each => each.median_ns > 0).map(each => ({name: each.name, value: each.median_ns, text: timeText(each.median_ns), ours: each.kind === 'ours'}));
}

export function bench(model) {
  if (!model.bench) return {title: 'Speed', element: h('div', {}, h('h1', {}, 'Speed'), h('p', {}, 'No file of gathercheck bench was given with --bench.'))};
  const workloads = model.bench.workloads.map(each => ({...each, entries: benchTimes(each)})).filter(each => each.entries.length);
  return {
    title: 'Speed',
    element: h('div', {}, h('h1', {}, 'Speed'), h('p', {class: 'lead'}, 'The median time of a call; a shorter bar is faster. ', model.bench.machine?.cpu ?? ''),
      workloads.map(each => h('section', {}, h('h2', {}, each.id), h('p', {class: 'soft'}, each.workload + (each.cold ? ', cold caches' : '')), benchBars(each)))),
  };
}

const badChanges = new Set(['new failure', 'other failure', 'no longer supported', 'no longer claimed', 'no longer run']);

/** What changed, of the implementations that the page is about: by kind, and how many executions. */
export function changeCounts(model) {
  const counts = new Map();
  for (const implementation of changedImplementations(model)) {
    for (const change of implementation.changes) counts.set(change.kind, (counts.get(change.kind) ?? 0) + change.count);
  }
  return counts;
}

export function changeChips(counts) {
  return h('span', {class: 'chips inline'}, [...counts].map(([kind, number]) => h('span', {class: 'chip ' + (badChanges.has(kind) ? 'fail' : 'pass')}, h('b', {}, count(number)), ' ' + kind)));
}

function changedImplementations(model) {
  const names = new Set(model.implementations.map(each => each.name));
  return model.changes.implementations.filter(each => names.has(each.after.name));
}

function cameText(came) {
  return came ? came.detail || came.got || came.outcome : 'not there';
}

function changeItem(model, implementation, change) {
  const {example} = change;
  const tested = model.caseById.get(example.case);
  const id = h('code', {}, example.case);
  return h('li', {class: 'change'},
    h('p', {}, h('span', {class: 'badge ' + (badChanges.has(change.kind) ? 'fail' : 'pass')}, change.kind), ' ', h('b', {}, count(change.count, 'execution')), ` of ${change.operators.join(', ')}`,
      change.from ? `: ${change.from}` + (change.to ? ` → ${change.to}` : '') : '', change.finding ? [', finding ', link(address('finding', change.finding), change.finding)] : ''),
    change.causes ? h('p', {class: 'soft'}, 'Why, perhaps: ' + change.causes.join('; ')) : undefined,
    h('p', {}, 'For example ', tested ? link(address('case', example.case, {operator: example.operator, engine: implementation.after.name}), id) : id, `, ${example.operator}, ${example.route}`),
    h('dl', {class: 'facts'}, h('dt', {}, 'before'), h('dd', {class: 'words'}, cameText(example.before)), h('dt', {}, 'now'), h('dd', {class: 'words'}, cameText(example.after))),
    example.repeat ? codeBlock(example.repeat, 'command') : undefined);
}

/** What `gathercheck diff` says of an earlier run and this one. */
export function changes(model) {
  if (!model.changes) return undefined;
  const {before, after, only_before: onlyBefore, only_after: onlyAfter} = model.changes;
  const all = changedImplementations(model);
  return {
    title: 'What changed',
    element: h('div', {}, h('h1', {}, 'What changed since the earlier run'), h('p', {class: 'lead'}, `${before.started} to ${after.started}: `, changeCounts(model).size ? changeChips(changeCounts(model)) : 'nothing'),
      before.lacking.map(what => h('p', {class: 'warning', role: 'note'}, 'the earlier records are incomplete: ' + what)),
      all.map(implementation => h('section', {}, h('h2', {}, `${implementation.after.name} ${implementation.before.version}` + (implementation.before.version === implementation.after.version ? '' : ` → ${implementation.after.version}`)),
        h('p', {class: 'soft'}, `${count(implementation.in_both, 'execution')} in both runs`),
        implementation.changes.length ? h('ol', {class: 'changes'}, implementation.changes.map(change => changeItem(model, implementation, change))) : h('p', {}, 'Nothing changed.'))),
      onlyBefore.length ? h('p', {}, 'Only in the earlier run: ' + onlyBefore.join(', ')) : undefined, onlyAfter.length ? h('p', {}, 'Only in this run: ' + onlyAfter.join(', ')) : undefined),
  };
}
