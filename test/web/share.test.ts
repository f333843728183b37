/** The page behind a link to a dataset. */
import test from 'ava';
import { consoleTests, expectAccessible, picture } from '../world/console.ts';
import { newDataset } from '../world/content.ts';
import { newGrid } from '../world/previews.ts';
import { local, newProject } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);
const pages = consoleTests(test, w);

pages.test('the page of a link shows the data to anybody who has it, until the link ends', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant('River authority'), role: 'Owner' });
  const client = w.as(owner);
  const projectId = await newProject(client, 'Sound and belts');
  const id = await newGrid(w, projectId, owner, 'Terrain of the valley');
  const { body } = await client.post(`/api/metadata/dataset/${id}/share`, { downloads: 'Formats' });
  const address = local(body.url);
  t.regex(address, /^\/s\/[\w-]{22}$/);
  const { headers } = await w.app.inject({ url: address, headers: { accept: 'text/html' } });
  t.like(headers, { 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' });

  const page = await pages.open(address);
  await page.see('heading', 'Terrain of the valley');
  await page.text('River authority');
  await page.text('Shared until');
  await page.see('heading', 'About the data');
  t.is(await page.tab.evaluate('document.title'), 'Terrain of the valley · Data platform');
  await page.see('link', 'Original file');
  await page.see('button', 'GeoTIFF (.tif)');
  await page.tab.until(
    "performance.getEntriesByType('resource').some(({ name }) => /preview\\/\\d+\\/\\d+\\//.test(name))",
    'the map asks for tiles of the link',
  );
  await page.click('radio', 'BibTeX');
  await page.text('@misc{dataset');
  await expectAccessible(t, page);
  await picture(page, 'share');

  await page.click('button', 'GeoTIFF (.tif)');
  await page.text('It waits for a worker.');
  t.regex(await page.address(), /[#&]file=[0-9a-f-]{36}/);
  await expectAccessible(t, page);
  await picture(page, 'share-making');

  await client.delete(`/api/metadata/share/${body.id}`);
  await page.tab.go(page.tab.requests[0]!);
  await page.see('heading', 'This link does not lead anywhere');
  await expectAccessible(t, page);
  await picture(page, 'share-ended');
  await page.tab.close();
});

pages.test('series of a link are drawn as a chart, without those of other datasets', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant('Gauge authority'), role: 'Owner' });
  const client = w.as(owner);
  const content = `time,Level [m]\n${Array.from({ length: 20 }, (_, n) => `2026-01-${n + 10}T00:00:00,${n % 7}`).join('\n')}`;
  const wanted = { name: 'Gauge Ribe', datasetFormat: 'csv', content };
  const id = await newDataset(w, await newProject(client, 'Gauges'), owner, wanted);
  const { body } = await client.post(`/api/metadata/dataset/${id}/share`, { downloads: 'None' });
  const page = await pages.open(local(body.url));
  await page.see('heading', 'Gauge Ribe');
  await page.see('heading', 'Statistics');
  await page.tab.until("document.querySelectorAll('.chart canvas').length === 2", 'chart and histogram are drawn');
  await page.gone('textbox', 'Compare with another dataset');
  await expectAccessible(t, page);
  await picture(page, 'share-series');
  await page.tab.close();
});
