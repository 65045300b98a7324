// SPDX-License-Identifier: Apache-2.0
// A call as small grids: indices, data, output, with a line from each index to the elements that it picks.
import {h, s} from './dom.js';

const cellHeight = 24;
const characterWidth = 7.3; // of the font of the cells
const longestCell = 12;
const mostColumns = 16;
const mostRows = 16;
const hues = 6;
const mostLines = 16;

export function shapeText(shape) {
  return '[' + (shape ?? ['?']).map(dim => dim ?? '?').join(', ') + ']';
}

function countOf(shape) {
  return shape.reduce((all, dim) => all * dim, 1);
}

export function coordinate(shape, position) {
  const place = [];
  for (let k = shape.length - 1; k >= 0; --k) {
    place.unshift(position % shape[k]);
    position = Math.floor(position / shape[k]);
  }
  return '[' + place.join(', ') + ']';
}

function shortened(text) {
  return text.length > longestCell ? text.slice(0, longestCell - 1) + '…' : text;
}

/** Where the cells of a tensor stand: rows of its last dimension, a gap between those of other dimensions. */
function layout(tensor) {
  const {shape, first = []} = tensor;
  const columns = shape.length === 0 ? 1 : shape.at(-1);
  const width = Math.max(28, characterWidth * Math.max(0, ...first.map(text => shortened(text).length)) + 12);
  const perRow = Math.min(Math.max(columns, 1), mostColumns);
  const inner = shape.length > 1 ? shape.at(-2) : 1;
  const labelled = shape.length > 1 || columns > perRow;
  const gutter = labelled ? characterWidth * (shapeText(shape).length + 1) : 0;
  const cells = [];
  const labels = [];
  let y = 0;
  let rows = 0;
  let end = 0;
  for (let k = 0; k < first.length && rows < mostRows; ++rows) {
    const column = k % columns;
    const line = Math.floor(k / columns);
    if (k > 0 && column === 0 && shape.length > 2 && line % inner === 0) y += 8;
    if (labelled) labels.push({y: y + cellHeight / 2, text: columns <= perRow ? coordinate(shape, k).replace(/\d+\]$/, ':]') : coordinate(shape, k)});
    const until = Math.min(k + Math.min(perRow, columns - column), first.length);
    for (; k < until; ++k) cells.push({k, x: gutter + (k % columns - column) * width, y, width, text: first[k]});
    y += cellHeight;
    end = k;
  }
  const left = countOf(shape) - end;
  return {cells, labels, left, width: gutter + perRow * width, height: y + (left > 0 ? 16 : 0), byPosition: new Map(cells.map(cell => [cell.k, cell]))};
}

function grid(title, tensor, at, options) {
  const placed = layout(tensor);
  const group = s('g', {transform: `translate(0 ${at})`, class: 'tensor'});
  group.append(s('text', {x: 0, y: 12, class: 'name'}, title, s('tspan', {class: 'type', dx: 8}, tensor.type + ' ' + shapeText(tensor.shape))));
  const body = s('g', {transform: 'translate(0 20)'});
  group.append(body);
  for (const label of placed.labels) body.append(s('text', {x: 0, y: label.y, class: 'place'}, label.text));
  for (const cell of placed.cells) {
    const look = options.lookOf?.(cell.k) ?? {};
    const mark = s('g', {class: 'cell ' + (look.class ?? ''), 'data-pick': look.pick},
      s('title', {}, look.title ?? cell.text),
      s('rect', {x: cell.x, y: cell.y, width: cell.width, height: cellHeight}),
      s('text', {x: cell.x + cell.width / 2, y: cell.y + cellHeight / 2}, shortened(cell.text)));
    if (look.bar !== undefined) mark.append(s('rect', {class: 'bar hue' + look.bar % hues, x: cell.x + 2, y: cell.y + cellHeight - 4, width: cell.width - 4, height: 3}));
    body.append(mark);
  }
  if (placed.left > 0) {
    body.append(s('text', {x: 0, y: placed.height - 5, class: 'place'}, placed.cells.length ? `… and ${placed.left.toLocaleString('en')} more elements` : `${placed.left.toLocaleString('en')} elements, not shown`));
  }
  if (tensor.first?.length === 0) body.append(s('text', {x: 0, y: 12, class: 'place'}, 'no elements'));
  const height = 20 + (tensor.first?.length === 0 ? 18 : placed.height);
  return {element: group, height, width: Math.max(placed.width, characterWidth * (title.length + tensor.type.length + shapeText(tensor.shape).length + 4)), placed, top: at + 20};
}

/** What is drawn of a case: {call, expect, wanted, got, gotTitle}. */
function parts({call, expect, wanted, got}) {
  const inputs = Object.fromEntries((call.inputs ?? []).map(input => [input.name, input]));
  const sources = expect?.sources ?? [];
  const picks = expect?.picks ?? [];
  const pickOrder = [...new Set(picks.filter(pick => pick >= 0))];
  const hueOf = new Map(pickOrder.map((pick, k) => [pick, k]));
  return {inputs, sources, picks, hueOf, wanted, got};
}

function differs(wanted, got, k) {
  return wanted?.first && got?.first && wanted.first[k] !== got.first[k];
}

