import { randomUUID } from 'node:crypto';
import test from 'ava';
import { until } from '../world/hooks.ts';
import { openSource } from '../world/source.ts';
import { newStore, smallGrid, storeOf } from '../world/stores.ts';
import { local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { startWorker, type WorkerProcess } from '../world/worker.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { type Answer, type Client, world } from '../world.ts';

/** Transfers that read several files, or files and datasets that their transformations name. */
const source = await openSource();
const allowed = { 'outbound.allow': source.place };
const w = world(test, allowed);
const worker = switchedWorker(w, { ...allowed, 'worker.concurrency': '1', 'log.level': 'fatal' });
const processes = new Set<WorkerProcess>();
test.afterEach.always(async () => {
  await worker.stop();
  for (const one of processes) await one.stop();
  processes.clear();
});
test.after.always(() => source.close());

const grid = (x: number, value: number | string) =>
  `ncols 1\nnrows 1\nxllcorner ${x}\nyllcorner 0\ncellsize 10\nNODATA_value -9\n${value}\n`;
const mosaic = { type: 'mosaicTransformation', mosaic: { method: 'first' } };

async function scene() {
  const user = await w.account();
  const client = w.as(user);
  const projectId = await newProject(client);
  const request = (uploadUrls: readonly unknown[], more: object = {}) => ({
    projectId,
    uploadUrls,
    outputDatasetData: { name: 'all' },
    readerName: 'AsciiGridReader',
    writerName: 'AsciiGridWriter',
    transformations: [mosaic],
    ...more,
  });
  const file = async (originalFileName: string, content: string) => ({
    originalFileName,
    uploadUrl: await upload(w, client, content),
  });
  return { user, client, projectId, request, file };
}

async function begun(client: Client, request: object): Promise<string> {
  const { status, body } = await start(client, request);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.id;
}

/** Lines of a dataset's file after the header of the grid. */
async function valuesOf(client: Client, { status, errorMessage, importResults }: Answer['body']) {
  if (status !== 'Completed') throw new Error(errorMessage);
  const { data } = (await client.get(`/api/raw/dataset/${importResults[0].datasetId}`)).body;
  return (await w.nobody.get(local(data))).raw.toString().trim().split('\n').slice(6);
}

test.serial('uploadUrls become one dataset; answers name all files without their signatures', async (t) => {
  const { client, request, file } = await scene();
  const files = [await file('a.asc', grid(0, 1)), await file('b.asc', grid(20, 3)), await file('c.asc', grid(20, 4))];
  const id = await begun(client, request(files));
  await worker.start();
  const ended = await untilEnd(client, id);
  t.deepEqual(await valuesOf(client, ended), ['1 -9 3']);
  t.deepEqual(
    ended.receipt.inputs.map(({ name, size }: Record<string, unknown>) => [name, size]),
    [
      ['a.asc', grid(0, 1).length],
      ['b.asc', grid(20, 3).length],
      ['c.asc', grid(20, 4).length],
    ],
  );
  const shown = files.map(({ uploadUrl, ...one }) => ({ ...one, uploadUrl: uploadUrl.replace(/:80|\?.*/g, '') }));
  t.deepEqual(ended.importParameters.uploadUrls, shown);
  t.like(ended.importParameters, { fileName: 'a.asc', uploadUrl: shown[0]!.uploadUrl });
  const log = (await client.get(`/api/conversion/transfer/${id}/log`)).body.data;
  const size = files.length * grid(0, 1).length + 2;
  t.true(log.some(({ message }: { message: string }) => message.startsWith(`Converted: ${size} bytes read`)));
});

test.serial('a bad file among many is named, and a retry reads the same files', async (t) => {
  const { client, request, file } = await scene();
  const files = [await file('a.asc', grid(0, 1)), await file('b.asc', 'no grid'), await file('c.asc', grid(10, 4))];
  const id = await begun(client, request(files));
  await worker.start();
  const ended = await untilEnd(client, id);
  t.is(ended.status, 'Error');
  t.regex(ended.errorMessage, /^b\.asc: /);
  const again = (await client.post(`/api/conversion/transfer/${id}/retry`, {})).body;
  t.regex((await untilEnd(client, again.id)).errorMessage, /^b\.asc: /);
  const [{ count }] = (await w.sql('select count(*)::int from transfer_inputs where transfer_id = $1', [again.id])) as [
    { count: number },
  ];
  t.is(count, 2);
  await w.sql('update staged_blobs set blob = null, size = null where name = $1', [
    files[2]!.uploadUrl.replace(/\?.*/, '').split('/').at(-1),
  ]);
  const gone = await client.post(`/api/conversion/transfer/${again.id}/retry`, {});
  t.deepEqual([gone.status, gone.body.code], [409, 'InputGone']);
  t.is(gone.body.detail, "The file 'c.asc' is no longer stored. Upload it again.");
});

test.serial('uploads of a transfer are kept until a day after its end, and then deleted', async (t) => {
  const { clearExpired } = await import('../../src/transfers/store/expiry.ts');
  const { client, request, file } = await scene();
  const files = [await file('a.asc', grid(0, 1)), await file('b.asc', grid(10, 2))];
  const id = await begun(client, request(files));
  const names = files.map(({ uploadUrl }) => uploadUrl.replace(/\?.*/, '').split('/').at(-1));
  const kept = async () => {
    const run = { attempt: (_: string, work: () => Promise<void>) => work() } as never;
    await clearExpired(w.db, run);
    return (await w.sql('select name from staged_blobs where name = any($1) and blob is not null', [names])).length;
  };
  await w.sql(`update staged_blobs set expires_at = now() - interval '2 days' where name = any($1)`, [names]);
  t.is(await kept(), 2);
  await worker.start();
  await untilEnd(client, id);
  t.is(await kept(), 2);
  await w.sql(
    `update transfers set finished_at = now() - interval '25 hours', created_at = now() - interval '26 hours' where id = $1`,
    [id],
  );
  t.is(await kept(), 0);
});

test.serial('a transfer whose worker dies while it fetches its files is completed by another one', async (t) => {
  const { client, request, file } = await scene();
  const path = `/${randomUUID()}.asc`;
  let calls = 0;
  source.serve(path, (_, response) => {
    // the first worker waits for ever
    if (++calls > 1) response.end(grid(10, 2));
  });
  const remote = { originalFileName: 'b.asc', uploadUrl: source.url(path) };
  const id = await begun(client, request([await file('a.asc', grid(0, 1)), remote, await file('c.asc', grid(20, 3))]));
  const first = await startWorker(w, { ...allowed, 'worker.concurrency': '1', 'log.level': 'fatal' });
  processes.add(first);
  await until(async () => calls === 1);
  first.process.kill('SIGKILL');
  await first.ended;
  await worker.start();
  const ended = await untilEnd(client, id);
  t.deepEqual(await valuesOf(client, ended), ['1 2 3']);
  t.is(ended.attempt, 2);
});

test.serial('all files together must fit into the scratch space', async (t) => {
  const { client, request, file } = await scene();
  const files = await Promise.all(['a', 'b', 'c'].map((name, n) => file(`${name}.asc`, grid(10 * n, n))));
  const id = await begun(client, request(files, { storageSizeGb: (2.5 * grid(0, 0).length) / 2 ** 30 }));
  await worker.start();
  t.regex((await untilEnd(client, id)).errorMessage, /scratch space/);
});

const like = (given: object) => ({ type: 'resampleTransformation', resample: { like: given, method: 'nearest' } });
const SRID = [{ name: 'SRID', value: 25832 }];

/** A start that resamples to the cells of another grid. */
async function resampling(given: object) {
  const s = await scene();
  const content = 'ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 20\nNODATA_value -9\n5\n';
  const { projectId } = s;
  const one = { projectId, originalFileName: 'a.asc', uploadUrl: await upload(w, s.client, content) };
  const request = {
    ...s.request([]),
    uploadUrls: undefined,
    ...one,
    readerParameters: SRID,
    transformations: [like(given)],
  };
  return { ...s, request };
}

/** A dataset of two cells of 10 × 10. */
async function cells(client: Client, projectId: string): Promise<string> {
  const content = 'ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9\n1 2\n';
  const id = await begun(client, {
    projectId,
    originalFileName: 'cells.asc',
    uploadUrl: await upload(w, client, content),
    outputDatasetData: { name: 'cells' },
    readerName: 'AsciiGridReader',
    readerParameters: SRID,
    writerName: 'GeoTiffWriter',
  });
  await worker.start();
  return (await untilEnd(client, id)).importResults[0].datasetId;
}

test.serial('a transformation reads a dataset, which stays as it is until the transfer ends', async (t) => {
  const { client, projectId } = await scene();
  const datasetId = await cells(client, projectId);
  await worker.stop();
  const s = await resampling({ datasetId });
  const request = { ...s.request, projectId, uploadUrl: await upload(w, client, grid(0, 5).replace('10', '20')) };
  const id = await begun(client, request);
  const content = {
    originalFileName: 'x',
    uploadUrl: await upload(w, client, grid(0, 1)),
    readerName: 'AsciiGridReader',
  };
  const update = await client.post(`/api/metadata/dataset/${datasetId}/update`, {
    ...content,
    writerName: 'GeoTiffWriter',
  });
  t.is(update.status, 409);
  t.is((await client.delete(`/api/metadata/dataset/${datasetId}`)).status, 409);
  await worker.start();
  t.deepEqual(await valuesOf(client, await untilEnd(client, id)), ['5 5']);
  t.not((await client.delete(`/api/metadata/dataset/${datasetId}`)).status, 409);
});

test.serial('a dataset that the caller cannot see is refused like one that does not exist', async (t) => {
  const { client, projectId } = await scene();
  const datasetId = await cells(client, projectId);
  const strange = w.as(await w.account({ tenantId: await w.tenant() }));
  const own = { projectId: await newProject(strange), uploadUrl: await upload(w, strange, grid(0, 1)) };
  const { request } = await resampling({ datasetId });
  const told = async (id: string) => {
    const answer = await start(strange, { ...request, ...own, transformations: [like({ datasetId: id })] });
    return [answer.status, answer.body.detail.replace(id, 'ID')];
  };
  const absent = await told(randomUUID());
  t.deepEqual(absent, [404, "Dataset 'ID' was not found."]);
  t.deepEqual(await told(datasetId), absent);
  t.deepEqual(await told('no id'), absent);
});

test.serial('a right that is lost while the transfer waits ends it', async (t) => {
  const owner = await scene();
  const datasetId = await cells(owner.client, owner.projectId);
  await worker.stop();
  const s = await resampling({ datasetId });
  const member = (role: string | undefined) =>
    role === undefined
      ? owner.client.delete(`/api/metadata/project/${owner.projectId}/member/${s.user.userId}`)
      : owner.client.post(`/api/metadata/project/${owner.projectId}/member`, { userId: s.user.userId, role });
  t.true((await member('Reader')).status < 300);
  const id = await begun(s.client, s.request);
  t.true((await member(undefined)).status < 300);
  await worker.start();
  const ended = await untilEnd(s.client, id);
  t.is(ended.errorMessage, `Dataset '${datasetId}' was not found.`);
});

test.serial('a transformation reads an upload, whose signature is not stored', async (t) => {
  const content = 'ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9\n1 2\n';
  const first = await scene();
  const uploadUrl = await upload(w, first.client, content);
  const s = await resampling({ uploadUrl, readerName: 'AsciiGridReader', readerParameters: SRID });
  const request = {
    ...s.request,
    projectId: first.projectId,
    uploadUrl: await upload(w, first.client, grid(0, 5).replace('10', '20')),
  };
  const id = await begun(first.client, request);
  await worker.start();
  const ended = await untilEnd(first.client, id);
  t.deepEqual(await valuesOf(first.client, ended), ['5 5']);
  t.is(ended.importParameters.transformations[0].resample.like.uploadUrl, uploadUrl.replace(/:80|\?.*/g, ''));
  const [row] = await w.sql<{ text: string }>('select request::text as text from transfers where id = $1', [id]);
  t.false(row!.text.includes('sig='));
});

test.serial('a sentence about an uploaded side file names the file, not its address', async (t) => {
  const first = await scene();
  const one = { uploadUrl: await upload(w, first.client, 'no grid'), originalFileName: 'cells\u202e of 2025.asc' };
  const s = await resampling(one);
  const uploadUrl = await upload(w, first.client, grid(0, 5));
  const id = await begun(first.client, { ...s.request, projectId: first.projectId, uploadUrl });
  await worker.start();
  const { status, errorMessage } = await untilEnd(first.client, id);
  t.is(status, 'Error');
  t.regex(errorMessage, /^cells of 2025\.asc has a content that is not known\./);
});

test.serial('several files that are joined replace the content of a dataset, and are appended to one', async (t) => {
  await worker.start();
  const { client, request, file } = await scene();
  const made = await untilEnd(
    client,
    await begun(client, {
      ...request([]),
      ...(await file('a.asc', grid(0, 1))),
      uploadUrls: null,
      transformations: [],
    }),
  );
  const datasetId: string = made.importResults[0].datasetId;
  const uploadUrls = [await file('b.asc', grid(0, 2)), await file('c.asc', grid(10, 3))];
  const update = { uploadUrls, readerName: 'AsciiGridReader', transformations: [mosaic] };
  const updated = await client.post(`/api/metadata/dataset/${datasetId}/update`, update);
  t.is(updated.status, 200, JSON.stringify(updated.body));
  const ended = await untilEnd(client, updated.body.id);
  t.is(ended.status, 'Completed', ended.errorMessage);
  const { data } = (await client.get(`/api/raw/dataset/${datasetId}`)).body;
  t.deepEqual((await w.nobody.get(local(data))).raw.toString().trim().split('\n').slice(6), ['2 3']);

  const at = (start: number, count: number) => ({
    ...smallGrid(),
    time: { spacing: 'equidistant', unit: 'hour', start, count, offset: 0, interval: 1 } as const,
  });
  const user = await w.account();
  const owner = w.as(user);
  const own = await newProject(owner);
  const day = Date.UTC(2026, 0, 24);
  const id = await newStore(w, own, user, 'levels', at(day, 2));
  const stores = [at(day + 4 * 3_600_000, 2), at(day + 2 * 3_600_000, 2)];
  const files: object[] = [];
  for (const [n, one] of stores.entries())
    files.push({ originalFileName: `${n}.zip`, uploadUrl: await upload(w, owner, await storeOf(one)) });
  const stack = { type: 'stackTransformation', stack: { by: 'time' } };
  const append = { uploadUrls: files, readerName: 'MDReader', transformations: [stack] };
  const appended = await owner.post(`/api/metadata/dataset/${id}/append`, append);
  t.is(appended.status, 200, JSON.stringify(appended.body));
  const grown = await untilEnd(owner, appended.body.id);
  t.is(grown.status, 'Completed', grown.errorMessage);
  const { time } = (await owner.get(`/api/md/dataset/${id}`)).body;
  t.like(time, { steps: 6, start: '2026-01-24T00:00:00.0000000', end: '2026-01-24T05:00:00.0000000' });
  t.is(grown.receipt.inputs.length, 2);
});
