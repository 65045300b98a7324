// What a person does with a site, opened from a disk: usage: site.mjs MODULES BROWSER FOLDER
import {pathToFileURL} from 'node:url';
import {number, started, text, widths} from './browser.mjs';

const [modules, executablePath, folder] = process.argv.slice(2);
const {check, opened: openedAt, audit, finish} = await started(modules, executablePath);
const opened = (path, options = {}) => openedAt(pathToFileURL(folder) + '/' + path, options);
const pathOf = page => decodeURI(page.url()).slice((pathToFileURL(folder) + '/').length);

// --- the first screen says what is broken
let page = await opened('index.html');
check('the verdict is said', /does not conform/i.test(await text(page, 'h1')), await text(page, 'h1'));
check('which suite and when, too', /^Suite \S+, \d+ runs? of \d{4}-\d\d-\d\d$/.test(await text(page, '.verdict .soft')), await text(page, '.verdict .soft'));
check('the matrix has every implementation', await number(page, '.matrix thead th') === 5, await number(page, '.matrix thead th'));
check('a crash stands first', /crash/.test(await text(page, 'ol.groups li')), await text(page, 'ol.groups li'));

// --- from there to a cause, a case, and back, by links that are files
await page.locator('ol.groups li a', {hasText: 'negative'}).first().click();
await page.waitForURL(/cause\.html\?/);
check('a cause has its executions', await number(page, '#content tbody tr') > 0);
check('and the line that repeats one', /--filter case=/.test(await text(page, '.reproduce code')), await text(page, '.reproduce code'));
await page.locator('#content tbody a').first().click();
await page.waitForURL(/\/cases\//);
check('a case is drawn', await number(page, 'svg.figure .tensor') >= 2, await number(page, 'svg.figure .tensor'));
await page.goBack();
await page.goBack();
check('back leads back', pathOf(page) === 'index.html', pathOf(page));
await page.close();

page = await opened('cases/gather-index-negative-ten.html?operator=onnx.Gather-13&engine=negative');
check('what differs is marked', await number(page, 'svg.figure .cell.differs') === 2, await number(page, 'svg.figure .cell.differs'));
check('every implementation stands beside', await number(page, '#answers tbody tr') === 4, await number(page, '#answers tbody tr'));
await page.locator('.rule a', {hasText: 'onnx.gather-13.'}).first().click();
await page.waitForURL(/operators\/onnx\.Gather-13\.html#onnx\.gather-13\./);
const id = new URL(page.url()).hash.slice(1);
check('a rule is a place on the page of its operator version', await page.evaluate(id => document.getElementById(id).getBoundingClientRect().top, id) < 400);
check('with who breaks it', /Broken by .*negative \d/.test(await page.evaluate(id => document.getElementById(id).textContent, id)), await page.evaluate(id => document.getElementById(id).textContent, id));
check('its cases', await page.evaluate(id => document.getElementById(id).querySelectorAll('details a[href^="../cases/"]').length, id) > 0);
check('and its public page', await number(page, '.rule-entry a[href^="https://onnx.ai/"]') > 0);
await page.close();

page = await opened('engines/negative.html');
check('an engine has its counts', /^onnx\.Gather-13\s+[1-9][0-9]* fail/.test(await text(page, '#content tbody tr')), await text(page, '#content tbody tr'));
check('and its failures by cause', await number(page, 'ol.groups li') > 0);
await page.close();

// --- a finding of a shipped engine, and words of an engine that are text
page = await opened('findings/wraps-around.html');
check('a finding says what is done', /remainder <by the size/.test(await text(page, "h1")), await text(page, 'h1'));
check('which sentence it breaks', await number(page, '.rule') > 0);
check('draws its small call', await number(page, 'svg.figure .tensor') >= 2);
check('and lists its executions', /\d+ executions? of \d+ cases?/.test(await text(page, 'h3')), await text(page, 'h3'));
await page.close();
page = await opened('cases/gather-index-one-past-the-end.html?operator=onnx.Gather-13&engine=negative');
check('words of an engine are no markup', await page.evaluate(() => document.querySelectorAll('main img, main script').length) === 0);
await page.close();
page = await opened('history.html');
check('each run of a folder is a line', await number(page, 'table.history tbody tr') === 4, await number(page, 'table.history tbody tr'));
await page.close();

// --- search and filters, without a server
page = await opened('index.html');
await page.keyboard.press('/');
await page.keyboard.type('negative index');
await page.keyboard.press('Enter');
await page.waitForURL(/search\.html\?q=negative/);
check('everything is searched', /Rules: \d+/.test(await text(page, 'main')) && /Cases: \d+/.test(await text(page, 'main')), await text(page, 'main'));
await page.locator('#content a[href^="cases/"]').first().click();
await page.waitForURL(/\/cases\//);
check('what is found is a page', await number(page, 'article h1') === 1);
await page.close();
page = await opened('failures.html');
const all = await number(page, 'ol.groups li');
await page.selectOption('#filter-engine', 'dies');
const some = await number(page, 'ol.groups li');
check('a filter leaves some', some > 0 && some < all, `${some} of ${all}`);
check('and stands in the address', /engine=dies/.test(page.url()), page.url());
await page.reload();
check('which opens the same', await number(page, 'ol.groups li') === some);
await page.close();

// --- without scripts
page = await opened('partial/engines/negative.html');
check('what is partial says so', /cut short/.test(await text(page, '.warning')), await text(page, 'main'));
await page.close();

// --- every page at every width, light and dark
const paths = ['index.html', 'failures.html', 'findings.html', 'cases.html', 'policy.html', 'specifications.html', 'clarifications.html', 'run.html', 'history.html',
  'search.html?q=axis', 'engines/negative.html', 'operators/onnx.Gather-13.html', 'findings/wraps-around.html', 'cases/gather-index-negative-ten.html', 'clarifications/batch-dims-range-and-base.html'];
for (const [width, scheme] of widths) {
  for (const path of paths) {
    page = await opened(path, {width, scheme});
    await audit(page, path, width, scheme);
    await page.close();
  }
}
await finish();
