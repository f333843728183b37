import test from 'ava';
import { needsOfTemplate } from '../../src/kubernetes/scheduling/template.ts';
import type { ClusterView } from '../../src/transfers/cluster/cluster-view.ts';
import { storeClusterView } from '../../src/transfers/cluster/cluster-views.queries.ts';
import { consoleTests, expectAccessible, picture } from '../world/console.ts';
import { newDataset, subproject } from '../world/content.ts';
import { ASCII_GRID, copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { world } from '../world.ts';

const w = world(test);
const pages = consoleTests(test, w);
const worker = switchedWorker(w);

const FULL_CLUSTER: ClusterView = {
  settings: {
    takes: 'all',
    overheadMb: 512,
    scratchIsVolume: true,
    template: needsOfTemplate({}, 'transfer'),
    classes: [],
  },
  nodes: [
    {
      name: 'node-7',
      labels: {},
      taints: [],
      allocatable: { cpu: 4000, memory: 2 ** 33, pods: 110 },
      daemons: {},
      used: { memory: 2 ** 32, pods: 1 },
    },
  ],
};

pages.test('transfers: filters, why one waits, cancel, failures by cause, retry, receipt, log, download', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant('River authority'), role: 'Owner' });
  const client = w.as(owner);
  const projectId = await newProject(client, 'Sound and belts');
  const page = await pages.openAs(owner, '/transfers');
  await page.see('heading', 'No transfers yet');
  await expectAccessible(t, page);
  await picture(page, 'transfers-empty');

  const begin = async (name: string, more: object = {}) => {
    const request = { outputDatasetData: { name }, originalFileName: name, ...more };
    const { body } = await start(client, copyRequest(projectId, await upload(w, client, ASCII_GRID), request));
    return body.id as string;
  };
  const notes = await begin('notes.txt');
  // appears by itself
  await page.see('link', 'notes.txt');
  await begin('unwanted.txt');
  await page.click('button', 'Why notes.txt waits');
  await page.see('heading', 'Why it waits');
  await page.text('No worker');
  t.regex(await page.address(), /#why=/);
  await expectAccessible(t, page);
  await picture(page, 'transfers-why');
  // a cluster whose only node is full
  await w.db.transaction((tx) => storeClusterView(tx, { name: 'here', cluster: 'here' }, FULL_CLUSTER));
  await page.click('button', 'Why unwanted.txt waits');
  await page.text('later, but not now');
  await page.text('lacks 4608 MB of memory');
  await w.sql('delete from cluster_views');
  await page.click('button', 'Cancel unwanted.txt');
  await page.see('button', 'Retry unwanted.txt');

  await worker.start();
  t.is((await untilEnd(client, notes)).status, 'Completed');
  const wrong = { readerName: 'GeoTiffReader', writerName: 'GeoTiffWriter' };
  const failed = [await begin('terrain-1.tif', wrong), await begin('terrain-2.tif', wrong)];
  for (const id of failed) t.is((await untilEnd(client, id)).status, 'Error');
  await page.see('region', 'Failures of the last seven days by cause');
  await page.text('2 failed for one cause');
  await expectAccessible(t, page);
  await picture(page, 'transfers');
  await page.click('link', /^Failed ?3$/);
  await page.gone('link', 'notes.txt');
  t.regex(await page.address(), /\?state=failed/);
  await page.click('button', 'Retry all');
  await page.see('dialog', 'Retry 2 transfers');
  await picture(page, 'transfers-retry');
  await page.click('button', 'Retry all');
  await page.see('link', /^Failed ?5$/);
  await page.click('link', 'terrain-1.tif');
  await page.see('heading', 'terrain-1.tif');
  await page.text('It failed');
  await page.see('button', /^Retry/);
  await expectAccessible(t, page);
  await picture(page, 'transfer-failed');

  await page.go(`/transfers/${notes}`);
  await page.see('heading', 'Receipt');
  await page.text('Nothing is lost');
  await page.see('region', 'Log');
  await expectAccessible(t, page);
  await picture(page, 'transfer');

  const datasetId = (await client.get(`/api/conversion/transfer/${notes}`)).body.importResults[0].datasetId;
  const { body } = await client.post(`/api/metadata/dataset/${datasetId}/download-convert`, {
    writerName: 'FileWriter',
  });
  t.truthy(body.id, JSON.stringify(body));
  t.is((await untilEnd(client, body.id)).status, 'Completed');
  await page.go(`/transfers/${body.id}`);
  await page.see('link', 'Download');
  const downloaded = await page.tab.evaluate(
    "fetch([...document.querySelectorAll('a')].find((one) => one.textContent === 'Download').href).then((answer) => answer.text())",
  );
  t.is(downloaded, ASCII_GRID);
  t.deepEqual(page.tab.complaints, []);
  await page.tab.close();
});

pages.test(
  'recycle bin: until when, restore here and elsewhere, deletion for good after the name is typed',
  async (t) => {
    const owner = await w.account({ tenantId: await w.tenant('Harbour'), role: 'Owner' });
    const client = w.as(owner);
    const page = await pages.openAs(owner, '/bin');
    await page.see('heading', 'The recycle bin is empty');
    await expectAccessible(t, page);
    await picture(page, 'bin-empty');

    const projectId = await newProject(client, 'Harbour');
    const storms = await subproject(client, projectId, { name: 'Storms' });
    const old = await subproject(client, projectId, { name: 'Old runs' });
    const levels = await newDataset(w, projectId, owner, { name: 'Water levels' });
    for (const name of ['Run 1', 'Run 2']) await newDataset(w, old, owner, { name });
    for (const path of [`dataset/${levels}`, `project/${old}`, `project/${storms}`])
      t.is((await client.delete(`/api/metadata/${path}`)).status, 204);
    // what others do appears by itself
    await page.see('button', 'Restore Storms');
    await page.text('by you');
    await expectAccessible(t, page);
    await picture(page, 'bin');

    await page.click('button', 'Restore Storms');
    await page.gone('button', 'Restore Storms');
    t.is(await page.focused(), 'Restore Old runs', 'the row in its place has the focus');
    t.is((await client.get(`/api/metadata/project/${storms}`)).status, 200);
    await page.click('button', 'Actions for Water levels');
    await page.click('menuitem', 'Restore elsewhere');
    await page.see('dialog', 'Restore Water levels elsewhere');
    await page.click('button', 'Harbour');
    await page.click('radio', 'Storms');
    await page.click('button', 'Restore');
    await page.gone('button', 'Restore Water levels');
    t.is((await client.get(`/api/metadata/dataset/${levels}`)).body.projectId, storms);

    await page.click('button', 'Actions for Old runs');
    await page.click('menuitem', 'Delete for good');
    await page.text('1 project and 2 datasets');
    await picture(page, 'bin-purge');
    await page.fill('Type Old runs to confirm', 'Old');
    t.true(await page.tab.evaluate("document.querySelector('dialog button[type=submit]').disabled"));
    await page.fill('Type Old runs to confirm', 'Old runs');
    await page.click('button', 'Delete for good');
    await page.see('heading', 'The recycle bin is empty');
    t.is((await client.get(`/api/recycle-bin/project/${old}`)).status, 404);
    t.deepEqual(page.tab.complaints, []);
    await page.tab.close();
  },
);
