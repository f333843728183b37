import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { download } from '../../cli/download.ts';
import { upload } from '../../cli/upload.ts';
import { world } from '../world.ts';

const w = world(test);

/** An address of the platform to which a file may be sent, and the name of its blob. */
async function staged() {
  const base = await w.listen();
  const { body } = await w.as(await w.administrator()).get('/api/conversion/transfer/upload-url');
  const { pathname, search } = new URL(body.data);
  return { address: `${base}${pathname}${search}`, blob: pathname.replace('/api/blob/', '') };
}

/** Blobs of the dataset in the store: one, complete. */
async function stored(blob: string) {
  const [found, ...others] = await Array.fromAsync(w.blobs.list(blob));
  if (found === undefined || others.length > 0) throw new Error(`${blob} is there ${others.length} times.`);
  return buffer(await w.blobs.read(found.name));
}

async function folder(t: ExecutionContext) {
  const path = await mkdtemp(join(tmpdir(), 'platform-bytes-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

for (const [size, way] of [
  [0, 'an empty file'],
  [300_001, 'a file in one piece'],
  [1_000_003, 'a file in blocks'],
] as const) {
  test(`${way} arrives unchanged, and its progress ends at its size`, async (t) => {
    const { address, blob } = await staged();
    const path = join(await folder(t), 'file');
    const bytes = randomBytes(size);
    await writeFile(path, bytes);
    const seen: number[] = [];
    await upload(path, address, (sent) => seen.push(sent), { onePiece: 500_000, block: 100_000 });
    t.deepEqual(await stored(blob), bytes);
    t.is(seen.at(-1) ?? 0, size);
    t.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
  });
}

test('a modified address fails with one sentence', async (t) => {
  const { address } = await staged();
  const path = join(await folder(t), 'file');
  await writeFile(path, 'x');
  const error = await t.throwsAsync(upload(path, address.replace(/sig=[^&]*/, 'sig=forged'), () => {}));
  t.is((error as { status?: number } | undefined)?.status, 403);
});

/** A server that is not the platform's and answers as the test says. */
async function server(t: ExecutionContext, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const listening = createServer(answer);
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    listening.closeAllConnections();
    listening.close();
  });
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/api/blob/export/name`;
}

test('a broken download resumes where it stopped, under a temporary name until it is complete', async (t) => {
  const bytes = randomBytes(900_000);
  const ranges: (string | undefined)[] = [];
  const at = await folder(t);
  const target = join(at, 'file.tif');
  const address = await server(t, ({ headers }, response) => {
    ranges.push(headers.range);
    const start = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    t.false(readdirSync(at).includes('file.tif'));
    const part = bytes.subarray(start, Math.min(bytes.length, start + 400_000));
    response.writeHead(start === 0 ? 200 : 206, { etag: '"1"', 'content-length': bytes.length - start });
    response.write(part, () => (start + part.length === bytes.length ? response.end() : response.destroy()));
  });
  t.is(await download(address, { path: target }, () => {}), target);
  t.deepEqual(await readFile(target), bytes);
  t.is(ranges[0], undefined);
  t.true(ranges.length >= 2);
  t.deepEqual(await readdir(at), ['file.tif']);
});

test('a file that changes during its download is an error, and no partial file is left', async (t) => {
  const at = await folder(t);
  const address = await server(t, ({ headers }, response) => {
    if (headers['if-match']) return void response.writeHead(412).end();
    response.writeHead(200, { etag: '"1"', 'content-length': 100_000 });
    response.write(randomBytes(50_000), () => response.destroy());
  });
  await t.throwsAsync(
    download(address, { path: join(at, 'file') }, () => {}),
    { message: /changed during the download/ },
  );
  t.deepEqual(await readdir(at), []);
});

test('an existing file is not overwritten without --force', async (t) => {
  const target = join(await folder(t), 'file');
  await writeFile(target, 'mine');
  const address = await server(t, (_, response) => void response.end('theirs'));
  await t.throwsAsync(
    download(address, { path: target }, () => {}),
    { message: /exists already\. Use --force to replace it/ },
  );
  t.is(await readFile(target, 'utf8'), 'mine');
  await download(address, { path: target, force: true }, () => {});
  t.is(await readFile(target, 'utf8'), 'theirs');
});

for (const [header, name] of [
  [`attachment; filename="terrain.tif"`, 'terrain.tif'],
  [`attachment; filename="x"; filename*=UTF-8''H%C3%B6hen.tif`, 'Höhen.tif'],
  [`attachment; filename="../../etc/cron.d/evil"`, 'evil'],
  [`attachment; filename*=UTF-8''..%5C..%5Cevil.dll`, 'evil.dll'],
] as const) {
  test(`a download into a folder uses only the base name of the server's file name: ${header}`, async (t) => {
    const at = await folder(t);
    const address = await server(t, (_, response) => {
      response.setHeader('content-disposition', header);
      response.end('bytes');
    });
    t.is(await download(address, { path: at }, () => {}), join(at, name));
    t.deepEqual(await readdir(at), [name]);
  });
}
