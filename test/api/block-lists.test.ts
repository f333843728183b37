import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import test from 'ava';
import { until } from '../world/hooks.ts';
import { world } from '../world.ts';

const MIB = 2 ** 20;
const w = world(test);

const listed = (count: number) => `<BlockList>${'<Latest>YQ==</Latest>'.repeat(count)}</BlockList>`;

/** Puts to a new place. */
async function place() {
  const client = w.as(await w.account());
  const url = new URL((await client.get('/api/conversion/transfer/upload-url')).body.data);
  const path = url.pathname + url.search;
  const put = (query: string, body: string | Buffer) => w.nobody.put(path + query, Buffer.from(body));
  return Object.assign(put, { path });
}

for (const [what, list] of Object.entries({
  'blanks before its end': `<BlockList>${' '.repeat(8_000_000)}</BlockLis>`,
  'blanks in an id': `<BlockList><Latest>${' '.repeat(8_000_000)}</Late>`,
  'an id that does not end': `<BlockList><Latest>${'a'.repeat(8_000_000)}`,
  'a declaration that does not end': `${' '.repeat(4_000_000)}<?xml ${'?'.repeat(4_000_000)}`,
  'open tags alone': '<BlockList>'.repeat(700_000),
})) {
  // the server of this test answers in this process: one that hangs ends at the time-out of the whole file
  test(`a block list of 8 MB of ${what} is refused in a single pass`, async (t) => {
    const put = await place();
    const answer = await put('&comp=blocklist', list);
    t.is(answer.status, 400);
    t.is(answer.headers['x-ms-error-code'], 'InvalidXmlDocument');
  });
}

test('a block list has at most 50,000 blocks', async (t) => {
  const put = await place();
  const code = async (count: number) => (await put('&comp=blocklist', listed(count))).headers['x-ms-error-code'];
  t.is(await code(50_001), 'InvalidXmlDocument');
  t.is(await code(50_000), 'InvalidBlockList', 'so many are read: there is no such block');
});

test.serial('a commit stops when its client disconnects, and can be repeated', async (t) => {
  const { origin } = new URL(await w.listen());
  const put = await place();
  t.is((await put('&comp=block&blockid=YQ==', Buffer.alloc(4 * MIB))).status, 201);
  const underWay = () => readdir(join(w.folder, 'blobs', '.temporary'));

  const commit = request(`${origin}${put.path}&comp=blocklist`, { method: 'PUT' });
  commit.on('error', () => {});
  commit.end(listed(512));
  await until(async () => (await underWay()).length > 0);
  commit.destroy();
  await until(async () => (await underWay()).length === 0);
  t.deepEqual(await Array.fromAsync(w.blobs.list('staging/')), []);

  t.is((await put('&comp=blocklist', listed(2))).status, 201);
});

const idOf = (number: number) => Buffer.from(String(number).padStart(8, '0')).toString('base64');
const listOf = async (path: string, type = '&blocklisttype=all') => w.nobody.get(`${path}&comp=blocklist${type}`);
const blocksIn = (xml: string) =>
  [...xml.matchAll(/<Block><Name>([^<]+)<\/Name><Size>(\d+)<\/Size><\/Block>/g)].map(([, id, size]) => [
    id,
    Number(size),
  ]);

test('an interrupted upload learns which blocks are there, sends the others and commits', async (t) => {
  const put = await place();
  const empty = await listOf(put.path);
  t.is(empty.status, 200);
  t.is(empty.headers['content-type'], 'application/xml');
  t.is(
    empty.body,
    '<?xml version="1.0" encoding="utf-8"?><BlockList><CommittedBlocks /><UncommittedBlocks></UncommittedBlocks></BlockList>',
  );
  await put(`&comp=block&blockid=${encodeURIComponent(idOf(0))}`, 'abc');
  await put(`&comp=block&blockid=${encodeURIComponent(idOf(2))}`, 'defgh');
  t.deepEqual(blocksIn((await listOf(put.path)).body).sort(), [
    [idOf(0), 3],
    [idOf(2), 5],
  ]);
  t.notRegex((await listOf(put.path, '')).body, /Uncommitted/, 'the protocol lists committed ones by default');
  t.notRegex((await listOf(put.path, '&blocklisttype=uncommitted')).body, /Committed/);
  await put(`&comp=block&blockid=${encodeURIComponent(idOf(1))}`, 'X');
  const all = [0, 1, 2].map((number) => `<Latest>${idOf(number)}</Latest>`).join('');
  t.is((await put('&comp=blocklist', `<BlockList>${all}</BlockList>`)).status, 201);
  const committed = await listOf(put.path);
  t.deepEqual(blocksIn(committed.body), []);
  t.is(committed.headers['x-ms-blob-content-length'], '9');
  t.truthy(committed.headers.etag);
});

