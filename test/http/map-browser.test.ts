/**
 * The map page in Chromium, steered by its DevTools protocol. Without a browser these tests are skipped, which ava
 * counts; `CHROMIUM` names another one.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { decodePng, pixel } from '../formats/decode-png.ts';
import { flatMesh } from '../formats/meshes.ts';
import { gridOf } from '../formats/tiles/tiling.ts';
import { codeOf, groupOf } from '../world/authenticator.ts';
import { type Browser, hasBrowser, startBrowser, type Tab } from '../world/browser.ts';
import { newGrid } from '../world/previews.ts';
import { newStore, smallGrid } from '../world/stores.ts';
import { newFeatures, newTilesOf, steppedGrid } from '../world/tiles.ts';
import { newProject } from '../world/transfers.ts';
import { PASSWORD, type User, world } from '../world.ts';

const w = world(test);
const shown = hasBrowser ? test.serial : test.serial.skip;
const [WIDTH, HEIGHT] = [800, 560];

let browser: Browser | undefined;
let base = '';
let owner: User;
let projectId: string;
// hooks run side by side, and these need the world
shown('a browser starts, and a server listens', async (t) => {
  browser = await startBrowser();
  base = await w.listen();
  owner = await w.account();
  projectId = await newProject(w.as(owner));
  t.regex(base, /^http:\/\/127\.0\.0\.1:/);
});
test.after.always('the end of the browser', () => browser?.close());

/** The address of the map of a dataset with a signature, as the CLI prints it. */
async function signedLink(id: string): Promise<string> {
  const query = new URLSearchParams({ projectId, resourceId: id, readOnly: 'true' });
  const { body } = await w.as(owner).get(`/api/security/sastoken?${query}`);
  return `${base}/map/dataset/${id}?${body.data}`;
}

async function open(address: string): Promise<Tab> {
  const tab = await browser!.tab();
  await tab.viewport(WIDTH, HEIGHT);
  await tab.go(address);
  return tab;
}

const drawn = (tab: Tab) => tab.until("document.body.dataset.state === 'shown'", 'the map is drawn');
const textOf = (tab: Tab, id: string) => tab.evaluate<string>(`document.getElementById('${id}').textContent`);

/** The grey of a pixel of the screen, −1 for other colours. */
function greyOf(picture: Buffer, x: number, y: number): number {
  const [red, green, blue] = pixel(decodePng(picture), x, y).split(',').map(Number);
  return red === green && red === blue ? red! : -1;
}

let axe: string | undefined;
async function checkAccessible(t: ExecutionContext, tab: Tab, what: string): Promise<void> {
  axe ??= await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  await tab.evaluate(`${axe}; 0`);
  const found = await tab.evaluate<{ id: string; impact: string; nodes: string[] }[]>(
    'axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) })))',
  );
  t.deepEqual(
    found.filter(({ impact }) => impact === 'serious' || impact === 'critical'),
    [],
    what,
  );
}

/** Nothing broke, and nothing was asked of another host. */
function checkQuiet(t: ExecutionContext, tab: Tab): void {
  t.deepEqual(tab.complaints, []);
  const elsewhere = tab.requests.filter((url) => !url.startsWith(`${base}/`) && !/^(?:data|blob):/.test(url));
  t.deepEqual(elsewhere, []);
}

