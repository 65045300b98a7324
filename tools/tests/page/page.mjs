// SPDX-License-Identifier: Apache-2.0
// What a person does with the page of a report: usage: page.mjs MODULES BROWSER FOLDER GATHERCHECK
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';
import {number, started, text, widths} from './browser.mjs';

const [modules, executablePath, folder, gathercheck] = process.argv.slice(2);
const {check, opened: openedAt, audit, finish} = await started(modules, executablePath);
const opened = (file, hash = '#/', options = {}) => openedAt(pathToFileURL(`${folder}/${file}`) + hash, options);

// The page shows a view on hashchange, which comes a task after the address has changed.
const shown = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));

// Waits until the address fits, and what it names is shown.
async function arrived(page, address) {
  await page.waitForURL(url => (address instanceof RegExp ? address.test(url.hash) : url.hash === address));
  await shown(page);
}

async function go(page, hash) {
  await page.evaluate(to => { location.hash = to; }, hash);
  await page.waitForFunction(to => document.querySelector('#content h1') && location.hash === to, hash);
  await shown(page);
}

// --- the first screen says what is broken, and the reproducer is two clicks away
let page = await opened('report.html');
check('the verdict is said', /does not conform/i.test(await text(page, 'h1')), await text(page, 'h1'));
check('the title says it, too', /does not conform/.test(await page.title()), await page.title());
check('the matrix has every implementation', await number(page, '.matrix thead th') === 5, await number(page, '.matrix thead th'));
check('its cells count', /\d[\d,]* pass/.test(await text(page, '.matrix tbody td')), await text(page, '.matrix tbody td'));
check('nothing is a percentage', !/\d\s*%/.test(await text(page, 'main')));
check('a crash stands first', /crash/.test(await text(page, 'ol.groups li')), await text(page, 'ol.groups li'));
const negative = page.locator('ol.groups li a', {hasText: 'negative'}).first();
await negative.click();
await shown(page);
await page.waitForSelector('.reproduce code');
const line = await page.locator('.reproduce .block', {hasText: 'gathercheck run'}).or(page.locator('.reproduce .block', {hasText: ' run '})).first().locator('code').innerText();
check('after one click the line that repeats it is there', / --implementation .*negative.* --filter case=.* --filter operator=onnx\.Gather-13 --filter route=/.test(line), line);
let repeated = 0;
try {
  execFileSync('sh', ['-c', line.replace(/^\S+/, gathercheck)], {cwd: folder, stdio: 'ignore'});
} catch (error) {
  repeated = error.status;
}
check('and repeats it', repeated === 1, `exit ${repeated}: ${line}`);
await page.locator('.reproduce .block', {hasText: '--filter route='}).locator('button').click();
check('its button copies it', await page.evaluate(() => navigator.clipboard.readText()) === line);

