/** What a dataset was made of, and the export of an area that is drawn on a map. */
import test from 'ava';
import { consoleTests, expectAccessible, picture } from '../world/console.ts';
import { gridText } from '../world/previews.ts';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { world } from '../world.ts';

const w = world(test);
const pages = consoleTests(test, w);
const worker = switchedWorker(w);

pages.test('a dataset tells what it was made of; an area drawn on its map, or typed, is exported', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant('River authority'), role: 'Owner' });
  const client = w.as(owner);
  const projectId = await newProject(client, 'Sound and belts');
  const request = copyRequest(projectId, await upload(w, client, gridText()), {
    readerName: 'AsciiGridReader',
    readerParameters: [{ name: 'SRID', value: 25832 }],
    writerName: 'GeoTiffWriter',
    originalFileName: 'valley.asc',
    outputDatasetData: { name: 'Terrain of the valley' },
  });
  await worker.start();
  const { body } = await start(client, request);
  const { importResults } = await untilEnd(client, body.id);
  const id = importResults[0].datasetId as string;

  const page = await pages.openAs(owner, `/datasets/${id}`);
  await page.see('heading', 'Where it comes from');
  await page.text('valley.asc');
  await page.text('ASCII Grid');
  await page.see('link', 'Receipt and log');
  await expectAccessible(t, page);
  await picture(page, 'source-card');

  await page.click('button', 'Export');
  await page.see('radio', 'Rectangle');
  t.is(await page.focused(), 'Format', 'the first field has the focus, also if it was not there at first');
  await page.click('radio', 'Rectangle');
  await page.tab.until("document.querySelector('.area-map .map-canvas[data-state=shown]')", 'the map is shown');
  const [x, y] = await page.tab.evaluate<[number, number]>(`(() => {
    const map = document.querySelector('.area-map');
    map.scrollIntoView({ block: 'center' });
    const { left, top, width, height } = map.getBoundingClientRect();
    return [Math.round(left + width / 2), Math.round(top + height / 2)];
  })()`);
  await page.tab.click(x - 20, y - 20);
  await page.tab.click(x + 20, y + 20);
  await page.tab.until("/km².* of the extent/.test(document.querySelector('.area-field').textContent)", 'the size');
  await page.text('It costs no credits.');
  await expectAccessible(t, page);
  await picture(page, 'area-rectangle');

  const sides = { West: '9.01', South: '54.15', East: '9', North: '54.16' };
  for (const [side, value] of Object.entries(sides)) await page.fill(side, value);
  await page.text('West must be less than East');
  t.true(await page.tab.evaluate("[...document.querySelectorAll('dialog button')].at(-1).disabled"));
  await page.fill('East', '9.03');

  // by keyboard: the corners of a polygon are the middle of the map, which is at its new place at once
  await page.tab.media({ 'prefers-reduced-motion': 'reduce' });
  await page.click('radio', 'Polygon');
  await page.tab.evaluate("document.querySelector('.area-map canvas').focus()");
  for (const [count, key, code] of [
    ['1 corner', 'ArrowLeft', 37],
    ['2 corners', 'ArrowUp', 38],
    ['3 corners', 'ArrowRight', 39],
  ] as const) {
    await page.key('Enter');
    // the same corner again is none
    await page.key('Enter');
    await page.text(count);
    await page.key(key, code);
  }
  await page.click('button', 'Close the polygon');
  await page.text('of the extent of the dataset');

  await page.click('radio', 'Rectangle');
  for (const [side, value] of Object.entries({ ...sides, East: '9.03' })) await page.fill(side, value);
  await page.text('of the extent of the dataset');
  await page.text('It costs no credits.');
  await page.click('button', 'Start');
  await page.gone('dialog', /^Export/);
  const transferId = (await page.address()).replace('/transfers/', '');
  const exported = await untilEnd(client, transferId);
  t.is(exported.status, 'Completed', exported.errorMessage);
  t.deepEqual(exported.exportParameters.transformations[0].spatialFilter, {
    geometry: 'POLYGON ((9.01 54.15, 9.03 54.15, 9.03 54.16, 9.01 54.16, 9.01 54.15))',
    SRID: 4326,
  });

  // a file that is kept as it is, is exported by the reader that reads it
  const asItIs = { originalFileName: 'kept.asc', outputDatasetData: { name: 'Kept' } };
  const kept = await start(client, copyRequest(projectId, await upload(w, client, gridText()), asItIs));
  const ended = await untilEnd(client, kept.body.id);
  await page.go(`/datasets/${ended.importResults[0].datasetId}`);
  await page.see('heading', 'Kept');
  await page.click('button', 'Export');
  await page.see('dialog', 'Export Kept');
  await page.choose('Format', 'AsciiGridWriter');
  await page.text('It costs no credits.');
  await page.tab.close();
});