shown('a scheme of WMTS in the coordinate system of the data is drawn at its place, with its values', async (t) => {
  const scheme = { minValue: 0, maxValue: 255, colors: ['#000000', '#ffffff'] };
  // Columns of 500 m turned by 10° to the map: the values grow to the east, from one column to the next by 2.55.
  const grid = gridOf(
    { width: 100, height: 60, affine: [800_000, 500, 0, 6_800_000, 0, -500], code: 25832 },
    (x) => Math.floor((x - 800_000) / 500) * 2.55,
  );
  const id = await newTilesOf(w, { projectId, user: owner, name: 'Native' }, grid, [
    { schemeId: 'native', ...scheme },
    { schemeId: 'map', schemeType: 'XYZ', ...scheme },
  ]);
  const pictures: ReturnType<typeof decodePng>[] = [];
  for (const one of ['native', 'map']) {
    const link = new URL(await signedLink(id));
    link.hash = `scheme=${one}`;
    const tab = await open(link.href);
    await drawn(tab);
    t.is(await textOf(tab, 'notes'), '');
    await sleep(1500);
    pictures.push(decodePng(await tab.picture()));
    checkQuiet(t, tab);
    await tab.close();
  }
  // Both schemes have the same grey at the same place.
  let [compared, off] = [0, 0];
  for (let x = 350; x < 780; x += 10)
    for (let y = 60; y < 500; y += 10) {
      const [native, map] = pictures.map((one) => pixel(one, x, y).split(',').map(Number));
      const isGrey = [native!, map!].every(([red, green, blue]) => red === green && red === blue);
      if (!isGrey) continue;
      compared++;
      if (Math.abs(native![0]! - map![0]!) > 8) off++;
    }
  t.true(compared > 200 && off < 0.03 * compared, `${off} of ${compared}`);
});

shown(
  'a signed link shows tiles: the slider of time changes them, the pointer reads them, a click charts them',
  async (t) => {
    const colors = ['#000000', '#ffffff'];
    const item = { schemeType: 'XYZ', minValue: 0, maxValue: 2550, colors };
    const id = await newTilesOf(w, { projectId, user: owner, name: 'Plane <b>' }, steppedGrid(), [
      { schemeId: 'map', ...item },
      { schemeId: 'values', ...item, outputType: 'RawData' },
      { schemeId: 'utm' },
    ]);
    const tab = await open(await signedLink(id));
    await drawn(tab);
    t.is(await textOf(tab, 'title'), 'Plane <b>');
    t.false(await tab.evaluate("document.getElementById('login').open"));

    // the middle of the data: column 50 of 100, row 30 of 60, in 10 m
    const place = await tab.evaluate<{ x: number; y: number }>(
      "(({ left, right, top, bottom }) => ({ x: Math.round(340 + (right - left - 400) / 2), y: Math.round(40 + (bottom - top - 160) / 2) }))(document.getElementById('map').getBoundingClientRect())",
    );
    const expectStep = async (step: number) => {
      const value = 1000 * step + 52.5;
      await tab.mouse('mouseMoved', place.x - 3, place.y);
      await tab.mouse('mouseMoved', place.x, place.y);
      await tab.until(`/Band 1 \\d/.test(document.getElementById('readout-value').textContent)`);
      const read = Number((await textOf(tab, 'readout-value')).replace('Band 1 ', ''));
      t.true(Math.abs(read - value) < 3, `step ${step}: ${read}`);
      // the new tiles replace the old ones when they are drawn
      let red = -1;
      for (let tries = 0; Math.abs(red - value / 10) > 2 && tries < 50; tries++) {
        await sleep(100);
        red = greyOf(await tab.picture(), place.x + 8, place.y + 8);
      }
      t.true(Math.abs(red - value / 10) <= 2, `step ${step}: ${red}`);
    };
    await expectStep(0);
    await tab.evaluate("document.getElementById('time').focus()");
    await tab.key('ArrowRight', 'ArrowRight', 39);
    await tab.until("document.getElementById('time-label').textContent === '2024-05-02 16:00'");
    await tab.mouse('mouseMoved', 5, HEIGHT - 5);
    await tab.until("/no data/.test(document.getElementById('readout-value').textContent)");
    await expectStep(1);
    t.is(
      await tab.evaluate("document.getElementById('time').getAttribute('aria-valuetext')"),
      '2024-05-02 16:00, step 2 of 3',
    );

    await tab.click(place.x, place.y);
    await tab.until("document.querySelector('#chart path.curve')", 'the chart');
    const summary = await textOf(tab, 'point-summary');
    const [, low, high] = /3 of 3 steps have values.*least (\d+\.?\d*), greatest (\d+\.?\d*)\./.exec(summary) ?? [];
    t.true(Math.abs(Number(low) - 52.5) < 3 && Math.abs(Number(high) - 2052.5) < 3, summary);
    await tab.until("location.hash.includes('point=')");
    const hash = await tab.evaluate<string>('location.hash');
    t.true(hash.includes('time=2024-05-02T16:00:00'), hash);
    await checkAccessible(t, tab, 'the map with a chart');
    await tab.media({ 'prefers-color-scheme': 'dark' });
    await checkAccessible(t, tab, 'in the dark');
    checkQuiet(t, tab);

    // the same on a phone, by the permalink
    await tab.media({});
    await tab.viewport(390, 844, true);
    await tab.go('about:blank');
    await tab.go(`${await signedLink(id)}${hash}&scheme=values`);
    await drawn(tab);
    t.is(await textOf(tab, 'time-label'), '2024-05-02 16:00');
    t.is(await tab.evaluate("document.querySelector('input[name=scheme]:checked').value"), 'values');
    t.true(
      await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      'nothing is wider than the screen',
    );
    await checkAccessible(t, tab, 'on a phone');
    checkQuiet(t, tab);
    await tab.close();
  },
);

