// Opens pages in Chromium as people do, and tells what is not as it must be, a line each.
//   node page.mjs MODULES CHROMIUM CASES.json
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

const [modules, chromiumPath, casesPath] = process.argv.slice(2);
const require = createRequire(modules + '/');
const {chromium} = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const cases = JSON.parse(readFileSync(casesPath, 'utf8'));
let problems = 0;
let checks = 0;
let what = '';
const must = (holds, message) => {
  ++checks;
  if (!holds) {
    ++problems;
    console.log(`${what}: ${message}`);
  }
};

const browser = await chromium.launch({executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu']});
// A page whose every word and wish is noted.
const opened = async (file, options = {}) => {
  const context = await browser.newContext({viewport: {width: 1400, height: 900}, bypassCSP: true, ...options});
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  page.on('console', said => must(false, `console ${said.type()}: ${said.text()}`));
  page.on('pageerror', error => must(false, `error: ${error.message}`));
  page.on('dialog', dialog => { must(false, `dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', request => must(request.url() === url, `asks for ${request.url()}`));
  await page.goto(url);
  return page;
};
const visible = page => page.locator('#regions tbody tr:visible');
const clean = async (page, when) => {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document));
  for (const one of found.violations) must(false, `axe ${when}: ${one.id}: ${one.help}: ${one.nodes[0].html.slice(0, 160)}`);
  must(found.passes.length > 10, `axe ${when}: only ${found.passes.length} rules looked at`);
};

// A plan's page: its blocks are found and sorted, at any width, in the dark and without script.
const plan = async one => {
  let page = await opened(one.file);
  const seen = () => visible(page).evaluateAll(all => all.map(row => [row.cells[0].textContent, Number(row.dataset.n)]));
  const rows = await seen();
  for (const block of one.blocks) must(rows.some(([name, size]) => name === block.name && size === block.size), `no row of ${block.name}`);
  must(rows.length === one.blocks.length, `${rows.length} rows, not ${one.blocks.length}`);
  await page.fill('#filter', one.blocks[0].name);
  must((await seen()).some(([name]) => name === one.blocks[0].name) && (await seen()).length < rows.length, 'the filter does not find a tensor');
  await page.fill('#filter', '');
  await page.click('#regions thead th:nth-child(7) button');
  must((await seen()).every(([, size], i, all) => i === 0 || all[i - 1][1] <= size), 'sizes are not sorted');
  await clean(page, 'light');
  await page.context().close();
  for (const [width, scheme] of [[800, 'dark'], [400, 'light']]) {
    page = await opened(one.file, {colorScheme: scheme, viewport: {width, height: 700}});
    await clean(page, `${scheme}, ${width}`);
    must(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `is wider than ${width} pixels`);
    await page.context().close();
  }
  page = await opened(one.file, {javaScriptEnabled: false});
  must(await visible(page).count() === one.blocks.length, 'without script not every block is there');
  await page.context().close();
};

for (const one of cases) {
  what = one.name;
  if (one.blocks) {
    await plan(one);
    continue;
  }
  let page = await opened(one.file);

  // Every region of the map is a row with its address and size; other names are folded.
  const rows = await page.evaluate(() => [...document.querySelectorAll('#regions tbody tr')].map(row => ({
    name: row.dataset.r, physical: row.cells[1].textContent, bytes: row.dataset.n, alias: row.classList.contains('al'), hidden: row.hidden})));
  must(rows.length === one.regions.length, `${rows.length} rows, not ${one.regions.length}`);
  for (const region of one.regions) {
    must(rows.some(row => row.name === region.name && row.bytes === String(region.size) && row.alias === region.alias && row.hidden === region.alias
      && (region.physical === null ? row.physical === '' : Number(row.physical) === region.physical)), `no row is as ${JSON.stringify(region)}`);
  }

  // A strip is to scale: each region at its share of what is shown.
  const strips = await page.evaluate(() => [...document.querySelectorAll('.bank[data-base]')].map(bank => {
    const strip = [...bank.querySelectorAll('svg.strip')].at(-1);
    const box = strip.getBoundingClientRect();
    return {base: Number(bank.dataset.base), from: Number(bank.dataset.from), shown: Number(bank.dataset.shown), width: box.width, bottom: box.bottom,
      segments: [...strip.children].map(part => { const rect = part.querySelector('rect').getBoundingClientRect();
        return {name: part.dataset.r ?? '', left: rect.left - box.left, width: rect.width}; })};
  }));
  must(strips.length === one.banks, `${strips.length} banks are drawn, not ${one.banks}`);
  let placed = 0;
  for (const region of one.regions.filter(each => !each.alias && each.physical !== null)) {
    for (const strip of strips) {
      const x = (region.physical - strip.base - strip.from) / strip.shown * strip.width, w = region.size / strip.shown * strip.width;
      if (x < 0 || x + w > strip.width) continue;
      const part = strip.segments.find(each => each.name === region.name);
      must(part && Math.abs(part.left - x) < 1.5 && (Math.abs(part.width - w) < 1.5 || part.width <= 1.5), `${region.name} is drawn at ${JSON.stringify(part)}, not at ${x}, ${w}`);
      ++placed;
    }
  }
  must(placed >= one.banks, 'nothing was held against the scale');

  // The first screen.
  const text = await page.locator('body').innerText();
  for (const word of one.says) must(text.includes(word), `does not say '${word}'`);
  if (one.rows) {
    const seen = await page.evaluate(() => [...document.querySelectorAll('#regions tbody tr')].filter(row => !row.hidden && row.getBoundingClientRect().bottom <= innerHeight).length);
    must(seen >= one.rows, `${seen} rows are seen at 1400x900, not ${one.rows}`);
    must(strips.every(strip => strip.bottom <= 900), 'a strip is below the first screen');
  }
  must(await page.locator('.lane .side', {hasText: 'before'}).count() > 0 === one.compares, 'before and now are not as they must be');
  must((await page.locator('#regions tr.ch').count()) === one.changed, `${await page.locator('#regions tr.ch').count()} rows are changed, not ${one.changed}`);
  for (const [name, old] of Object.entries(one.old)) {
    const cell = await page.locator(`#regions tr[data-r="${name}"]:not(.al) .old`).first().innerText();
    must(cell.includes(old), `${name} was '${cell}', not '${old}'`);
  }

  // Search: by name, by core, by an address on the bus and one of a core.
  for (const [words, names] of one.searches) {
    await page.fill('#filter', words);
    const found = await visible(page).evaluateAll(all => all.map(row => row.dataset.o));
    must(names.every(name => found.includes(name)) && found.length < one.regions.length / 2, `'${words}' finds ${found.slice(0, 5)}, not ${names}`);
  }
  await page.fill('#filter', '');

  // Sort, fold.
  await page.click('#regions thead th:nth-child(3) button');
  const sizes = await visible(page).evaluateAll(all => all.map(row => Number(row.dataset.n)));
  must(sizes.every((size, i) => i === 0 || sizes[i - 1] <= size), 'sizes are not sorted');
  must(await page.locator('#regions th[aria-sort=ascending]').count() === 1, 'the sorted column is not told');
  const fold = page.locator('.fold').first();
  if (await fold.count()) {
    const before = await visible(page).count();
    await fold.click();
    must(await visible(page).count() > before, 'a click on + unfolds nothing');
  }

  // Zoom with keys, until the smallest region can be seen; the row is one key away.
  const bank = page.locator('.bank[data-base]').first();
  await bank.focus();
  const names = await bank.locator('svg.strip').last().evaluate(strip => [...strip.children].filter(part => part.dataset.r).map(part => [part.dataset.r, Number(part.dataset.n)]));
  const small = names.reduce((least, each, i) => each[1] < names[least][1] ? i : least, 0);
  for (let i = 0; i <= small; ++i) await page.keyboard.press('ArrowRight');
  for (let i = 0; i < 12; ++i) await page.keyboard.press('+');
  const width = await bank.locator(`svg.strip [data-r="${names[small][0]}"]`).last().evaluate(part => part.getBoundingClientRect().width);
  must(width > 100, `${names[small][0]} has ${width} pixels after zooming in`);
  must((await page.locator('#picked').innerText()).includes(names[small][0]), 'what is chosen is not told');
  must(await page.locator('#picked').getAttribute('aria-live') === 'polite', 'what is chosen is not read out');
  await page.keyboard.press('Enter');
  must(await page.locator(`#regions tr[data-r="${names[small][0]}"]`).first().evaluate(row => { const box = row.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }), 'Enter does not lead to the row');
  await page.keyboard.press('0');
  await page.keyboard.press('Escape');
  must(await page.locator('#picked').isHidden(), 'Escape does not let go');

  // A click on a strip lights up the row, wherever the name stands.
  const wide = names.reduce((most, each, i) => each[1] > names[most][1] ? i : most, 0);
  await bank.locator(`svg.strip [data-r="${names[wide][0]}"]`).last().click();
  must(await page.locator(`#regions tr.hot[data-r="${names[wide][0]}"]`).count() > 0, 'a click on a strip does not light up its row');

  // A region, its carve-out and its entries light up together; a click on the carve-out leads back.
  if (one.link) {
    const [region, carveout, core] = one.link;
    await page.selectOption('#core', core);
    await page.locator(`#regions tr[data-r="${region}"]:not(.al)`).first().click();
    must(await page.locator(`tr.hot[data-c="${carveout}"]`).count() === 1, `${carveout} does not light up with ${region}`);
    must(await page.locator('.onelane:visible .e.hot').count() > 0, `no entry of ${core} lights up with ${region}`);
    must(await page.locator(`.onelane:visible .s.hot[data-o="${region}"]`).count() > 0, `${core} does not light up with ${region}`);
    await page.locator(`tr[data-c="${carveout}"]`).click();
    must(await page.locator('#picked').isVisible(), `a click on ${carveout} chooses nothing`);
    await page.locator('#picked button').click();
  }

  // Each core has a lane of its own.
  for (const core of one.cores) {
    await page.selectOption('#core', core);
    must(await page.locator('.onelane:visible').count() === 1 && (await page.locator('.onelane:visible h2').textContent()).includes(core), `no lane of ${core}`);
    must(await page.locator('.onelane:visible svg.strip').last().locator('.s').count() > 0, `nothing is in the lane of ${core}`);
  }

  // A click on a heap lists its records.
  for (const [region, records] of Object.entries(one.heaps)) {
    const heap = page.locator('.heap', {has: page.locator('b', {hasText: new RegExp(`^${region}$`)})});
    await heap.locator('summary').click();
    must(await heap.locator('tbody tr:visible').count() === records, `${region} lists ${await heap.locator('tbody tr:visible').count()} records, not ${records}`);
  }
  await clean(page, 'light');
  await page.context().close();

  page = await opened(one.file, {colorScheme: 'dark', viewport: {width: 800, height: 600}});
  await clean(page, 'dark, 800');
  must(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'is wider than 800 pixels');
  await page.context().close();
  page = await opened(one.file, {viewport: {width: 400, height: 800}});
  await clean(page, '400');
  must(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'is wider than 400 pixels');
  await page.context().close();

  // Without script it is a table of everything.
  page = await opened(one.file, {javaScriptEnabled: false});
  must(await visible(page).count() === one.regions.length, 'without script not every row is there');
  must(await page.locator('.heap tbody tr:visible').count() === Object.values(one.heaps).reduce((sum, each) => sum + each, 0), 'without script not every record is there');
  await page.context().close();

  page = await opened(one.file);
  await page.pdf({path: one.pdf, preferCSSPageSize: true});
  // What people do next still works.
  must(await page.locator('.onelane:visible').count() === (one.cores.length ? 1 : 0), 'after printing all lanes are open');
  await page.context().close();
}
await browser.close();
console.log(`${checks} checks, ${problems} problems`);
process.exit(problems ? 1 : 0);
