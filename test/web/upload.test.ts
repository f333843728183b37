import { createHash } from 'node:crypto';
import test from 'ava';
import { dbfOf, shpOf } from '../formats/shapefiles.ts';
import { type ConsolePage, consoleTests, expectAccessible, picture } from '../world/console.ts';
import { ASCII_GRID, newProject } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { world } from '../world.ts';

const w = world(test, { 'credits.prices': 'MDWriter=2.5' });
const pages = consoleTests(test, w);
const worker = sharedWorker(w);
const MIB = 2 ** 20;
const BLOCKS = 12;

/** Chooses files as the dialog of the browser does. */
const chooseFiles = ({ tab }: ConsolePage, files: readonly { name: string; bytes: Uint8Array | string }[]) =>
  tab.evaluate(`(() => {
    const data = new DataTransfer();
    for (const { name, text } of ${JSON.stringify(files.map(({ name, bytes }) => ({ name, text: Buffer.from(bytes).toString('latin1') })))})
      data.items.add(new File([Uint8Array.from(text, (one) => one.charCodeAt(0))], name, { lastModified: 1767225600000 }));
    const input = document.querySelector('input[type=file]');
    input.files = data.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);

/** A large file whose blocks differ from each other; its bytes are made in the page. */
const chooseLarge = ({ tab }: ConsolePage) =>
  tab.evaluate(`(() => {
    const blocks = Array.from({ length: ${BLOCKS} }, (_, n) => new Uint8Array(${8 * MIB}).fill(n + 1));
    const data = new DataTransfer();
    data.items.add(new File([...blocks, 'end'], 'large.bin', { lastModified: 1767225600000 }));
    const input = document.querySelector('input[type=file]');
    input.files = data.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);

pages.test('files are told before they are sent, parts of a shapefile are one, and their datasets open', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant('River authority'), role: 'Owner' });
  const client = w.as(owner);
  const projectId = await newProject(client, 'Sound and belts');
  const sold = { billingReference: 'C-1', billingReferenceTag: '', billingReferenceType: 'EXT' };
  const credits = { credits: 10, tenantId: owner.tenantId, salesOrderId: 'SO-1', expiresAt: '2099-12-31' };
  await w.as(await w.account({ roles: 'BackOffice' })).post('/api/iam/credit', { ...credits, billingReference: sold });
  const page = await pages.openAs(owner, '/upload');
  await page.see('heading', 'Where do the files go?');
  await expectAccessible(t, page);
  await picture(page, 'upload-where');
  await page.go(`/upload?project=${projectId}`);
  await page.text('Drop files or folders anywhere');
  await expectAccessible(t, page);
  await picture(page, 'upload-empty');

  const { shp, shx } = shpOf(1, [[[[9, 55]]], [[[10, 56]]]]);
  const dbf = dbfOf([{ name: 'STATION', type: 'C', width: 8 }], [['Ribe'], ['Esbjerg']]);
  await chooseFiles(page, [
    { name: 'valley.asc', bytes: ASCII_GRID },
    { name: 'unknown.bin', bytes: Uint8Array.of(0, 1, 2, 3) },
    { name: 'broken.asc', bytes: ASCII_GRID.slice(0, 70) },
    { name: 'gauges.shp', bytes: shp },
    { name: 'gauges.shx', bytes: shx },
    { name: 'gauges.dbf', bytes: dbf },
  ]);
  await page.text('4 × 3 cells');
  await page.text('The file does not say its coordinate system.');
  await page.text('File that no reader knows');
  await page.see('button', 'Start 3');
  t.deepEqual((await client.get('/api/conversion/transfer/list')).body.data, [], 'nothing is started before Start');
  await expectAccessible(t, page);
  await picture(page, 'upload-told');

  await page.click('button', 'Keep as a plain file');
  await page.fill('Coordinate system', 'ETRS89 / UTM zone 32N');
  await page.click('button', /^ETRS89 \/ UTM zone 32N \(EPSG:25832\)/);
  await page.text('EPSG:25832');
  await page.text('Price: 2.5 credits');
  await page.text('· 2.5 credits');
  await expectAccessible(t, page);
  await picture(page, 'upload-price');
  await page.click('button', 'Start 4');
  await worker();
  await page.gone('button', /^Remove/);
  const list = async () => (await client.get(`/api/metadata/project/${projectId}/dataset/list`)).body.data;
  while ((await list()).length < 4) await new Promise((resolve) => setTimeout(resolve, 100));
  const made = (await list()).map(({ name, datasetType }: Record<string, string>) => `${name} ${datasetType}`);
  t.deepEqual(made.sort(), ['broken file', 'gauges file', 'unknown file', 'valley multidimensional']);
  await page.gone('progressbar', /./);
  await expectAccessible(t, page);
  await picture(page, 'upload-converted');
  await page.click('button', 'Clear what is done');
  await page.gone('button', 'Clear what is done');
  await page.tab.close();
});

pages.test(
  'an upload goes on after a reload: blocks that are there are not sent again, and the bytes are equal',
  async (t) => {
    const owner = await w.account();
    const client = w.as(owner);
    const projectId = await newProject(client, 'Large files');
    const page = await pages.openAs(owner, `/upload?project=${projectId}`);
    const blocksSent = () =>
      page.tab.requests
        .filter((url) => url.includes('comp=block&'))
        .map((url) => new URL(url).searchParams.get('blockid'));
    await page.text('Drop files or folders anywhere');
    await chooseLarge(page);
    await page.click('button', 'Start large.bin');
    while (blocksSent().length < 6) await new Promise((resolve) => setTimeout(resolve, 5));
    await page.tab.go(await page.tab.evaluate('location.href'));
    const before = blocksSent().length;
    t.true(before < BLOCKS + 1, 'it was interrupted');
    await page.text('Choose or drop the same file again');
    await expectAccessible(t, page);
    await picture(page, 'upload-interrupted');
    await chooseLarge(page);
    // it goes on while the reader is elsewhere
    await page.go('/projects');
    await page.see('heading', 'Projects');
    await worker();
    let datasets: { id: string; name: string }[] = [];
    while (datasets.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      datasets = (await client.get(`/api/metadata/project/${projectId}/dataset/list`)).body.data;
    }
    const sent = blocksSent();
    t.true(sent.length <= BLOCKS + 1 + 3, `${sent.length} blocks sent, ${before} before the reload`);
    t.is(new Set(sent).size, BLOCKS + 1);
    const { body } = await client.get('/api/conversion/transfer/list');
    t.is(body.totalCount, 1);
    const { receipt } = (await client.get(`/api/conversion/transfer/${body.data[0].id}`)).body;
    const expected = createHash('sha256');
    for (let n = 0; n < BLOCKS; n++) expected.update(Buffer.alloc(8 * MIB, n + 1));
    t.is(receipt.output.sha256, expected.update('end').digest('hex'));
    await page.go(`/upload?project=${projectId}`);
    await page.text('Done');
    await expectAccessible(t, page);
    await picture(page, 'upload-done');
    t.deepEqual(page.tab.complaints, []);
    await page.tab.close();
  },
);