shown('the keyboard alone reads a place and plays the steps', async (t) => {
  const id = await newTilesOf(w, { projectId, user: owner, name: 'Keys' }, steppedGrid(), [
    { schemeId: 'values', schemeType: 'XYZ', outputType: 'RawData' },
  ]);
  const tab = await open(`${await signedLink(id)}#map=14/54.1448/9.0077`);
  await drawn(tab);
  await tab.evaluate("document.querySelector('#map canvas').focus()");
  await tab.key('.', 'Period', 190);
  await tab.until("document.getElementById('time-count').textContent === '2 / 3'");
  await tab.key('Enter', 'Enter', 13);
  await tab.until("document.querySelector('#chart path.curve')", 'the chart');
  t.regex(await textOf(tab, 'status'), /Band 1, 3 of 3 steps have values/);
  await tab.key(' ', 'Space', 32);
  await tab.until("document.getElementById('time-count').textContent === '3 / 3'", 'it plays');
  await tab.key(' ', 'Space', 32);
  t.is(await tab.evaluate("document.getElementById('play').getAttribute('aria-pressed')"), 'false');
  await tab.key('Escape', 'Escape', 27);
  t.true(await tab.evaluate("document.getElementById('point').hidden"));
  checkQuiet(t, tab);
  await tab.close();
});

const fill = (values: Record<string, string>) =>
  `for (const [id, value] of Object.entries(${JSON.stringify(values)})) document.getElementById(id).value = value;
  document.getElementById('login-submit').click()`;

shown('without a link the page asks for a login with its second factor, and keeps the token in memory', async (t) => {
  const ring = [[8, 54], [9, 54], [9, 55], [8, 55], [8, 54]]; // biome-ignore format: a ring
  const feature = {
    type: 'Feature',
    id: 7,
    properties: { name: 'Ribe', depth: 2.5 },
    geometry: { type: 'Polygon', coordinates: [ring] },
  };
  const id = await newFeatures(
    w,
    projectId,
    owner,
    JSON.stringify({ type: 'FeatureCollection', features: [feature] }),
    'Areas',
  );
  const code = '0123456789abcdef';
  await groupOf(w, owner.id, [`APPAUTH:${code}`]);
  const tab = await open(`${base}/map/dataset/${id}`);
  await tab.until("document.getElementById('login').open");
  await checkAccessible(t, tab, 'the login');
  await tab.evaluate(fill({ 'login-id': owner.id, 'login-password': 'wrong' }));
  await tab.until("document.getElementById('login-refusal').textContent !== ''");
  t.is(await tab.evaluate("document.body.dataset.state ?? ''"), '', 'nothing is loaded');
  await tab.evaluate(fill({ 'login-password': PASSWORD }));
  await tab.until("!document.getElementById('second-factor').hidden", 'the code is asked for');
  await tab.evaluate(fill({ 'login-code': codeOf(code) }));
  await drawn(tab);

  const place = { x: Math.round(340 + (WIDTH - 400) / 2), y: Math.round(40 + (HEIGHT - 160) / 2) };
  await tab.click(place.x, place.y);
  await tab.until("/Ribe/.test(document.getElementById('facts').textContent)", 'the attributes');
  t.regex(await textOf(tab, 'facts'), /depth2\.5/);
  const stored = await tab.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
  );
  t.is(stored, '[{},{},""]');
  t.false((await tab.evaluate<string>('location.href')).includes('?'));
  t.true(await tab.evaluate("document.getElementById('legend').hidden"));
  await tab.evaluate("document.querySelector('input[name=attribute][value=depth]').click()");
  t.regex(await textOf(tab, 'legend'), /^depth.*Minimum 2\.5, maximum 2\.5/);
  await checkAccessible(t, tab, 'features with attributes');
  // browsers report the answer to a wrong password
  t.deepEqual(
    tab.complaints.filter((one) => !/status of 40[01]/.test(one)),
    [],
  );
  await tab.close();
});

