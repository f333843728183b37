/** Metadata, history, addresses and actions of a dataset. */
import test from 'ava';
import { consoleTests, expectAccessible, picture } from '../world/console.ts';
import { newGrid } from '../world/previews.ts';
import { newProject, sharePath } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);
const pages = consoleTests(test, w);

async function newScene() {
  const owner = await w.account({ tenantId: await w.tenant('River authority'), role: 'Owner' });
  const projectId = await newProject(w.as(owner), 'Sound and belts');
  return { owner, client: w.as(owner), id: await newGrid(w, projectId, owner, 'Terrain of the valley') };
}

pages.test('a record is edited in place; of a change by somebody else both values are shown', async (t) => {
  const { owner, client, id } = await newScene();
  const read = async () => (await client.get(`/api/metadata/dataset/${id}`)).body;
  const page = await pages.openAs(owner, `/datasets/${id}/metadata`);
  await page.see('heading', 'Record');
  await page.text('EPSG:25832');
  await expectAccessible(t, page);
  await picture(page, 'metadata');

  await page.fill('Description', 'Mine');
  await page.fill('Tags', 'storm, 2026');
  const { projectId, rowVersion } = await read();
  const body = { id, name: 'Terrain', description: 'Theirs', rowVersion };
  t.is((await client.put(`/api/metadata/project/${projectId}/dataset`, body)).status, 200);
  await page.click('button', 'Save');
  await page.text('Changed by somebody else as well');
  await page.see('radio', 'Theirs Theirs');
  await expectAccessible(t, page);
  await picture(page, 'metadata-conflict');
  await page.click('radio', 'Yours Mine');
  await page.click('button', 'Save');
  await page.text('Saved.');
  t.like(await read(), { name: 'Terrain', description: 'Mine', tags: ['storm', '2026'] });
  await page.tab.close();
});

pages.test('history, addresses for programs, links and exports of a dataset', async (t) => {
  const { owner, client, id } = await newScene();
  const page = await pages.openAs(owner, `/datasets/${id}/history`);
  await page.see('heading', 'Lineage');
  await page.see('heading', 'Activity');
  await page.text('No sources are recorded.');
  await expectAccessible(t, page);
  await picture(page, 'history');

  await page.go(`/datasets/${id}/use`);
  await page.see('heading', 'QGIS');
  await page.text(`/api/preview/dataset/${id}/{z}/{x}/{y}.png`);
  await page.click('button', 'Make a signature');
  await page.text('.png?sv=');
  await expectAccessible(t, page);
  await picture(page, 'use');

  await page.click('button', 'Share');
  await page.text('There is no link yet.');
  await page.fill('What it is for', 'Consultants');
  await page.click('button', 'Make a link');
  await page.see('button', 'End the link Consultants');
  const url = await page.tab.evaluate<string>('document.querySelector("dialog .secret pre").textContent');
  t.is((await w.nobody.get(sharePath(url))).status, 200);
  await expectAccessible(t, page);
  await picture(page, 'share-dialog');
  await page.click('button', 'End the link Consultants');
  await page.text('Ended');
  t.is((await w.nobody.get(sharePath(url))).status, 404);
  await page.click('button', 'Close');

  await page.click('button', 'Export');
  await page.see('button', 'Start');
  await page.fill('Coordinate system', 'UTM zone 33N');
  await page.click('button', /WGS 84 \/ UTM zone 33N/);
  await page.text('It costs no credits.');
  await expectAccessible(t, page);
  await picture(page, 'export');
  await page.click('button', 'Start');
  await page.gone('dialog', /^Export/);
  const transferId = (await page.address()).replace('/transfers/', '');
  const { body } = await client.get(`/api/conversion/transfer/${transferId}`);
  t.is(body.exportParameters.transformations[0].outputSrid, 32633);
  await page.tab.close();
});
