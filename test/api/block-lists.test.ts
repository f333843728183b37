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