shown('a file is drawn by its preview, with legend and values', async (t) => {
  const id = await newGrid(w, projectId, owner);
  const tab = await open(await signedLink(id));
  await drawn(tab);
  t.regex(await textOf(tab, 'legend'), /^Band 1.*Minimum \d.*, maximum \d/);
  const [x, y] = [340 + (WIDTH - 400) / 2, 40 + (HEIGHT - 160) / 2];
  await tab.mouse('mouseMoved', x, y);
  await tab.until("/^Band 1 \\d+/.test(document.getElementById('readout-value').textContent)", 'the value');
  // services of other datasets, which the page asks first
  t.deepEqual(
    tab.complaints.filter((one) => !/status of 40[04]/.test(one)),
    [],
  );
  await tab.close();
});

shown('a multidimensional dataset has its extent and the series of an item at a point', async (t) => {
  const id = await newStore(w, projectId, owner, 'Store', smallGrid());
  const tab = await open(`${await signedLink(id)}#map=18/54.1482/9.0001&point=9.000077,54.148239`);
  await drawn(tab);
  await tab.until(
    "document.querySelector('#chart path.curve') || document.getElementById('point-note').textContent.includes('.')",
  );
  t.is(await textOf(tab, 'point-note'), 'Values of the cell, as they are stored.');
  t.false((await textOf(tab, 'notes')).includes('not known'), 'the extent of a system other than WGS 84');
  t.regex(
    await textOf(tab, 'point-summary'),
    /^Level, 2 of 2 steps have values, from 2026-01-24 00:00 to 2026-01-24 01:00/,
  );
  await tab.close();
});

shown('a multidimensional mesh has its elements with the values of a step, and their series', async (t) => {
  const id = await newStore(w, projectId, owner, 'Mesh', flatMesh());
  const tab = await open(`${await signedLink(id)}#item=velocity`);
  await drawn(tab);
  await tab.until("!document.getElementById('legend').hidden", 'the colours');
  t.is(await textOf(tab, 'legend'), 'velocity m100000100001100002100003Minimum 100000, maximum 100003');
  // the first of three squares side by side
  const [x, y] = [340 + (WIDTH - 400) / 6, 40 + (HEIGHT - 160) / 2];
  await tab.mouse('mouseMoved', x, y);
  await tab.until(
    "document.getElementById('readout-value').textContent === 'velocity 100000 m'",
    'the value of step 0',
  );
  t.is(await textOf(tab, 'readout-place'), 'Element 7');
  await tab.evaluate("document.getElementById('forward').click()");
  await tab.until(
    "/maximum 101003/.test(document.getElementById('legend').textContent)",
    'the colours span both steps',
  );
  await tab.mouse('mouseMoved', x + 2, y);
  await tab.until(
    "document.getElementById('readout-value').textContent === 'velocity 101000 m'",
    'the value of step 1',
  );
  await tab.click(x, y);
  await tab.until("document.querySelector('#chart path.curve')", 'the chart');
  t.regex(
    await textOf(tab, 'point-summary'),
    /^velocity, 7 of 7 steps have values.*least 100000 m, greatest 106000 m\.$/,
  );
  t.regex(await textOf(tab, 'facts'), /Element7velocity at 2026-01-24 14:00101000 m/);
  await checkAccessible(t, tab, 'a mesh');
  await tab.close();
});
