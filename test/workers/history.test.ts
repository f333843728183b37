import { createHash } from 'node:crypto';
import { xxh3 } from '@node-rs/xxhash';
import test from 'ava';
import { ASCII_GRID, copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { type Client, world } from '../world.ts';

const w = world(test);
const worker = sharedWorker(w);

const dataset = (id: string, rest = '') => `/api/metadata/dataset/${id}${rest}`;
async function history(client: Client, id: string, query = '') {
  const { status, body } = await client.get(dataset(id, `/history${query}`));
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}
const digests = (bytes: Buffer) => ({
  size: bytes.length,
  xxh3: xxh3.xxh64(bytes).toString(16).padStart(16, '0'),
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

test('the history of a dataset has who wrote which content when, with size, digests and transfer', async (t) => {
  await worker();
  const tenantId = await w.tenant();
  const [owner, writer, reader] = [
    await w.account({ tenantId, role: 'Owner' }),
    await w.account({ tenantId }),
    await w.account({ tenantId }),
  ];
  const client = w.as(owner);
  const id = await newProject(client, 'River', [
    { user: owner, role: 'Owner' },
    { user: writer, role: 'Contributor' },
  ]);
  const other = await newProject(client, 'Other', [{ user: reader, role: 'Reader' }]);
  const contentOf = async (datasetId: string) => {
    const { body } = await client.get(`/api/raw/dataset/${datasetId}`);
    return (await w.nobody.get(local(body.data))).raw as Buffer;
  };
  const wish = { readerName: 'AsciiGridReader', writerName: 'AsciiGridWriter', outputDatasetData: { name: 'terrain' } };
  const made = await start(client, copyRequest(id, await upload(w, client, ASCII_GRID), wish));
  const imported = await untilEnd(client, made.body.id);
  const datasetId = imported.importResults[0].datasetId;
  const first = digests(await contentOf(datasetId));

  const uploadUrl = await upload(w, client, ASCII_GRID.replace('1.5 2', '111.5 122'));
  const names = { originalFileName: 'raised.asc', readerName: 'AsciiGridReader', writerName: 'AsciiGridWriter' };
  const update = await w.as(writer).post(dataset(datasetId, '/update'), { uploadUrl, ...names });
  t.is(update.status, 200, JSON.stringify(update.body));
  const updated = await untilEnd(w.as(writer), update.body.id);
  t.is(updated.status, 'Completed', updated.errorMessage);
  const second = digests(await contentOf(datasetId));

  const signed = await client.get(`/api/security/sastoken?projectId=${id}&resourceId=${datasetId}&permission=Write`);
  const third = Buffer.from('written by a signed address');
  t.is((await w.nobody.put(local(`http://x/api/blob/dataset/${datasetId}?${signed.body.data}`), third)).status, 201);

  const { data } = await history(client, datasetId);
  const { sha256: _, ...plain } = digests(third);
  t.deepEqual(
    data.map(({ time, ...rest }: { time: string }) => {
      t.regex(time, /^\d{4}-\d\d-\d\dT/);
      return rest;
    }),
    [
      { by: owner.userId, current: true, ...plain },
      { by: writer.userId, current: false, transferId: update.body.id, ...second },
      { by: owner.userId, current: false, transferId: imported.id, ...first },
    ],
  );
  const [page, next] = await (async () => {
    const page = await history(client, datasetId, '?limit=2');
    return [page, await history(client, datasetId, `?limit=2&cursor=${page.cursor}`)];
  })();
  t.deepEqual([...page.data, ...next.data], data);
  t.is(next.cursor, undefined);

  // who does not see the transfers
  t.is(
    (await client.post(dataset(datasetId, '/move'), { targetProjectId: other }, { 'api-version': '3.0' })).status,
    204,
  );
  const seen = (await history(w.as(reader), datasetId)).data;
  t.deepEqual(
    seen.map(({ transferId, size }: { transferId?: string; size: number }) => [transferId, size]),
    [third.length, second.size, first.size].map((size) => [undefined, size]),
  );
  t.is((await w.as(writer).get(dataset(datasetId, '/history'))).status, 404);
});
