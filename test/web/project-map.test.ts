/** The map of a project: several layers, one time, side by side. */
import test from 'ava';
import { type ConsolePage, consoleTests, expectAccessible, picture } from '../world/console.ts';
import { newDataset } from '../world/content.ts';
import { flow } from '../world/flow.ts';
import { WELLS } from '../world/previews.ts';
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

pages.test(
  'the map of a project: one time for all layers, their order, opacity and item, kept in the address',
  async (t) => {
    const { owner, projectId } = await newOwner();
    await newStore(w, projectId, owner, 'Currents', flow());
    await newStore(w, projectId, owner, 'Forecast', flow(Date.UTC(2026, 0, 24, 0, 30)));
    await newDataset(w, projectId, owner, { name: 'wells', datasetFormat: 'geojson', content: WELLS });
    const page = await pages.openAs(owner, `/projects/${projectId}/map`);
    await isShown(page);
    const names = () =>
      page.tab.evaluate<string[]>("[...document.querySelectorAll('.layer-list a')].map((one) => one.textContent)");
    const before = await names();
    t.deepEqual([...before].sort(), ['Currents', 'Forecast', 'wells']);

    await page.tab.evaluate("location.hash = 'time=2026-01-24T01:00:00'");
    await page.text('2026-01-24 01:00');
    await page.text('3 of 6');
    await page.text('Nearest step: 2026-01-24 00:30, 30 min earlier');
    await page.click('button', 'Next step');
    await page.text('2026-01-24 01:30');
    await page.text('Nearest step: 2026-01-24 01:00, 30 min earlier');
    t.regex(await page.address(), /time=2026-01-24T01%3A30%3A00/);

    await page.click('button', `Move ${before[2]} up`);
    t.deepEqual(await names(), [before[0], before[2], before[1]]);
    t.is(await page.focused(), `Move ${before[2]} up`);
    await page.key('Enter');
    t.deepEqual(await names(), [before[2], before[0], before[1]]);
    await page.text(`${before[2]} is layer 1 of 3, from the top.`);
    await page.fill(/^Opacity Currents/, '40');
    await page.choose('Item of Currents', '1');
    await page.click('checkbox', 'Show wells');
    await expectAccessible(t, page);
    await picture(page, 'project-layers');

    const address = await page.address();
    t.regex(address, /\.40\.1/);
    await page.go('/projects');
    await page.see('heading', 'Projects');
    await page.go(address);
    await isShown(page);
    t.deepEqual(
      await names(),
      [before[2], before[0], before[1]].filter((one) => one !== 'wells'),
    );
    await page.text('2026-01-24 01:30');
    t.is(
      await page.tab.evaluate(
        "[...document.querySelectorAll('.layer-list .opacity')].some((one) => /40 %/.test(one.textContent))",
      ),
      true,
    );

    // the same dataset twice, side by side: another item, at a time of its own
    await page.click('button', 'Show Currents once more');
    await page.choose('Item of Currents (2)', '0');
    await page.click('button', 'Side by side');
    await page.tab.until("document.querySelectorAll('.map-canvas[data-state=shown]').length === 2", 'two maps');
    await page.choose('Half of Currents (2)', 'right');
    await page.choose('Half of Currents', 'left');
    await page.click('checkbox', /^Keep .* Currents \(2\)$/);
    await page.click('button', 'Next step');
    const halves = () =>
      page.tab.evaluate<string[]>(
        "[...document.querySelectorAll('.half-note')].map((one) => [...one.children].find((line) => /^Currents/.test(line.textContent)).textContent)",
      );
    t.deepEqual(await halves(), [
      'Currents U velocity, 2026-01-24 02:00',
      'Currents (2) Water depth, 2026-01-24 01:00',
    ]);
    t.regex(await page.address(), /~1~right~t1769216400000|%7E1%7Eright%7Et1769216400000/);
    await page.tab.evaluate("[...document.querySelectorAll('.map-half canvas')][1].focus()");
    await page.key('Enter');
    await page.see('heading', /^At 5/);
    await expectAccessible(t, page);
    await picture(page, 'project-divided');
    await page.click('button', 'Side by side');
    await page.tab.until("document.querySelectorAll('.map-canvas').length === 1", 'one map');
    await page.key('Escape');

    await page.tab.viewport(360, 780, true);
    await page.click('button', 'Layers');
    await page.see('region', 'Layers');
    t.true((await edges(page, '.map-area'))[1] <= (await edges(page, '.map-sheet'))[0]);
    await expectAccessible(t, page);
    await picture(page, 'project-sheet');
    await page.tab.close();
  },
);
