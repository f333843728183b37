/** The maps of datasets: on a phone, by keyboard. */
import test from 'ava';
import { decodePng, pixel } from '../formats/decode-png.ts';
import { type ConsolePage, consoleTests, expectAccessible, picture } from '../world/console.ts';
import { flow, hill } from '../world/flow.ts';
import { newStore } from '../world/stores.ts';
import { newProject } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);
const pages = consoleTests(test, w);

async function newOwner() {
  const owner = await w.account({ tenantId: await w.tenant('River authority'), role: 'Owner' });
  return { owner, projectId: await newProject(w.as(owner), 'Sound and belts') };
}

const isShown = (page: ConsolePage) =>
  page.tab.until("document.querySelector('.map-canvas[data-state=shown]')", 'the map is shown');

const edges = (page: ConsolePage, selector: string) =>
  page.tab.evaluate<[top: number, bottom: number]>(`(() => {
    const { top, bottom } = document.querySelector('${selector}').getBoundingClientRect();
    return [Math.round(top), Math.round(bottom)];
  })()`);

pages.test('on a phone, settings and values are in a sheet, and the map above it stays in use', async (t) => {
  const { owner, projectId } = await newOwner();
  const id = await newStore(w, projectId, owner, 'Currents, surface', flow());
  const page = await pages.openAs(owner, `/datasets/${id}`, 360);
  await isShown(page);
  // a slow picture: other tiles are wanted before MapLibre has read the source of the first ones
  await page.tab.evaluate(`(async () => {
    const usual = window.requestAnimationFrame;
    const frames = [];
    window.requestAnimationFrame = (draw) => frames.push(draw);
    for (const shown of ['', 'arrows', 'arrows,isolines']) {
      location.hash = 'show=' + shown;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    window.requestAnimationFrame = usual;
    for (const draw of frames) usual(draw);
    location.hash = '';
  })()`);
  t.deepEqual(page.tab.complaints, []);
  await expectAccessible(t, page);

  const rows = await page.tab.evaluate<number>(
    "new Set([...document.querySelectorAll('.page-head .actions button')].map((one) => one.getBoundingClientRect().top)).size",
  );
  t.is(rows, 1, 'the actions stand in one row');
  await page.click('button', 'Item, colours, layers');
  await page.see('region', 'Item, colours, layers');
  t.is(await page.focused(), 'Item, colours, layers');
  const [map, sheet, bottom] = [
    await edges(page, '.map-area'),
    await edges(page, '.map-sheet'),
    await edges(page, '.bottom'),
  ];
  t.true(map[0] >= 0 && map[1] <= sheet[0], `map ${map}, sheet ${sheet}`);
  t.true(sheet[1] <= bottom[0], `sheet ${sheet}, tabs ${bottom}`);
  await expectAccessible(t, page);
  await page.click('button', 'Step before');
  await page.text('2026-01-24 01:00');
  await page.choose('Item', '1');
  t.regex(await page.address(), /item=1/);
  await page.key('Escape');
  await page.gone('region', 'Item, colours, layers');
  t.is(await page.focused(), 'Item, colours, layers');
  await page.key('Enter');
  await page.see('region', 'Item, colours, layers');
  await picture(page, 'map-sheet');
  await page.click('button', 'Close');

  // the map has the keyboard: Enter reads the place in its middle, Escape leaves it
  await page.tab.evaluate("document.querySelector('.map-canvas canvas').focus()");
  await page.key('ArrowLeft', 37);
  await page.tab.until('/at=/.test(location.hash)', 'the map has moved');
  await page.key('Enter');
  await page.see('heading', /^At 5/);
  await page.tab.until("document.querySelector('.chart canvas')", 'the chart is drawn');
  const card = await edges(page, '.map-cards');
  t.true((await edges(page, '.map-area'))[1] <= card[0] && card[1] <= bottom[0]);
  await expectAccessible(t, page);
  await picture(page, 'map-sheet-point');
  await page.key('.');
  await page.text('2026-01-24 02:00');
  await page.key('Escape');
  await page.gone('heading', /^At 5/);
  await page.tab.close();
});

const particles = (page: ConsolePage, state: string) =>
  page.tab.until(`document.querySelector('.particles[data-state=${state}]')`, `particles are ${state}`);

/** Whether anything is drawn of particles, and whether it changes in the next pictures. */
const motion = (page: ConsolePage) =>
  page.tab.evaluate<[drawn: boolean, moves: boolean]>(`(async () => {
    const canvas = document.querySelector('.particles');
    const read = () => [...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data].join();
    const before = read();
    for (let n = 0; n < 12; n++) await new Promise(requestAnimationFrame);
    return [/[1-9]/.test(before), before !== read()];
  })()`);

pages.test('particles drift with a flow; they rest in a hidden tab, and are still for who asks for it', async (t) => {
  const { owner, projectId } = await newOwner();
  const id = await newStore(w, projectId, owner, 'Currents, surface', flow());
  const page = await pages.openAs(owner, `/datasets/${id}#show=particles`);
  await isShown(page);
  await particles(page, 'moving');
  await page.tab.until("document.querySelector('.particles').getContext('2d')", 'the canvas is there');
  for (let tries = 0; !(await motion(page))[0] && tries < 50; tries++);
  t.deepEqual(await motion(page), [true, true]);
  await expectAccessible(t, page);

  const see = (state: string) =>
    page.tab.evaluate(`(() => {
      Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    })()`);
  await see('hidden');
  t.is((await motion(page))[1], false);
  await see('visible');
  await particles(page, 'moving');
  await picture(page, 'map-particles');
  await page.tab.media({ 'prefers-reduced-motion': 'reduce' });
  await particles(page, 'still');
  t.deepEqual(await motion(page), [true, false]);
  await page.click('checkbox', 'Moving particles');
  await page.tab.until("document.querySelector('.particles') === null", 'particles are gone');
  await page.tab.media({});
  await page.tab.close();
});

