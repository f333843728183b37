/** Pages that show the content of datasets: map, charts, table. */
import test from 'ava';
import { decodePng, pixel } from '../formats/decode-png.ts';
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

pages.test('the table of a dataset shows its rows in pages; a text is no map', async (t) => {
  const { owner, projectId } = await newOwner();
  const id = await newDataset(w, projectId, owner, { name: 'wells', datasetFormat: 'geojson', content: WELLS });
  const page = await pages.openAs(owner, `/datasets/${id}/table`);
  await page.see('heading', 'wells');
  await page.see('table', 'Table');
  await page.text('well 49');
  await page.text('50 rows');
  await expectAccessible(t, page);
  await picture(page, 'dataset-table');
  const text = await newDataset(w, projectId, owner, { name: 'notes', content: 'no data' });
  await page.go(`/datasets/${text}/table`);
  await page.see('heading', 'notes');
  await page.see('heading', /^(There is nothing to draw|The content cannot be read)$/);
  await expectAccessible(t, page);
  await picture(page, 'dataset-none');
  await page.tab.close();
});

pages.test('the map of a dataset: colours without a request, steps, values of a place, a profile', async (t) => {
  const { owner, projectId } = await newOwner();
  const id = await newStore(w, projectId, owner, 'Currents, surface', flow());
  const page = await pages.openAs(owner, `/datasets/${id}`);
  await page.see('heading', 'Currents, surface');
  await page.tab.until("document.querySelector('.map-canvas[data-state=shown]')", 'the map is shown');
  await page.text('2026-01-24 02:00');
  const middle = await middleOf(page);
  const colourAt = async (x: number, y: number) => pixel(decodePng(await page.tab.picture()), x, y);
  const [x, y] = [middle[0] + 120, middle[1]];
  const before = await waitFor(
    () => colourAt(x, y),
    (colour) => colour !== '223,233,238' && colour !== '248,248,245',
  );
  await expectAccessible(t, page);
  await picture(page, 'dataset-map');
  await page.click('checkbox', 'Isolines');
  await waitFor(
    async () => page.tab.requests.some((url) => url.includes('isolines')),
    (isAsked) => isAsked,
  );
  t.regex(await page.address(), /show=arrows%2Celements%2Cisolines/);
  await picture(page, 'dataset-map-isolines');

  // tiles that the map still waits for
  for (let before = -1; before !== page.tab.requests.length; ) {
    before = page.tab.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const asked = page.tab.requests.length;
  await page.click('button', 'Colours');
  await page.choose('Palette', 'greys');
  await waitFor(
    () => colourAt(x, y),
    (colour) => new Set(colour.split(',')).size === 1 && colour !== before,
  );
  t.deepEqual(
    page.tab.requests.slice(asked).filter((url) => url.includes('.values')),
    [],
  );
  t.regex(await page.address(), /colors=f7f7f7/);
  await expectAccessible(t, page);
  await picture(page, 'dataset-map-colours');
  await page.click('button', 'Save for all');
  await page.text('All see these colours now.');
  await page.click('button', /^Close$/);

  await page.click('button', 'Step before');
  await page.text('2026-01-24 01:00');
  t.regex(await page.address(), /step=1/);
  await page.tab.click(x, y);
  await page.see('heading', /^At 5/);
  await page.text('Water depth');
  await page.tab.until("document.querySelector('.chart canvas')", 'the chart is drawn');
  t.regex(await page.address(), /point=/);
  await expectAccessible(t, page);
  await picture(page, 'dataset-map-point');

  await page.click('button', 'Profile along a line');
  await page.tab.evaluate('scrollTo(0, 0)');
  await page.tab.click(x - 200, y + 60);
  await page.tab.click(x, y + 60);
  await page.click('button', 'Done');
  await page.see('heading', 'Profile along a line');
  await page.see('img', 'Profile of Water depth');
  await page.tab.until("document.querySelectorAll('.chart canvas').length === 2", 'the profile is drawn');
  await picture(page, 'dataset-map-profile');
  // the first page of the tab has no session yet
  t.deepEqual(
    page.tab.complaints.filter((one) => !one.includes('401')),
    [],
  );
  await page.tab.close();
});

pages.test(
  'charts of series: several items, two axes, a part of the period, statistics; the map of a project',
  async (t) => {
    const { owner, projectId } = await newOwner();
    const content = [
      'time,Level [m],Temperature [°C]',
      ...Array.from({ length: 3000 }, (_, n) => {
        const time = new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toISOString().slice(0, 19);
        return `${time},${(3 + 2 * Math.sin(n / 80)).toFixed(3)},${n > 1000 && n < 1200 ? '' : (8 + n / 500).toFixed(2)}`;
      }),
    ].join('\n');
    const id = await newDataset(w, projectId, owner, { name: 'Gauge Ribe', datasetFormat: 'csv', content });
    const other = await newDataset(w, projectId, owner, { name: 'Gauge Esbjerg', datasetFormat: 'csv', content });
    const page = await pages.openAs(owner, `/datasets/${id}`);
    await page.see('heading', 'Gauge Ribe');
    await page.see('heading', 'Statistics');
    t.is(await page.address(), `/datasets/${id}/chart`, 'series have no map');
    await page.gone('link', 'Map');
    await page.tab.until("document.querySelectorAll('.chart canvas').length === 2", 'chart and histogram are drawn');
    await page.click('checkbox', /Temperature/);
    await page.tab.until("document.querySelectorAll('.chart-values')[0].children.length === 3", 'two lines');
    t.regex(await page.address(), /item=0%2C1/);
    await page.fill('Compare with another dataset', `/datasets/${other}/chart?item=0`);
    await page.click('button', 'Add');
    await page.text('Gauge Esbjerg: Level');
    await expectAccessible(t, page);
    await picture(page, 'dataset-chart');
    await page.go(`/datasets/${id}/chart#from=2026-01-10T00:00:00&to=2026-01-20T00:00:00`);
    await page.see('button', 'Whole period');

    await newStore(w, projectId, owner, 'Currents', flow());
    await newDataset(w, projectId, owner, { name: 'wells', datasetFormat: 'geojson', content: WELLS });
    await page.go(`/projects/${projectId}/map`);
    await page.tab.until("document.querySelector('.map-canvas[data-state=shown]')", 'the map is shown');
    await page.see('checkbox', 'Show wells');
    await page.see('link', 'Currents');
    await expectAccessible(t, page);
    await picture(page, 'project-map');

    await page.click('link', 'wells');
    await page.see('heading', 'wells');
    await page.tab.until("document.querySelector('.map-canvas[data-state=shown]')", 'the map is shown');
    let [left, top] = [0, 0];
    const wellSeen = async () => {
      // the page may still be growing
      const [x, y] = await middleOf(page);
      // 50 wells of 9.000 to 9.049° E fill the width of the map, above the time bar
      [left, top] = [x, y - 30];
      const png = decodePng(await page.tab.picture());
      return Array.from({ length: 40 }, (_, n) => pixel(png, left - 20 + n, top)).some((one) => one !== '248,248,245');
    };
    await waitFor(wellSeen, (seen) => seen);
    await picture(page, 'features-map');
    await page.tab.click(left, top);
    await page.see('heading', /^At 5/);
    await page.text('well 2');
    await picture(page, 'features-point');
    t.deepEqual(
      page.tab.complaints.filter((one) => !one.includes('401')),
      [],
    );
    await page.tab.close();
  },
);

/** The middle of the map on the screen. */
const middleOf = (page: ConsolePage) =>
  page.tab.evaluate<[number, number]>(`(() => {
    const { left, top, width, height } = document.querySelector('.map-canvas').getBoundingClientRect();
    return [Math.round(left + width / 2), Math.round(top + height / 2)];
  })()`);

/** The first answer that is as it should be. */
async function waitFor<T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const value = await read();
    if (isRight(value)) return value;
    if (tries > 100) throw new Error(`It stays ${JSON.stringify(value)}.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
