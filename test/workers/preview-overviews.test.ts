import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { previewStores } from '../../src/operations/integrity/rules/preview-stores.ts';
import { FAIL_FAST } from '../../src/platform/async/maintenance-run.ts';
import { forgetPreviews } from '../../src/preview/clean-up.ts';
import { removeOrphanBlobs } from '../../src/transfers/store/orphan-blobs.ts';
import { bearerOf, tileServer } from '../http/tile-server.ts';
import { newDataset } from '../world/content.ts';
import { largeGridFile } from '../world/previews.ts';
import { newProject } from '../world/transfers.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { world } from '../world.ts';

/** Overviews of grids with more cells than a limit that is small here. */
const w = world(test);
const CELLS = 50_000;
const worker = switchedWorker(w, { 'preview.overviewCells': String(CELLS) });

/** Tiles of the grid: one that has all its cells, and one that has few. */
const [COARSE, FINE] = ['7/67/40', '12/2155/1307'];
let made = 0;

async function scene(t: ExecutionContext, settings: object = {}) {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const projectId = await newProject(w.as(owner));
  const server = await tileServer(t, w, { 'preview.overviewCells': CELLS, ...settings });
  const bearer = await bearerOf(w, owner);
  const get = (url: string, headers: Record<string, string> = {}) => server.get(url, { ...bearer, ...headers });
  const newGrid = async (datasetFormat = 'file', writer?: string) =>
    newDataset(w, projectId, owner, { name: 'grid', datasetFormat, content: await largeGridFile(made++, writer) });
  return { owner, projectId, get, newGrid };
}
type Get = Awaited<ReturnType<typeof scene>>['get'];

const path = (id: string) => `/api/preview/dataset/${id}`;

interface Row {
  readonly state: string;
  readonly needs: string;
  readonly store: string | null;
  readonly overview: string | null;
  readonly overview_size: string | null;
  readonly reason: string | null;
}
const rowOf = async (id: string): Promise<Row | undefined> =>
  (await w.sql<Row>('select p.* from previews p join datasets d on d.blob = p.blob where d.id = $1', [id]))[0];

async function untilMade(get: Get, id: string): Promise<Row> {
  await get(path(id));
  await worker.start();
  for (;;) {
    const row = await rowOf(id);
    if (row !== undefined && row.state !== 'building') return row;
    await sleep(50);
  }
}

test.serial('a large grid is drawn as it is stored, its coarse tiles of an overview when that is made', async (t) => {
  for (const [format, writer] of [
    ['file', 'GeoTiffWriter'],
    ['md', 'MDWriter'],
  ] as const) {
    await worker.stop();
    const { get, newGrid } = await scene(t);
    const id = await newGrid(format, writer);
    const { body } = await get(path(id));
    t.like(body, { state: 'ready', kind: 'grid', cells: 360_000 });
    t.false('coarsest' in body);
    t.is((await get(`${path(id)}/${FINE}.png`)).status, 200);
    const early = await get(`${path(id)}/${COARSE}.png`);
    t.is(early.status, 503);
    t.is(early.body.code, 'PreviewBuilding');
    t.is(early.headers['retry-after'], '1');

    const row = await untilMade(get, id);
    t.like(row, { state: 'ready', needs: 'overview', store: null }, JSON.stringify(row));
    const { size } = (await w.blobs.info(row.overview!))!;
    t.is(Number(row.overview_size), size);
    t.is((await get(`${path(id)}/${COARSE}.png`)).status, 200);
    t.is((await get(`${path(id)}/${FINE}.png`)).status, 200);
    t.deepEqual((await get(path(id))).body, {
      ...body,
      items: (await get(path(id))).body.items,
      scheme: (await get(path(id))).body.scheme,
    });
    const events = await w.sql(
      `select from events where type = 'svc.platform.events.previewreadyevent' and resource_id = $1`,
      [id],
    );
    t.is(events.length, 1);
  }
});

