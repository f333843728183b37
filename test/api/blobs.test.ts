import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { watch } from 'node:fs';
import { link, mkdir, readdir, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import { AppError } from '../../src/errors.ts';
import type { Caller } from '../../src/http/caller.ts';
import { KeyStore } from '../../src/platform/keys/key-store.ts';
import { Signer } from '../../src/platform/keys/signing-keys.ts';
import { type BlobAddress, type Grant, parseOwnAddress, signedAddress } from '../../src/uploads/address.ts';
import { type NamedUpload, nameStagedBlob } from '../../src/uploads/staged.ts';
import { ownWorld } from '../world.ts';

const w = ownWorld(test, { 'uploads.maxSize': '1000000', publicUrl: 'http://platform.example/' });
let opened: Promise<Signer> | undefined;
/** Signs as the server does. */
const sign = async (address: BlobAddress, grant: Partial<Grant> = {}) => {
  opened ??= Signer.open(w.db, new KeyStore(), 'address');
  return signedAddress(await opened, BASE, address, {
    permission: 'r',
    expiresAt: new Date(Date.now() + 3_600_000),
    generation: 0,
    issuer: (await w.administrator()).userId,
    ...grant,
  });
};

const BASE = 'http://platform.example';

/** Somebody with an account, as rules get to know the caller. */
async function person(tenantId?: string): Promise<Caller> {
  const user = await w.account(tenantId === undefined ? { tenantId: await w.tenant() } : { tenantId });
  return {
    userId: user.userId,
    accountId: user.id,
    foldedId: user.id,
    tenantId: user.tenantId,
    tenants: [{ id: user.tenantId, role: 'Member' }],
    groups: [],
    roles: [],
    scopes: [],
    via: 'token',
    address: '127.0.0.1',
    requestId: 'test',
  };
}

/** A fresh place: its address to put to, one to read from, and requests to them. */
async function place() {
  const owner = await person();
  const upload: string = (await w.as(owner).get('/api/conversion/transfer/upload-url')).body.data;
  const address = parseOwnAddress(upload)!;
  const read = await sign(address);
  const send = (method: 'PUT' | 'GET' | 'HEAD' | 'DELETE') => {
    return (url: string, headers: Record<string, string> = {}, payload?: string | Buffer) =>
      w.app.inject({ method, url: url.slice(BASE.length), headers, payload });
  };
  const put = (payload: string | Buffer, headers: Record<string, string> = {}, query = '') =>
    send('PUT')(upload + query, { 'content-type': 'application/octet-stream', ...headers }, payload);
  return {
    owner,
    name: address.name,
    upload,
    read,
    put,
    get: (headers: Record<string, string> = {}, url = read) => send('GET')(url, headers),
    head: (url = read, headers: Record<string, string> = {}) => send('HEAD')(url, headers),
    delete: (url = upload, headers: Record<string, string> = {}) => send('DELETE')(url, headers),
  };
}

test('upload-url returns an address below publicUrl that accepts PUT for a day', async (t) => {
  const me = await w.account();
  const { status, body } = await w.as(me).get('/api/conversion/transfer/upload-url');
  t.is(status, 200);
  const url = new URL(body.data);
  t.is(url.origin, BASE);
  t.is(url.pathname.split('/').length, 5);
  t.is(url.searchParams.get('sp'), 'cw');
  t.regex(url.searchParams.get('se')!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const hours = (Date.parse(url.searchParams.get('se')!) - Date.now()) / 3_600_000;
  t.true(hours > 23.9 && hours <= 24);
  t.is((await w.nobody.put(body.data.slice(BASE.length), Buffer.from('x'))).status, 201);
  t.is((await w.nobody.get('/api/conversion/transfer/upload-url')).status, 401);
});

const BLOCK_BLOB = { 'x-ms-blob-type': 'BlockBlob', 'if-none-match': '*' };

test('a file of one PUT is read back unchanged, with size, ETag and time in headers', async (t) => {
  const { put, get, head } = await place();
  const stored = await put('hello world', { ...BLOCK_BLOB, 'x-ms-version': '2026-10-06' });
  t.is(stored.statusCode, 201);
  t.is(stored.headers['x-ms-version'], '2026-10-06');
  t.truthy(stored.headers['x-ms-request-id']);
  const answer = await get();
  t.is(answer.statusCode, 200);
  t.is(answer.body, 'hello world');
  t.is(answer.headers.etag, stored.headers.etag);
  t.is(answer.headers['last-modified'], stored.headers['last-modified']);
  t.is(answer.headers['accept-ranges'], 'bytes');
  t.is(answer.headers['x-ms-blob-type'], 'BlockBlob');
  const seen = await head();
  t.is(seen.statusCode, 200);
  t.is(seen.headers['content-length'], '11');
  t.is(seen.headers.etag, stored.headers.etag);
  t.is(seen.body, '');
});

test('PUT accepts any content type and an empty body, and replaces an existing blob', async (t) => {
  const { put, get } = await place();
  t.is((await put('{"a":', { 'content-type': 'application/json' })).statusCode, 201);
  t.is((await get()).body, '{"a":');
  const first = (await get()).headers.etag;
  t.is((await put('')).statusCode, 201);
  t.is((await get()).body, '');
  t.not((await get()).headers.etag, first);
});

test('If-None-Match: * on an existing blob is 409 BlobAlreadyExists, also for concurrent PUTs', async (t) => {
  const { put, get } = await place();
  const answers = await Promise.all(['one', 'two', 'three'].map((text) => put(text, BLOCK_BLOB)));
  t.deepEqual(answers.map((answer) => answer.statusCode).sort(), [201, 409, 409]);
  const refused = await put('late', BLOCK_BLOB);
  t.is(refused.headers['x-ms-error-code'], 'BlobAlreadyExists');
  t.is(refused.json().code, 'BlobAlreadyExists');
  t.is((await get()).headers.etag, answers.find((answer) => answer.statusCode === 201)?.headers.etag);
});

const listOf = (...ids: string[]) =>
  `<?xml version='1.0' encoding='utf-8'?>\n<BlockList>${ids.map((id) => `<Latest>${id}</Latest>`).join('')}</BlockList>`;
const block = (id: string) => `&comp=block&blockid=${encodeURIComponent(id)}`;

test('blocks may arrive concurrently and in any order; the block list determines their order', async (t) => {
  const { put, get } = await place();
  const [a, b] = [randomBytes(200_000), randomBytes(100_000)];
  const answers = await Promise.all([
    put(b, {}, block('Yi+/')),
    put(a, {}, block('YQ==')),
    put('no', {}, block('Yw==')),
  ]);
  t.deepEqual(
    answers.map((answer) => answer.statusCode),
    [201, 201, 201],
  );
  t.is((await get()).statusCode, 404);
  const xml = { 'content-type': 'application/xml' };
  t.is((await put(listOf('YQ==', 'Yi+/'), xml, '&comp=blocklist')).statusCode, 201);
  t.true((await get()).rawPayload.equals(Buffer.concat([a, b])));
  const forgotten = await put(listOf('Yw=='), xml, '&comp=blocklist');
  t.is(forgotten.statusCode, 400);
  t.is(forgotten.headers['x-ms-error-code'], 'InvalidBlockList');
});

for (const [what, list] of Object.entries({
  'another element': '<Blocks/>',
  'an open end': '<BlockList><Latest>YQ==</Latest>',
  'a strange child': '<BlockList><Committed>YQ==</Committed></BlockList>',
  'text behind': '<BlockList/><BlockList/>',
  'an entity': '<!DOCTYPE x [<!ENTITY a "b">]><BlockList><Latest>&a;</Latest></BlockList>',
  nothing: '',
})) {
  test(`a block list with ${what} is 400`, async (t) => {
    const { put } = await place();
    const answer = await put(list, {}, '&comp=blocklist');
    t.is(answer.statusCode, 400);
    t.is(answer.headers['x-ms-error-code'], 'InvalidXmlDocument');
  });
}

test.serial('the size limit counts a block each time it is listed, before any byte is written', async (t) => {
  const { put } = await place();
  t.is((await put(Buffer.alloc(1000), {}, block('YQ=='))).statusCode, 201);
  const written: unknown[] = [];
  const watcher = watch(join(w.folder, 'blobs', '.temporary'), (...seen) => written.push(seen));
  const list = listOf(...Array<string>(1001).fill('YQ=='));
  const answer = await put(list, {}, '&comp=blocklist');
  t.is(answer.statusCode, 413);
  t.regex(answer.json().detail, /^The blocks have 1001000 bytes\. The maximum is 1000000\.$/);
  watcher.close();
  t.deepEqual(written, []);
});

test('a range is 206 with Content-Range, even if it covers the whole blob; x-ms-range takes precedence over Range', async (t) => {
  const { put, get } = await place();
  await put('0123456789');
  for (const [range, body, contentRange] of [
    ['bytes=0-9', '0123456789', 'bytes 0-9/10'],
    ['bytes=0-33554431', '0123456789', 'bytes 0-9/10'],
    ['bytes=3-4', '34', 'bytes 3-4/10'],
    ['bytes=8-', '89', 'bytes 8-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
  ]) {
    for (const headers of [{ range }, { 'x-ms-range': range }, { 'x-ms-range': range, range: 'bytes=0-0' }]) {
      const answer = await get(headers as Record<string, string>);
      t.is(answer.statusCode, 206);
      t.is(answer.body, body);
      t.is(answer.headers['content-range'], contentRange);
    }
  }
  for (const range of ['bytes=5-2', 'lines=1-2', 'bytes=0-1,3-4']) t.is((await get({ range })).statusCode, 200);
});

test('a range beyond the end, and any range of an empty blob, is 416 InvalidRange', async (t) => {
  const { put, get } = await place();
  await put('0123456789');
  for (const range of ['bytes=10-', 'bytes=10-20', 'bytes=-0']) {
    const answer = await get({ range });
    t.is(answer.statusCode, 416);
    t.is(answer.headers['x-ms-error-code'], 'InvalidRange');
    t.is(answer.headers['content-range'], 'bytes */10');
  }
  await put('');
  t.is((await get({ range: 'bytes=0-0' })).statusCode, 416);
});

test('If-Match with another ETag is 412, If-None-Match with this one 304, If-Range with another returns the whole blob', async (t) => {
  const { put, get, head, read } = await place();
  const { etag } = (await put('first')).headers as { etag: string };
  t.is((await get({ 'if-match': etag, range: 'bytes=0-1' })).statusCode, 206);
  t.is((await get({ 'if-none-match': etag })).statusCode, 304);
  t.is((await get({ 'if-none-match': `"other", W/${etag}` })).statusCode, 304);
  t.is((await get({ 'if-none-match': '"other"' })).statusCode, 200);
  t.is((await head(read, { 'if-none-match': etag })).statusCode, 304);
  await put('second');
  const stale = await get({ 'if-match': etag, range: 'bytes=0-1' });
  t.is(stale.statusCode, 412);
  t.is(stale.headers['x-ms-error-code'], 'ConditionNotMet');
  t.is((await get({ 'if-range': etag, range: 'bytes=0-1' })).body, 'second');
  t.is((await put('third', { 'if-match': etag })).statusCode, 412);
});

test('conditional headers apply to PUT, block lists, copies and DELETE', async (t) => {
  const { put, head, read, delete: remove, get } = await place();
  for (const answer of [await put('x', { 'if-match': '*' }), await put('x', { 'if-match': '"any"' })]) {
    t.is(answer.statusCode, 412);
    t.is(answer.headers['x-ms-error-code'], 'ConditionNotMet');
  }
  const { etag } = (await put('first')).headers as { etag: string };
  t.is((await put('second', { 'if-match': '*' })).statusCode, 201);
  await put('block', {}, block('YQ=='));
  t.is((await put(listOf('YQ=='), { 'if-match': etag }, '&comp=blocklist')).statusCode, 412);
  t.is((await put(listOf('YQ=='), { 'if-none-match': '*' }, '&comp=blocklist')).statusCode, 409);
  t.is((await get()).body, 'second');
  const now = (await head()).headers.etag as string;
  t.is((await head(read, { 'if-match': etag })).statusCode, 412);

  const source = await place();
  const copied = (await source.put('source')).headers.etag as string;
  const copy = (headers: Record<string, string>) => put('', { 'x-ms-copy-source': source.read, ...headers });
  t.is((await copy({ 'if-none-match': '*' })).headers['x-ms-error-code'], 'BlobAlreadyExists');
  t.is((await copy({ 'if-match': etag })).statusCode, 412);
  const wrong = await copy({ 'x-ms-source-if-match': now });
  t.is(wrong.statusCode, 412);
  t.is(wrong.headers['x-ms-error-code'], 'SourceConditionNotMet');
  t.is((await copy({ 'x-ms-source-if-none-match': copied })).statusCode, 412);

  for (const headers of [{ 'if-match': etag }, { 'if-none-match': now }] as Record<string, string>[])
    t.is((await remove(undefined, headers)).statusCode, 412);
  t.is((await copy({ 'if-match': now, 'x-ms-source-if-match': copied })).statusCode, 202);
  t.is((await get()).body, 'source');
  t.is((await remove(undefined, { 'if-match': (await head()).headers.etag as string })).statusCode, 202);
});

test('one of several concurrent writers with the same ETag succeeds', async (t) => {
  const { put, get } = await place();
  const { etag } = (await put('first')).headers as { etag: string };
  const answers = await Promise.all(['one', 'two', 'three'].map((text) => put(text, { 'if-match': etag })));
  t.deepEqual(answers.map((answer) => answer.statusCode).sort(), [201, 412, 412]);
  t.is((await get()).headers.etag, answers.find((answer) => answer.statusCode === 201)?.headers.etag);
});

test('content that does not match its MD5 is 400 Md5Mismatch and is discarded, whole or in blocks', async (t) => {
  const { put, get } = await place();
  const md5 = (text: string) => createHash('md5').update(text).digest('base64');
  for (const [headers, query] of [
    [{ 'content-md5': md5('other') }, ''],
    [{ 'x-ms-blob-content-md5': md5('other') }, ''],
    [{ 'content-md5': md5('other') }, block('YQ==')],
  ] as [Record<string, string>, string][]) {
    const answer = await put('text', headers, query);
    t.is(answer.statusCode, 400);
    t.is(answer.headers['x-ms-error-code'], 'Md5Mismatch');
  }
  t.is((await put('text', { 'content-md5': 'nonsense' })).headers['x-ms-error-code'], 'InvalidMd5');
  t.is((await put(listOf('YQ=='), {}, '&comp=blocklist')).headers['x-ms-error-code'], 'InvalidBlockList');
  t.is((await get()).statusCode, 404);
  t.is((await put('text', { 'content-md5': md5('text') })).statusCode, 201);
  const range = { range: 'bytes=1-2', 'x-ms-range-get-content-md5': 'true' };
  const part = await get(range);
  t.is(part.statusCode, 206);
  t.is(part.body, 'ex');
  t.is(part.headers['content-md5'], md5('ex'));
  t.is(part.headers['content-range'], 'bytes 1-2/4');
});

test('every blob response has ETag, Last-Modified, Accept-Ranges, content type, protocol version and request id', async (t) => {
  const { put, get, head, read } = await place();
  const version = { 'x-ms-version': '2025-07-05', 'x-ms-client-request-id': 'mine' };
  const stored = await put('text', { ...BLOCK_BLOB, ...version });
  const { etag } = stored.headers as { etag: string };
  const answers = [
    stored,
    await get(version),
    await get({ ...version, range: 'bytes=0-1' }),
    await get({ ...version, 'if-none-match': etag }),
    await head(read, version),
    await put('', { ...version, 'x-ms-copy-source': read }),
  ];
  for (const [n, { headers }] of answers.entries()) {
    for (const name of ['etag', 'last-modified', 'x-ms-request-id']) t.truthy(headers[name], `${n} ${name}`);
    t.like(headers, { 'accept-ranges': 'bytes', 'x-ms-blob-type': 'BlockBlob', ...version }, String(n));
  }
});

test('every blob response, also an error, has the protocol version and Cache-Control', async (t) => {
  const { put, get, head, upload, read } = await place();
  const answers = [
    await put('text', BLOCK_BLOB),
    await get(),
    await head(read),
    await get({ range: 'bytes=0-1' }),
    await get({ range: 'bytes=9-' }),
    await get({ 'if-match': '"other"' }),
    await put('text', BLOCK_BLOB),
    await put('text', { 'x-ms-blob-type': 'PageBlob' }),
    await get({}, read.replace('sig=', 'sig=x')),
    await get({}, await sign({ area: 'dataset', name: randomUUID() })),
    await w.app.inject({ method: 'POST', url: upload.slice(BASE.length) }),
    await w.app.inject({ url: '/api/blob/nowhere/a' }),
    await w.app.inject({ url: '/api/blob/staging/a/b' }),
  ];
  t.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [201, 200, 200, 206, 416, 412, 409, 400, 403, 404, 405, 403, 404],
  );
  for (const { statusCode, headers } of answers) {
    t.is(headers['x-ms-version'], '2021-08-06', String(statusCode));
    t.is(headers['cache-control'], 'private, no-cache', String(statusCode));
    t.truthy(headers['x-ms-request-id'], String(statusCode));
  }
  const named = await w.app.inject({ url: '/api/blob/nowhere/a', headers: { 'x-ms-version': '2025-07-05' } });
  t.is(named.headers['x-ms-version'], '2025-07-05');
});

test('an export has the Cache-Control of the other blobs, also in an error response', async (t) => {
  const { tenantId, userId, id } = await w.account();
  const transferId = randomUUID();
  const blob = `export/${transferId}-1`;
  await w.blobs.put(blob, Readable.from([Buffer.from('text')]), 4);
  await w.sql(
    `insert into transfers (id, tenant_id, project_id, type, format, request, created_by, account_id, updated_by, memory_mb, status,
       progress, finished_at, output_blob, output_file_name)
     values ($1, $2, $1, 'Export', 'file', '{"inputName": "a.txt"}', $3, $4, $3, 256, 'Completed', 100, now(), $5, 'a.txt')`,
    [transferId, tenantId, userId, id, blob],
  );
  const url = (await sign({ area: 'export', name: `${transferId}_a.txt` })).slice(BASE.length);
  const get = (headers = {}) => w.app.inject({ url, headers });
  const whole = await get();
  t.is(whole.body, 'text');
  const { etag } = whole.headers as { etag: string };
  for (const kept of [whole, await get({ range: 'bytes=0-1' }), await get({ 'if-none-match': etag })])
    t.is(kept.headers['cache-control'], 'private, no-cache', String(kept.statusCode));
  const refused = await get({ range: 'bytes=9-' });
  t.is(refused.statusCode, 416);
  t.is(refused.headers['cache-control'], 'private, no-cache');
});

const onLinux = process.platform === 'linux' ? test.serial : test.serial.skip;
onLinux('a copy that is refused leaves no file open', async (t) => {
  const { put, read } = await place();
  await put('text');
  const open = async () => {
    const files = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
    return (await Promise.all(files)).filter((path) => path.startsWith(join(w.folder, 'blobs', 'staging'))).length;
  };
  for (let n = 0; n < 5; n++) t.is((await put('', { ...BLOCK_BLOB, 'x-ms-copy-source': read })).statusCode, 409);
  t.is(await open(), 0);
});

test('CORS exposes ETag, Content-Range and the headers of the blob protocol', async (t) => {
  const { put, get } = await place();
  await put('text');
  const { headers } = await get({ origin: 'https://maps.example', range: 'bytes=0-1' });
  const exposed = String(headers['access-control-expose-headers']).toLowerCase().split(/, */);
  for (const name of [
    'etag',
    'preference-applied',
    'content-range',
    'accept-ranges',
    'x-ms-error-code',
    'x-ms-request-id',
    'x-ms-version',
    'x-ms-blob-type',
    'x-ms-copy-id',
    'x-ms-copy-status',
    'content-md5',
  ])
    t.true(exposed.includes(name), name);
});

test('blocks stay until the database names the blob, so a client can commit them again', async (t) => {
  const { put, get, name } = await place();
  await put('kept', {}, block('YQ=='));
  await w.sql(
    `create function no_blob() returns trigger language plpgsql as $$ begin raise exception 'the disk is full'; end $$`,
  );
  await w.sql(
    `create trigger no_blob before update on staged_blobs for each row when (new.name = '${name}') execute function no_blob()`,
  );
  t.true((await put(listOf('YQ=='), {}, '&comp=blocklist')).statusCode >= 500);
  await w.sql('drop function no_blob cascade');
  t.is((await put(listOf('YQ=='), {}, '&comp=blocklist')).statusCode, 201);
  t.is((await get()).body, 'kept');
});

test('a block list that is sent again, because its answer was lost, is answered as the first time', async (t) => {
  const { put, get } = await place();
  await put('right', {}, block('YQ=='));
  await put('-', {}, block('Yg=='));
  const first = await put(listOf('YQ==', 'Yg=='), {}, '&comp=blocklist');
  const again = await put(listOf('YQ==', 'Yg=='), {}, '&comp=blocklist');
  t.is(again.statusCode, 201);
  t.is(again.headers.etag, first.headers.etag);
  t.is((await get()).body, 'right-');
  // no repetition: another order, a block that was uploaded since, a file that was written since, one that must not be
  // there
  const refused = async (list: string, headers = {}) =>
    (await put(list, headers, '&comp=blocklist')).headers['x-ms-error-code'];
  t.is(await refused(listOf('Yg==', 'YQ==')), 'InvalidBlockList');
  t.is(await refused(listOf('YQ==', 'Yg=='), { 'if-none-match': '*' }), 'BlobAlreadyExists');
  await put('new', {}, block('YQ=='));
  t.is(await refused(listOf('YQ==', 'Yg==')), 'InvalidBlockList');
  t.is((await get()).body, 'right-');
  t.is((await put(listOf('YQ=='), {}, '&comp=blocklist')).statusCode, 201);
  await put('whole', { 'x-ms-blob-type': 'BlockBlob' });
  t.is(await refused(listOf('YQ==')), 'InvalidBlockList');
  t.is((await get()).body, 'whole');
});

test('a block list that is sent again while its blocks are being deleted is answered as the first time', async (t) => {
  const { put, get, name } = await place();
  await put('right', {}, block('YQ=='));
  await put('-', {}, block('Yg=='));
  const blocks = join(w.folder, 'blobs/.blocks/staging', name);
  const kept = join(w.folder, name);
  const [one = ''] = await readdir(blocks);
  await link(join(blocks, one), kept);
  const first = await put(listOf('YQ==', 'Yg=='), {}, '&comp=blocklist');
  await mkdir(blocks);
  await link(kept, join(blocks, one));
  const again = await put(listOf('YQ==', 'Yg=='), {}, '&comp=blocklist');
  t.is(again.statusCode, 201);
  t.is(again.headers.etag, first.headers.etag);
  t.is((await get()).body, 'right-');
  t.false((await readdir(join(blocks, '..'))).includes(name), 'the rest of its blocks is deleted');
});

test('a block that is uploaded again replaces the first; one listed twice is written twice', async (t) => {
  const { put, get } = await place();
  await put('wrong', {}, block('YQ=='));
  await put('right', {}, block('YQ=='));
  await put('-', {}, block('Yg=='));
  t.is((await put(listOf('YQ==', 'Yg==', 'YQ=='), {}, '&comp=blocklist')).statusCode, 201);
  t.is((await get()).body, 'right-right');
});

test('DELETE is 202 and removes the blob; its address can be written again', async (t) => {
  const place1 = await place();
  await place1.put('text', BLOCK_BLOB);
  t.is((await place1.delete()).statusCode, 202);
  for (const answer of [await place1.get(), await place1.head(), await place1.delete()]) {
    t.is(answer.statusCode, 404);
    t.is(answer.headers['x-ms-error-code'], 'BlobNotFound');
  }
  t.deepEqual(await Array.fromAsync(w.blobs.list(`staging/${place1.name}`)), []);
  t.is((await place1.put('again', BLOCK_BLOB)).statusCode, 201);
});

test('an upload grant allows HEAD and DELETE but not GET; a read grant allows no writes', async (t) => {
  const { put, head, get, upload, read, delete: remove } = await place();
  await put('text');
  t.is((await head(upload)).statusCode, 200);
  t.is((await get({}, upload)).statusCode, 403);
  t.is((await remove(read)).statusCode, 403);
  const answer = await w.app.inject({ method: 'PUT', url: read.slice(BASE.length), payload: 'x' });
  t.is(answer.headers['x-ms-error-code'], 'AuthorizationPermissionMismatch');
  t.is((await get()).body, 'text');
});

test('a modified, expired or unsigned address is 403 AuthenticationFailed', async (t) => {
  const { put, get, read, name, upload } = await place();
  await put('text');
  const other = await place();
  const old = await sign({ area: 'staging', name }, { expiresAt: new Date(0) });
  for (const url of [
    read.split('?')[0]!,
    read.replace(name, other.name),
    read.replace('/staging/', '/export/'),
    read.replace('sp=r', 'sp=cw'),
    read.replace(/se=\d{4}/, 'se=2999'),
    read.replace(/sig=./, (found) => (found === 'sig=A' ? 'sig=B' : 'sig=A')),
    read.replace(/sig=[^&]*/, 'sig='),
    read.replace(/si=[^&]*/, 'si=nobody'),
    `${read}&rscd=attachment`,
    `${read}&sp=cw`,
    upload.replace('sp=cw', 'sp=r'),
    old,
  ]) {
    const answer = await get({}, url);
    t.is(answer.statusCode, 403, url);
    t.is(answer.headers['x-ms-error-code'], 'AuthenticationFailed');
    t.is(answer.json().status, 403);
  }
});

test('an upload above uploads.maxSize is 413 and is discarded, with or without Content-Length', async (t) => {
  const { put, get } = await place();
  const big = Buffer.alloc(1_000_001);
  for (const headers of [{}, { 'transfer-encoding': 'chunked' }] as Record<string, string>[]) {
    const answer = await put(big, headers);
    t.is(answer.statusCode, 413);
    t.is(answer.headers['x-ms-error-code'], 'RequestBodyTooLarge');
  }
  t.is((await put(big.subarray(1), {}, block('YQ=='))).statusCode, 201);
  t.is((await put(listOf('YQ==', 'YQ=='), {}, '&comp=blocklist')).statusCode, 413);
  t.is((await get()).statusCode, 404);
});

test.serial('an interrupted upload is discarded, with Content-Length or chunked', async (t) => {
  const { upload, get } = await place();
  const { port } = new URL(await w.listen());
  const path = upload.slice(BASE.length);
  for (const framing of ['content-length: 1000\r\n\r\nhalf', 'transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n']) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`PUT ${path} HTTP/1.1\r\nhost: platform.example\r\n${framing}`);
    const writing = async () => (await readdir(join(w.folder, 'blobs/.temporary'))).length;
    while ((await writing()) === 0) await sleep(5);
    socket.destroy();
    while ((await writing()) > 0) await sleep(5);
    t.is((await get()).statusCode, 404);
  }
});