test('a list of blocks needs a grant of writing, and a type that the protocol has', async (t) => {
  const put = await place();
  const wrong = await listOf(put.path, '&blocklisttype=some');
  t.is(wrong.status, 400);
  t.is(wrong.headers['x-ms-error-code'], 'InvalidQueryParameterValue');
  t.is((await w.nobody.get(`${put.path.split('?')[0]}?comp=blocklist`)).status, 403);
});

const digestOf = (body: string, name = 'sha256') => createHash(name).update(body).digest('base64');

test('a block with another Content-Digest is refused, and not kept', async (t) => {
  const put = await place();
  const send = (digest: string) =>
    w.nobody.send({
      method: 'PUT',
      url: `${put.path}&comp=block&blockid=${encodeURIComponent(idOf(0))}`,
      headers: { 'content-digest': digest },
      payload: Buffer.from('abc'),
    });
  const refused = await send(`sha-256=:${digestOf('abd')}:`);
  t.is(refused.status, 400);
  t.is(refused.headers['x-ms-error-code'], 'DigestMismatch');
  t.deepEqual(blocksIn((await listOf(put.path)).body), []);
  for (const nonsense of ['sha-256=abc', 'sha-256=:YWJj:', `sha-256=${digestOf('abc')}`])
    t.is((await send(nonsense)).headers['x-ms-error-code'], 'InvalidDigest', nonsense);
  t.is((await send(`sha-512=:${digestOf('abc', 'sha512')}:, sha-256=:${digestOf('abd')}:`)).status, 400, 'both count');
  const repeated = `sha-256=:${digestOf('abd')}:, `.repeat(100);
  t.is((await send(`${repeated}sha-256=:${digestOf('abc')}:`)).status, 201, 'the last one counts');
  t.is((await send(`sha-256=:${digestOf('abc')}:, ${repeated}x=1`)).status, 400);
  t.is((await send('md5=:AAAA:')).status, 201, 'others are ignored');
  t.is((await send(`unixsum=:AA==:, SHA-256=:${digestOf('abc')}:`)).status, 201);
});

const placeRow = (path: string) =>
  w.sql<{ hours: number }>(
    'select extract(epoch from expires_at - now())::float8 / 3600 as hours from staged_blobs where name = $1',
    [path.split('/').at(-1)?.split('?')[0]],
  );
const shift = (path: string, set: string) =>
  w.sql(`update staged_blobs set ${set} where name = $1`, [path.split('/').at(-1)?.split('?')[0]]);

test('a place lasts a day after its last block, and a week at most', async (t) => {
  const put = await place();
  const hours = async () => (await placeRow(put.path))[0]?.hours ?? NaN;
  await shift(put.path, "expires_at = now() + interval '2 hours'");
  await put('&comp=block&blockid=YQ==', 'a');
  t.true((await hours()) > 23.9);
  await shift(put.path, "created_at = now() - interval '6 days 12 hours', expires_at = now() + interval '2 hours'");
  await put('&comp=block&blockid=YQ==', 'a');
  t.true(Math.abs((await hours()) - 12) < 0.1, 'until the end of the week');
});

test('the address of an upload is renewed for who got it, also when it has expired', async (t) => {
  const user = await w.account();
  const url = '/api/conversion/transfer/upload-url';
  const { data } = (await w.as(user).get(url)).body;
  const pathOf = (address: string) => new URL(address).pathname + new URL(address).search;
  const path = pathOf(data);
  await w.nobody.put(`${path}&comp=block&blockid=YQ==`, Buffer.from('kept'));
  await shift(path, "expires_at = now() + interval '2 hours'");
  const uploadUrl = data.replace(/se=[^&]*/, 'se=2020-01-01T00%3A00%3A00Z');
  const renewed = await w.as(user).post(`${url}/renew`, { uploadUrl });
  t.is(renewed.status, 200);
  const again = pathOf(renewed.body.data);
  t.is(again.split('?')[0], path.split('?')[0]);
  t.true(((await placeRow(path))[0]?.hours ?? 0) > 23.9);
  t.deepEqual(blocksIn((await listOf(again)).body), [['YQ==', 4]]);

  t.is((await w.as(await w.account()).post(`${url}/renew`, { uploadUrl: data })).status, 404, 'of another account');
  t.is((await w.as(user).post(`${url}/renew`, { uploadUrl: 'https://elsewhere.example/x' })).status, 400);
  await shift(path, "expires_at = now() - interval '1 minute'");
  t.is((await w.as(user).post(`${url}/renew`, { uploadUrl: data })).status, 404, 'the place has ended');
  await shift(path, "expires_at = now() + interval '2 hours', named_at = now()");
  t.is((await w.as(user).post(`${url}/renew`, { uploadUrl: data })).body.code, 'BlobImmutableDueToPolicy');
});