pages.test('heights of the ground are shaded from the north-west', async (t) => {
  const { owner, projectId } = await newOwner();
  const id = await newStore(w, projectId, owner, 'Valley', hill());
  const page = await pages.openAs(owner, `/datasets/${id}`);
  await isShown(page);
  await page.see('checkbox', 'Hillshade');
  const sides = async () => {
    const [x, y] = await page.tab.evaluate<[number, number]>(`(() => {
      const { left, top, width, height } = document.querySelector('.map-canvas').getBoundingClientRect();
      // the middle of the data, above the time bar that it has not
      return [Math.round(left + width / 2), Math.round(top + height / 2 - 30)];
    })()`);
    const png = decodePng(await page.tab.picture());
    const light = (dx: number, dy: number) =>
      pixel(png, x + dx, y + dy)
        .split(',')
        .reduce((sum, one) => sum + Number(one), 0);
    return light(-60, -60) - light(60, 60);
  };
  let difference = 0;
  for (let tries = 0; difference < 60 && tries < 100; tries++) {
    difference = await sides();
    await page.tab.evaluate('new Promise(requestAnimationFrame)');
  }
  t.true(difference >= 60, `${difference}`);
  await expectAccessible(t, page);
  await picture(page, 'map-hillshade');
  await page.click('checkbox', 'Hillshade');
  for (let tries = 0; Math.abs(difference) >= 60 && tries < 100; tries++) {
    difference = await sides();
    await page.tab.evaluate('new Promise(requestAnimationFrame)');
  }
  t.true(Math.abs(difference) < 60, `${difference}`);
  await page.tab.close();
});

/** Runs in the page: keeps account of WebGL contexts, of listeners at objects that outlive a page, and of requests. */
const ACCOUNT = `(() => {
  const contexts = [], listeners = new Map(), requests = [];
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    const made = getContext.call(this, kind, ...rest);
    if (String(kind).startsWith('webgl') && made && !contexts.includes(made)) contexts.push(made);
    return made;
  };
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  const lives = (target) => target === undefined || target === window || target === document ||
    target === document.body || target instanceof MediaQueryList;
  const keyOf = (type, one, options) => [type, one, Boolean(options?.capture ?? (options === true))];
  const find = (key) => [...listeners.keys()].find((each) => each.every((part, n) => part === key[n]));
  EventTarget.prototype.addEventListener = function (type, one, options) {
    if (lives(this) && one && !options?.once) {
      const key = keyOf(type, one, options);
      if (!find(key)) listeners.set(key, type);
      options?.signal?.addEventListener('abort', () => listeners.delete(find(key)), { once: true });
    }
    return addEventListener.call(this, type, one, options);
  };
  EventTarget.prototype.removeEventListener = function (type, one, options) {
    if (lives(this)) listeners.delete(find(keyOf(type, one, options)));
    return removeEventListener.call(this, type, one, options);
  };
  const { fetch } = window;
  window.fetch = async (input, options) => {
    const own = { url: String(input.url ?? input), signal: options?.signal ?? input.signal, done: false };
    if (/[/]preview[/].*[/]\\d+[/]|basemap/.test(own.url)) requests.push(own);
    try {
      return await fetch(input, options);
    } finally {
      own.done = true;
    }
  };
  window.account = () => ({
    contexts: contexts.filter((one) => !one.isContextLost()).length,
    listeners: [...listeners.values()].sort().join(' '),
    asked: requests.length,
    inFlight: requests.filter(({ done, signal }) => !done && !signal?.aborted).map(({ url }) => url),
  });
})()`;

pages.test('a map that is left frees its WebGL context and listeners, and asks for no more tiles', async (t) => {
  const { owner, projectId } = await newOwner();
  const ids: string[] = [];
  for (let n = 0; n < 20; n++) ids.push(await newStore(w, projectId, owner, `Currents ${n}`, flow()));
  const page = await pages.openAs(owner, '/projects');
  await page.see('heading', 'Projects');
  await page.tab.evaluate(ACCOUNT);
  const account = () =>
    page.tab.evaluate<{ contexts: number; listeners: string; asked: number; inFlight: string[] }>('account()');
  /** At most one map is there at a time, also of those that are left while they open. */
  const visit = async (id: string, n: number) => {
    await page.go(`/datasets/${id}#show=particles,arrows,hillshade`);
    await page.see('heading', `Currents ${n}`);
    if (n % 4 === 0) await isShown(page);
    if (n % 8 === 0) await particles(page, 'moving');
    await page.tab.until('account().contexts <= 1', 'one map at most is there');
  };
  const leave = async () => {
    await page.go('/projects');
    await page.see('heading', 'Projects');
    await page.tab.until('account().contexts === 0 && account().inFlight.length === 0', 'nothing is left of the map');
  };
  await visit(ids[0]!, 0);
  await leave();
  const { listeners } = await account();
  for (const [n, id] of ids.entries()) await visit(id, n);
  await leave();
  const end = await account();
  t.is(end.listeners, listeners);
  t.true(end.asked > 20, `${end.asked}`);
  t.deepEqual(
    page.tab.complaints.filter((one) => !one.includes('401')),
    [],
  );
  await page.tab.close();
});