test('a blob address is recognized by its path, with any host and percent-encoding', (t) => {
  const address = { area: 'staging', name: 'a~b' };
  for (const url of [
    'http://other.example:99/api/blob/staging/a~b?sig=x',
    'https://other.example/some/prefix/api/blob/staging/a%7Eb',
    encodeURIComponent('http://other.example/api/blob/staging/a~b?x=1'),
  ]) {
    t.deepEqual(parseOwnAddress(url), address as BlobAddress, url);
  }
  for (const url of [
    'ftp://other.example/api/blob/staging/a',
    'http://other.example/api/blob/staging/a/b',
    'http://other.example/api/blob/staging/a%2Fb',
    'http://other.example/api/blob/other/a',
    'http://other.example/%E0/api/blob/staging/',
    'nonsense',
  ]) {
    t.is(parseOwnAddress(url), undefined, url);
  }
});

test('x-ms-copy-source accepts only a readable address of this platform', async (t) => {
  const [source, target] = [await place(), await place()];
  await source.put('copied');
  const answer = await target.put('', { 'x-ms-copy-source': source.read });
  t.is(answer.statusCode, 202);
  t.is(answer.headers['x-ms-copy-status'], 'success');
  t.truthy(answer.headers['x-ms-copy-id']);
  t.is((await target.get()).body, 'copied');
  for (const [url, status] of [
    ['http://169.254.169.254/latest/meta-data', 400],
    [source.upload, 403],
    [source.read.split('?')[0], 403],
    ['file:///etc/passwd', 400],
  ] as [string, number][]) {
    const refused = await target.put('', { 'x-ms-copy-source': url });
    t.is(refused.statusCode, status, url);
    t.is(refused.headers['x-ms-error-code'], 'CannotVerifyCopySource');
  }
});