/** The picture, and under it where each element comes from, in words. */
export function callFigure(content) {
  const {inputs, sources, picks, hueOf, wanted, got} = parts(content);
  const {expect, gotTitle} = content;
  const data = inputs.data;
  const indices = inputs.indices;
  const picked = new Map(); // positions in data, and the index that picks them
  sources.forEach((source, k) => {
    if (source >= 0 && !picked.has(source)) picked.set(source, picks[k] ?? -1);
  });
  const svg = s('svg', {class: 'figure', role: 'img'});
  let y = 4;
  let end = 4;
  let width = 0;
  const add = (title, tensor, gap, lookOf) => {
    const drawn = grid(title, tensor, y, {lookOf});
    svg.append(drawn.element);
    end = y + drawn.height;
    y = end + gap;
    width = Math.max(width, drawn.width);
    return drawn;
  };
  let top;
  if (indices) {
    top = add('indices', indices, 34, k => ({
      class: (hueOf.has(k) ? 'picks hue' + hueOf.get(k) % hues : '') + (expect?.bad_index === k ? ' bad' : ''),
      pick: hueOf.has(k) ? k : undefined,
      title: `indices${coordinate(indices.shape, k)} = ${indices.first?.[k]}` + (expect?.bad_index === k ? ', outside its range' : ''),
    }));
  }
  let middle;
  if (data) {
    middle = add('data', data, 34, k => ({
      class: picked.has(k) ? 'picked hue' + hueOf.get(picked.get(k)) % hues : '',
      pick: picked.get(k),
      title: `data${coordinate(data.shape, k)} = ${data.first?.[k]}`,
    }));
  }
  for (const input of content.call.inputs ?? []) {
    if (input.name !== 'data' && input.name !== 'indices') add(input.name, input, 24);
  }
  const sourceText = k => sources[k] === undefined ? '' : sources[k] < 0 ? ' is zero: the index is outside its range' : ` comes from data${coordinate(data.shape, sources[k])}`;
  const output = tensor => k => ({
    class: differs(wanted, got, k) ? 'differs' : '',
    pick: picks[k] >= 0 ? picks[k] : undefined,
    bar: hueOf.get(picks[k]),
    title: `output${coordinate(tensor.shape, k)} = ${tensor.first?.[k]}` + (tensor === wanted ? sourceText(k) : differs(wanted, got, k) ? `, where ${wanted.first[k]} is expected` : ''),
  });
  if (wanted?.shape) add('expected output', wanted, 24, output(wanted));
  if (got?.shape && !got.shape.includes(null)) add(gotTitle, got, 12, output(got));

  // A line from each index to the first element that it picks.
  if (top && middle && hueOf.size > 0 && hueOf.size <= mostLines) {
    // Lines run behind the cells, so that none crosses a number; their ends are before them.
    const lines = s('g', {'aria-hidden': 'true'});
    const ends = s('g', {'aria-hidden': 'true'});
    for (const [pick, order] of hueOf) {
      const from = top.placed.byPosition.get(pick);
      const target = sources.find((source, k) => picks[k] === pick && source >= 0 && middle.placed.byPosition.has(source));
      const to = middle.placed.byPosition.get(target);
      if (!from || !to) continue;
      const [x1, y1] = [from.x + from.width / 2, top.top + from.y + cellHeight];
      const [x2, y2] = [to.x + to.width / 2, middle.top + to.y];
      const bend = Math.max(14, (y2 - y1) / 2);
      lines.append(s('path', {class: 'line hue' + order % hues, 'data-pick': pick, d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`}));
      ends.append(s('circle', {class: 'dot hue' + order % hues, 'data-pick': pick, cx: x2, cy: y2, r: 2.5}));
    }
    svg.prepend(lines);
    svg.append(ends);
  }
  const size = [Math.ceil(width + 4), Math.ceil(end + 4)];
  svg.setAttribute('viewBox', `-2 0 ${size[0]} ${size[1]}`);
  svg.setAttribute('width', size[0]);
  svg.setAttribute('height', size[1]);
  svg.setAttribute('aria-label', described(inputs, wanted, got));
  for (const kind of ['pointerover', 'pointerout']) {
    svg.addEventListener(kind, event => {
      const pick = event.target.closest('[data-pick]')?.dataset.pick;
      svg.classList.toggle('tracing', kind === 'pointerover' && pick !== undefined);
      for (const each of svg.querySelectorAll('[data-pick]')) each.classList.toggle('traced', kind === 'pointerover' && each.dataset.pick === pick);
    });
  }
  const list = sources.length === 0 || !wanted?.first ? undefined : h('details', {class: 'sources'},
    h('summary', {}, 'Where each element of the output comes from'),
    h('ol', {}, wanted.first.map((text, k) => h('li', {class: differs(wanted, got, k) ? 'differs' : undefined}, h('code', {}, `output${coordinate(wanted.shape, k)} = ${text}`),
      sourceText(k), picks[k] >= 0 && indices ? `, picked by indices${coordinate(indices.shape, picks[k])} = ${indices.first?.[picks[k]] ?? '…'}` : '',
      differs(wanted, got, k) ? h('strong', {}, ` got ${got.first[k]}`) : ''))));
  return h('figure', {class: 'call'}, h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'The call, drawn'}, svg), list);
}

function described(inputs, wanted, got) {
  const one = (name, tensor) => tensor ? `${name} ${tensor.type} ${shapeText(tensor.shape)}` + (tensor.first?.length ? ': ' + tensor.first.slice(0, 12).join(', ') + (tensor.first.length > 12 ? ', …' : '') : '') : '';
  return [one('indices', inputs.indices), one('data', inputs.data), one('expected', wanted?.shape && wanted), one('got', got?.shape && got)].filter(Boolean).join('; ');
}