test.serial('a grid with a store has an overview beside it, which equal contents share', async (t) => {
  await worker.start();
  const { owner, projectId, get } = await scene(t, { 'preview.directSize': 100 });
  // no part of an ASCII grid is read without the rest
  const content = await largeGridFile(made++, 'AsciiGridWriter');
  const [one, two] = [0, 1].map(() =>
    newDataset(w, projectId, owner, {
      name: 'grid',
      datasetFormat: 'file',
      content,
      spatialInformation: { srid: 25832 },
    }),
  );
  const row = await untilMade(get, await one!);
  t.like(row, { state: 'ready', needs: 'store' }, JSON.stringify(row));
  t.truthy(row.overview);
  const stored = (await w.blobs.info(row.store!))!.size + (await w.blobs.info(row.overview!))!.size;
  t.true(stored <= Math.max(2 ** 20, 2 * content.length));
  t.is((await get(`${path(await one!)}/${COARSE}.png`)).status, 200);
  const { store, overview } = await untilMade(get, await two!);
  t.deepEqual([store, overview], [row.store, row.overview]);

  // the sweep of orphans and the rule know it
  await removeOrphanBlobs(w.db, w.blobs, { olderThanMs: -3_600_000 });
  t.truthy(await w.blobs.info(overview!));
  const released = () => w.sql('select from blob_deletions where name = any($1)', [[store, overview]]);
  const client = w.as(owner);
  for (const id of [await one!, await two!]) {
    t.is((await released()).length, 0);
    await client.delete(`/api/metadata/dataset/${id}`);
    t.true((await client.delete(`/api/recycle-bin/dataset/${id}`)).status < 300);
  }
  for (let tries = 0; (await w.blobs.info(overview!)) !== undefined && tries < 200; tries++) await sleep(50);
  t.is(await w.blobs.info(overview!), undefined);
  t.is(await w.blobs.info(store!), undefined);
});

test.serial('overviews that are lost, unused or too many are deleted, and made again', async (t) => {
  await worker.start();
  const { owner, get, newGrid } = await scene(t);
  const id = await newGrid();
  const first = await untilMade(get, id);
  const settings = { data: w.folder, 'preview.keep': 3_600_000, 'preview.maxSize': 1e9 };
  await forgetPreviews(w.db, settings, FAIL_FAST);
  t.is((await rowOf(id))!.overview, first.overview);
  await forgetPreviews(w.db, { ...settings, 'preview.maxSize': 1 }, FAIL_FAST);
  t.is(await rowOf(id), undefined);
  t.is((await w.sql('select from blob_deletions where name = $1', [first.overview])).length, 1);

  const second = await untilMade(get, id);
  t.not(second.overview, first.overview);
  await w.blobs.remove(second.overview!);
  const violations = await previewStores.find({ db: w.db, store: w.blobs } as never);
  t.deepEqual(
    violations.map((one) => one.id),
    [second.overview!],
  );
  await w.db.transaction((tx) => previewStores.repair!(tx, [second.overview!]));
  t.is(await rowOf(id), undefined);

  // a process that has not opened the overview finds it gone
  const third = await untilMade(get, id);
  await w.blobs.remove(third.overview!);
  const other = await tileServer(t, w, { 'preview.overviewCells': CELLS });
  const bearer = await bearerOf(w, owner);
  t.is((await other.get(`${path(id)}/${COARSE}.png`, bearer)).status, 503);
  const again = await untilMade((url) => other.get(url, bearer), id);
  t.not(again.overview, third.overview);
});

test.serial('a content whose overview cannot be made is drawn without one', async (t) => {
  await worker.start();
  const { get, newGrid } = await scene(t);
  const id = await newGrid();
  await get(path(id));
  await w.sql(
    `update previews set state = 'failed', reason = 'too large' where blob = (select blob from datasets where id = $1)`,
    [id],
  );
  t.is((await get(path(id))).body.state, 'ready');
  t.is((await get(`${path(id)}/${COARSE}.png`)).status, 200);
});