test('a download has the dataset’s file name and content type', async (t) => {
  const { put, get, name } = await place();
  await put('text');
  const grant = { fileName: 'Höhen "1".asc', contentType: 'text/plain' };
  const url = await sign({ area: 'staging', name }, grant);
  const answer = await get({}, url);
  t.is(
    answer.headers['content-disposition'],
    `attachment; filename="H_hen _1_.asc"; filename*=UTF-8''H%C3%B6hen%20%221%22.asc`,
  );
  t.is(answer.headers['content-type'], 'text/plain');
});

const blobOf = async ({ name }: NamedUpload) =>
  (await w.sql<{ blob: string }>('select blob from staged_blobs where name = $1', [name]))[0]!.blob;

test('writing a file that a transfer uses is 409, also for a write in progress; other transfers may use it too', async (t) => {
  const { put, get, upload, owner } = await place();
  await put('input');
  const [isNamed, commit] = [Promise.withResolvers<NamedUpload>(), Promise.withResolvers<void>()];
  const naming = w.db.transaction(async (tx) => {
    isNamed.resolve(await nameStagedBlob(tx, owner, upload.split('?')[0]!));
    await commit.promise;
  });
  const named = await isNamed.promise;
  const writer = put('overtaken');
  await new Promise((resolve) => setTimeout(resolve, 50));
  commit.resolve();
  await naming;
  t.is((await writer).statusCode, 409);
  t.is(named.size, 5);
  for (const answer of [await put('late'), await put('late', {}, block('YQ=='))]) t.is(answer.statusCode, 409);
  t.is((await get()).body, 'input');
  t.deepEqual(await w.db.transaction((tx) => nameStagedBlob(tx, owner, upload)), named);
  const stored = await Array.fromAsync(w.blobs.list(await blobOf(named)));
  t.is(stored.length, 1);
});