// --- a case explains itself
await go(page, '#/case/gather-index-negative-ten?operator=onnx.Gather-13&engine=negative');
check('the grids are drawn', await number(page, 'svg.figure .tensor') >= 4, await number(page, 'svg.figure .tensor'));
check('a line goes from each index to what it picks', await number(page, 'svg.figure path.line') >= 1);
check('what differs is marked', await number(page, 'svg.figure .cell.differs') === 2, await number(page, 'svg.figure .cell.differs'));
check('where each element comes from is said', /output\[0.*comes from data\[.*picked by indices\[/.test(await page.locator('.sources li').first().textContent()), await page.locator('.sources li').first().textContent());
check('the picture is told', /^indices i64 \[.*data f32.*expected f32.*got f32/.test(await page.locator('svg.figure').getAttribute('aria-label')), await page.locator('svg.figure').getAttribute('aria-label'));
check('the rule has its public page', (await page.locator('.rule a[href^="https://onnx.ai/"]').count()) > 0);
check('every implementation stands beside', await number(page, '#answers tbody tr') === 4, await number(page, '#answers tbody tr'));
await page.locator('.tabs a', {hasText: 'openvino.Gather-8'}).click();
await arrived(page, /operator=openvino\.Gather-8/);
check('another operator version is a click away', /openvino\.Gather-8/.test(await page.locator('.tabs a[aria-current]').innerText()));

// --- words of an engine are text
await go(page, '#/case/gather-index-one-past-the-end?operator=onnx.Gather-13&engine=negative');
check('what an engine says is shown', /<img src=x onerror=alert\(2\)>/.test(await page.locator('main').innerText()) || await number(page, '#answers tbody tr') > 0);
check('and never markup', await page.evaluate(() => document.querySelectorAll('main img, main script').length) === 0);

// --- filters, whose state is in the address
await go(page, '#/failures');
const all = await number(page, 'ol.groups li');
await page.selectOption('#filter-engine', 'dies');
const ofEngine = await number(page, 'ol.groups li');
check('a filter leaves some', ofEngine > 0 && ofEngine < all, `${ofEngine} of ${all}`);
check('the address has it', /engine=dies/.test(page.url()), page.url());
check('all are of it', await page.locator('ol.groups li').evaluateAll(items => items.every(item => item.textContent.includes('dies'))));
const same = await opened('report.html', new URL(page.url()).hash);
check('which opens the same', await number(same, 'ol.groups li') === ofEngine);
await same.close();
await page.selectOption('#filter-engine', '');
for (const [field, value] of [['state', 'known'], ['verdict', 'crash'], ['type', 'f32'], ['operator', 'onnx.Gather-13'], ['route', 'runtime/static'], ['rule', 'onnx.gather-13.indices.error'], ['sort', 'count']]) {
  await page.selectOption('#filter-' + field, value);
  check(`the filter ${field} finds some`, await number(page, 'ol.groups li') > 0);
  await page.selectOption('#filter-' + field, '');
}
await page.fill('#filter-q', 'indices wrap around');
check('a text finds the reason', await number(page, 'ol.groups li') === 1, await number(page, 'ol.groups li'));
await page.fill('#filter-q', 'no such words');
check('and says where nothing matches', /Nothing matches/.test(await text(page, '[role=status]')));

// --- keyboard
await go(page, '#/');
await page.keyboard.press('/');
check('/ finds', await page.evaluate(() => document.activeElement.name) === 'q');
await page.keyboard.type('negative index');
await page.keyboard.press('Enter');
await arrived(page, /^#\/search/);
check('everything is searched', /Rules: \d+/.test(await text(page, 'main')) && /Cases: \d+/.test(await text(page, 'main')));
await page.keyboard.press('f');
await arrived(page, '#/failures');
await page.keyboard.press('j');
await page.keyboard.press('j');
const second = await page.locator('ol.groups li a').nth(1).getAttribute('href');
check('j goes to the next', await page.evaluate(() => document.activeElement.getAttribute('href')) === second);
await page.keyboard.press('Enter');
await arrived(page, second);
check('Enter opens it', await number(page, 'article h1') === 1);
await page.keyboard.press('?');
check('? tells the keys', await number(page, 'dialog[open]') === 1);
await page.keyboard.press('Escape');
check('Escape ends that', await number(page, 'dialog[open]') === 0);
await go(page, '#/no/such/view');
check('an address of nothing says so', /Nothing has this address/.test(await text(page, 'h1')));

// --- records that are not whole, that conform, and speed
const partial = await opened('partial.html', '#/rules');
check('every view says that records are partial', /cut short/.test(await text(partial, '.warning')));
await partial.close();
const conforms = await opened('conforms.html');
check('what conforms says so', /^conforms/i.test(await text(conforms, 'h1')), await text(conforms, 'h1'));
check('and has no failures', await number(conforms, 'ol.groups') === 0);
await conforms.close();
const plain = await opened('plain.html');
check('data that is not compressed is read', /does not conform/i.test(await text(plain, 'h1')));
check('and no markup either', await plain.evaluate(() => document.querySelectorAll('body > img').length) === 0);
await plain.close();
const changed = await opened('changes.html');
check('the first screen says what changed', /\d+ new failure/.test(await text(changed, 'main')));
await go(changed, '#/changes');
check('and each change has an example that is drawn', await changed.locator('.change a[href^="#/case/"]').count() > 0 && /new failure/.test(await text(changed, '.change')), await text(changed, '.change'));
await changed.close();
const runs = await opened('history.html', '#/history');
check('each run of a folder is a line', await number(runs, 'table.history tbody tr') === 4, await number(runs, 'table.history tbody tr'));
check('with what changed', /fixed: \d/.test(await text(runs, 'table.history')), await text(runs, 'table.history'));
check('what fails says since when', /in the oldest run asked, .*; fixed in /.test(await text(runs, 'ul.since')), await text(runs, 'ul.since'));
check('what does not count is named', /cut-short\.jsonl/.test(await text(runs, 'main')));
await audit(runs, '#/history', 1400, 'light');
await go(runs, '#/engine/negative');
check('an engine has its runs', await number(runs, 'table.history tbody tr') === 2, await number(runs, 'table.history tbody tr'));
await runs.close();
const speed = await opened('bench.html', '#/bench');
check('speed is drawn', await number(speed, 'svg.bench rect') === 2 && /1\.20 µs/.test(await speed.locator('svg.bench').textContent()), await speed.locator('svg.bench').textContent());
await speed.close();

// --- every view at every width, light and dark: nothing is off the page, and axe finds nothing serious
const hashOf = selector => page.locator(selector).first().getAttribute('href');
await go(page, '#/');
const group = await hashOf('ol.groups li a');
const hashes = ['#/', '#/failures', group, '#/case/gather-index-negative-ten?operator=onnx.Gather-13&engine=negative', '#/engine/negative', '#/operator/onnx.Gather-13', '#/findings', '#/cases', '#/rules',
  '#/rule/onnx.gather-13.indices.error', '#/policy', '#/specifications', '#/clarifications', '#/clarification/batch-dims-range-and-base', '#/run', '#/search?q=axis'];
await page.close();
for (const [width, scheme] of widths) {
  page = await opened('report.html', '#/', {width, scheme});
  for (const hash of hashes) {
    await go(page, hash);
    await audit(page, hash, width, scheme);
  }
  await page.close();
}

// --- on paper
page = await opened('report.html', group);
await page.emulateMedia({media: 'print'});
check('what cannot be pressed is not printed', await page.locator('#header nav').isHidden() && await page.locator('.copy').first().isHidden());
writeFileSync(`${folder}/page.pdf`, await page.pdf());
await page.close();

// --- from a disk, how long it takes
const begun = Date.now();
page = await opened('report.html');
console.log(`opened in ${Date.now() - begun} ms`);
await finish();
