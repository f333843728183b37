import { randomUUID } from 'node:crypto';
import test from 'ava';
import { axes, dfsBytes } from '../formats/dfs/dfs-bytes.ts';
import { ReferenceReader } from '../formats/references-reader.ts';
import { newDataset } from '../world/content.ts';
import { newStore, smallGrid, storeOf } from '../world/stores.ts';
import { newProject } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);

const steps = [0, 1].map((step) => Array.from({ length: 6 }, (_, n) => step * 10 + n));
const file = dfsBytes({
  projection: ['UTM-33', 15, 55, 0],
  time: { start: ['2020-01-01', '00:00:00'], interval: 60 },
  items: [{ name: 'Depth', axis: axes.plane(3, 2), steps }],
});

async function scene(content: string | Uint8Array = file) {
  const owner = await w.account();
  const client = w.as(owner);
  const projectId = await newProject(client);
  const id = await newDataset(w, projectId, owner, { content });
  return { owner, client, projectId, id, url: `/api/md/dataset/${id}/references` };
}

const pathOf = (address: string) => {
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`;
};

/** Reads a document, and ranges of its addresses without a login. */
const readerOf = (body: unknown) =>
  new ReferenceReader(JSON.stringify(body), async (address, offset, length) => {
    const range = `bytes=${offset}-${offset + length - 1}`;
    const { status, raw } = await w.nobody.get(pathOf(address), { range });
    if (status !== 206) throw new Error(`${status} ${raw}`);
    return raw;
  });

test('references of a file dataset are read by ranges of a signed address, without a login', async (t) => {
  const { client, url } = await scene();
  const { status, body, headers } = await client.get(url);
  t.is(status, 200, JSON.stringify(body));
  t.is(headers['cache-control'], 'no-store');
  const reader = readerOf(body);
  t.deepEqual(await reader.values(reader.of('Depth')), steps.flat());
  const { expires } = reader.json('.zattrs');
  t.true(Date.parse(expires) > Date.now());
  const [address] = Object.values(reader.refs).find((ref) => typeof ref !== 'string') as [string, number, number];
  t.is(new URL(address).searchParams.get('se'), expires);
  const head = await w.nobody.send({ method: 'HEAD', url: pathOf(address) });
  t.is(head.headers['accept-ranges'], 'bytes');
  t.is(head.headers['content-length'], String(file.length));
});

test('the holder of a signed link gets references that name this link', async (t) => {
  const { client, projectId, id, url } = await scene();
  const link = await client.get(`/api/security/sastoken?projectId=${projectId}&resourceId=${id}&readOnly=true`);
  const { status, body } = await w.nobody.get(`${url}?format=kerchunk&${link.body.data}`);
  t.is(status, 200, JSON.stringify(body));
  const reader = readerOf(body);
  t.deepEqual(await reader.values(reader.of('Depth')), steps.flat());
});

test('after the content was replaced, addresses of references answer 412', async (t) => {
  const { client, id, url } = await scene();
  const { body } = await client.get(url);
  const reader = readerOf(body);
  const link = (await client.get(`/api/metadata/dataset/${id}`)).body;
  const write = await client.get(`/api/security/sastoken?projectId=${link.projectId}&resourceId=${id}`);
  const put = await w.nobody.put(`/api/blob/dataset/${id}?${write.body.data}`, file, { 'x-ms-blob-type': 'BlockBlob' });
  t.is(put.status, 201);
  await t.throwsAsync(reader.values(reader.of('Depth')), { message: /^412 .*was replaced/ });
});

test('files that are neither DFS nor NetCDF, and datasets without bytes, have no references', async (t) => {
  const { client, url } = await scene('the bytes');
  const { status, body } = await client.get(url);
  t.is(status, 400);
  t.regex(body.detail, /References are made of DFS0 to DFS3, DFSU and NetCDF files/);
  const broken = await scene(file.subarray(0, 300));
  t.is((await broken.client.get(broken.url)).status, 422);
  t.is((await client.get(`${url}?format=zarr`)).status, 400);
});

test('a multidimensional dataset is a folder of Zarr below a signed address', async (t) => {
  const { owner, client, projectId } = await scene();
  const id = await newStore(w, projectId, owner, 'store', smallGrid());
  const { status, body } = await client.get(`/api/md/dataset/${id}/references?format=zarr`);
  t.is(status, 200, JSON.stringify(body));
  t.true(Date.parse(body.expires) > Date.now());
  const folder = pathOf(body.url);
  const get = (key: string, headers = {}) => w.nobody.get(`${folder}${key}`, headers);
  const root = await get('zarr.json');
  t.is(root.status, 200);
  t.is(root.body.node_type, 'group');
  const { metadata } = root.body.consolidated_metadata;
  t.true('Level' in metadata);
  const key = 'Level/c/0/0/0';
  const chunk = await get(key);
  t.is(chunk.status, 200);
  const head = await w.nobody.send({ method: 'HEAD', url: `${folder}${key}` });
  t.is(head.headers['content-length'], String(chunk.raw.length));
  t.is(head.headers['accept-ranges'], 'bytes');
  const part = await get(key, { range: 'bytes=2-5' });
  t.is(part.status, 206);
  t.deepEqual(part.raw, chunk.raw.subarray(2, 6));
  t.is(part.headers['content-range'], `bytes 2-5/${chunk.raw.length}`);
  t.is((await get(key, { range: `bytes=${chunk.raw.length}-` })).status, 416);
  t.is((await get(key, { 'if-none-match': String(chunk.headers.etag) })).status, 304);
  t.is((await get('Level/c/9/9/9')).status, 404);
});

test('a Zarr folder ends with its signature, and never mixes bytes of two contents', async (t) => {
  const { owner, client, projectId } = await scene();
  const id = await newStore(w, projectId, owner, 'store', smallGrid());
  const { body } = await client.get(`/api/md/dataset/${id}/references?format=zarr`);
  const folder = pathOf(body.url);
  const other = await newStore(w, projectId, owner, 'other', smallGrid());
  t.is((await w.nobody.get(`${folder.replace(id, other)}zarr.json`)).status, 403);
  t.is((await w.nobody.get(`${folder.replace('/zarr/', '/zarr/x')}zarr.json`)).status, 403);
  t.is((await w.nobody.get(`${folder.replace(id, randomUUID())}zarr.json`)).status, 403);
  const [blob] = [`dataset/${randomUUID()}`];
  const { size } = await w.blobs.put(
    blob,
    (async function* () {
      yield await storeOf(smallGrid());
    })(),
    2 ** 30,
  );
  await w.sql('update datasets set blob = $2, storage_size = $3 where id = $1', [id, blob, size]);
  const replaced = await w.nobody.get(`${folder}zarr.json`);
  t.is(replaced.status, 410);
  t.regex(replaced.body.detail, /was replaced or deleted/);
  t.is((await client.delete(`/api/metadata/dataset/${id}`)).status, 204);
  t.is((await w.nobody.get(`${folder}Level/c/0/0/0`)).status, 410);
});