test('DELETE of a file that a transfer uses is 202 and hides it; the transfer can still read it', async (t) => {
  const { put, get, upload, owner, delete: remove } = await place();
  await put('input');
  const blob = await blobOf(await w.db.transaction((tx) => nameStagedBlob(tx, owner, upload)));
  t.is((await remove()).statusCode, 202);
  t.is((await get()).statusCode, 404);
  t.is((await put('again')).statusCode, 409);
  t.is((await w.blobs.info(blob))?.size, 5);
  await t.throwsAsync(
    w.db.transaction((tx) => nameStagedBlob(tx, owner, upload)),
    { message: /was not found/ },
  );
});

test('a staged file is visible to its account and tenant; for others it is 404', async (t) => {
  const { put, upload, owner } = await place();
  await put('input');
  const colleague = await person(owner.tenantId);
  t.is((await w.db.transaction((tx) => nameStagedBlob(tx, colleague, upload))).size, 5);
  const stranger = await person();
  const error = await t.throwsAsync(
    w.db.transaction((tx) => nameStagedBlob(tx, stranger, upload)),
    { instanceOf: AppError },
  );
  t.is(error?.kind, 'notFound');
});

test('an upload can be named only by an address of this platform that is less than a day old', async (t) => {
  const { upload, owner, put, get } = await place();
  const naming = (url: string) =>
    t.throwsAsync(
      w.db.transaction((tx) => nameStagedBlob(tx, owner, url)),
      { instanceOf: AppError },
    );
  t.deepEqual(
    Object.keys(await w.db.transaction((tx) => nameStagedBlob(tx, owner, upload))),
    ['name'],
    'it has no size',
  );
  t.is((await naming('https://elsewhere.example/file.asc'))?.kind, 'invalid');
  t.is((await naming(`${BASE}/api/blob/staging/${randomUUID()}`))?.kind, 'notFound');
  await put('input');
  const past = new pg.Client({ connectionString: w.url });
  await past.connect();
  await past.query(`update staged_blobs set expires_at = now() where name = $1`, [parseOwnAddress(upload)!.name]);
  await past.end();
  t.is((await naming(upload))?.kind, 'notFound');
  t.is((await get()).statusCode, 404);
});

