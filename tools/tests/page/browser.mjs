// A real browser for the tests of pages: what holds is counted, and what the browser complains of is kept.
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

export async function started(modules, executablePath) {
  const {chromium} = await import(pathToFileURL(`${modules}/playwright-core/index.mjs`));
  const axe = readFileSync(`${modules}/axe-core/axe.min.js`, 'utf8');
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu']});
  const context = await browser.newContext({permissions: ['clipboard-read', 'clipboard-write']});
  const complaints = [];
  const requests = new Set();
  let passed = 0;
  let failed = 0;

  function check(what, holds, told = '') {
    if (holds) ++passed;
    else {
      ++failed;
      console.log(`FAILED: ${what}${told === '' ? '' : ': ' + told}`);
    }
  }

  async function opened(url, options = {}) {
    const page = await context.newPage();
    await page.setViewportSize({width: options.width ?? 1400, height: 900});
    await page.emulateMedia({colorScheme: options.scheme ?? 'light'});
    const told = () => decodeURI(page.url()).split('/').slice(-2).join('/');
    page.on('console', message => { if (['error', 'warning'].includes(message.type())) complaints.push(`${told()}: ${message.text()}`); });
    page.on('pageerror', error => complaints.push(`${told()}: ${error.message}`));
    page.on('dialog', dialog => { complaints.push(`${told()}: a dialog says ${dialog.message()}`); dialog.dismiss(); });
    page.on('request', request => { if (!request.url().startsWith('file:') && !request.url().startsWith('data:')) requests.add(request.url()); });
    await page.goto(url);
    await page.waitForSelector('#content h1');
    return page;
  }

  /** Nothing is off the page, and axe finds nothing serious. */
  async function audit(page, what, width, scheme) {
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(`${what} fits ${width} px`, over <= 0, `${over} px too wide`);
    if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run(document, {preload: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']}));
    const grave = found.violations.filter(each => ['serious', 'critical'].includes(each.impact));
    check(`axe finds nothing serious in ${what}, ${width} px, ${scheme}`, grave.length === 0, grave.map(each => `${each.id}: ${each.nodes.slice(0, 2).map(node => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? '')).join(' | ')}`).join('\n  '));
  }

  /** The closing line, and the end of the program. */
  async function finish() {
    check('nothing was asked of a network', requests.size === 0, [...requests].join(', '));
    check('the console is silent', complaints.length === 0, complaints.join('\n  '));
    await browser.close();
    console.log(`browser: ${passed} passed, ${failed} failed`);
    process.exit(failed ? 1 : 0);
  }

  return {check, opened, audit, finish};
}

export const widths = [[360, 'light'], [800, 'light'], [1400, 'light'], [360, 'dark'], [1400, 'dark']];
export const text = (page, selector) => page.locator(selector).first().innerText();
export const number = (page, selector) => page.locator(selector).count();