test('downloads and writes respect If-Modified-Since and If-Unmodified-Since, unless an ETag is given', async (t) => {
  const { put, get, head, read, delete: remove } = await place();
  const { headers } = await put('one', BLOCK_BLOB);
  const [etag, at] = [String(headers.etag), String(headers['last-modified'])];
  const before = new Date(Date.parse(at) - 1000).toUTCString();
  t.deepEqual(
    [(await get({ 'if-modified-since': at })).statusCode, (await get({ 'if-modified-since': before })).statusCode],
    [304, 200],
  );
  t.is((await head(read, { 'if-modified-since': at })).statusCode, 304);
  t.is((await get({ 'if-modified-since': at, 'if-none-match': '"other"' })).statusCode, 200);
  t.is((await get({ 'if-modified-since': 'yesterday' })).statusCode, 200, 'no date of HTTP');
  t.deepEqual(
    [(await get({ 'if-unmodified-since': at })).statusCode, (await get({ 'if-unmodified-since': before })).statusCode],
    [200, 412],
  );
  t.is((await get({ 'if-unmodified-since': before, 'if-match': etag })).statusCode, 200);
  t.is((await put('two', { 'if-unmodified-since': before })).statusCode, 412);
  t.is((await remove(undefined, { 'if-unmodified-since': before })).statusCode, 412);
  t.is((await get()).body, 'one');
  t.is((await put('two', { 'if-unmodified-since': at, 'if-modified-since': at })).statusCode, 201);
  t.is((await get()).body, 'two');
});

test('a PUT with Content-Range is 400: a part is not stored as the whole', async (t) => {
  const { put, get } = await place();
  await put('whole', BLOCK_BLOB);
  t.is((await put('part', { 'content-range': 'bytes 0-3/5' })).statusCode, 400);
  t.is((await get()).body, 'whole');
});
