import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import { openBlobStore } from '../../src/blobs/open.ts';
import type { App } from '../../src/http/route.ts';
import { machines } from '../cli/machine.ts';
import S3rver from '../world/s3rver.ts';
import { world } from '../world.ts';

const LARGE = 5000;
const w = world(test);

/** A server of the world whose bytes are in a bucket, and which sends those who want large blobs there. */
async function inBucket(t: { teardown(end: () => Promise<unknown>): void }): Promise<App> {
  const directory = await mkdtemp(join(tmpdir(), 'platform-presigned-'));
  const buckets = [{ name: 'blobs', configs: [] }];
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: buckets });
  const { port } = await server.run();
  const blobs = await openBlobStore(`s3://S3RVER:S3RVER@127.0.0.1:${port}/blobs/in?tls=false`, directory);
  const config = { ...w.config, 'blobs.redirectFrom': LARGE };
  const app = await buildApp({ config, db: w.db, databaseUrl: w.url, blobs, log: pino({ level: 'silent' }) });
  t.teardown(async () => {
    await app.close();
    await server.close();
    await rm(directory, { recursive: true });
  });
  return app;
}

/** A dataset with this content, and its signed address. */
async function dataset(app: App, content: string, fileName: string) {
  const headers = { authorization: `Bearer ${await w.tokenOf(await w.administrator())}` };
  const call = async (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object | Buffer) =>
    app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
  const project = (await call('POST', '/api/metadata/project', { name: 'p' })).json().id;
  const place = (await call('GET', '/api/conversion/transfer/upload-url')).json().data;
  await call('PUT', place.replace(/^https?:\/\/[^/]+/, ''), Buffer.from(content));
  const imported = await call('POST', `/api/conversion/project/${project}/file/import-staged`, {
    files: [{ url: place, fileName }],
  });
  const { data } = (await call('GET', `/api/metadata/project/${project}/dataset/list`)).json();
  const id = data[0]?.id;
  if (id === undefined) throw new Error(imported.body);
  const url: string = (await call('GET', `/api/raw/dataset/${id}?downloadFileName=${fileName}`)).json().data;
  return { id, path: url.replace(/^https?:\/\/[^/]+/, '') };
}

test('a large blob read without the blob protocol redirects to the bucket for a minute, with range and file name', async (t) => {
  const app = await inBucket(t);
  const content = 'large '.repeat(1000);
  const { path } = await dataset(app, content, 'long story.txt');
  const redirected = await app.inject({ method: 'GET', url: path });
  t.is(redirected.statusCode, 307);
  t.is(redirected.headers['cache-control'], 'no-store');
  const location = String(redirected.headers.location);
  t.is(new URL(location).searchParams.get('X-Amz-Expires'), '60');
  const whole = await fetch(location);
  t.is(await whole.text(), content);
  t.regex(whole.headers.get('content-disposition') ?? '', /filename="long story\.txt"/);
  const part = await fetch(location, { headers: { range: 'bytes=6-10' } });
  t.is(part.status, 206);
  t.is(part.headers.get('content-range'), `bytes 6-10/${content.length}`);
  t.is(await part.text(), 'large');
  // the server of tests computes no signatures, but it knows whose they are
  t.is((await fetch(location.replace('S3RVER', 'NOBODY'))).status, 403);

  for (const headers of [{ 'x-ms-version': '2021-12-02' }, { 'x-ms-range': 'bytes=0-4' }])
    t.true([200, 206].includes((await app.inject({ method: 'GET', url: path, headers })).statusCode), 'a blob client');
  const head = await app.inject({ method: 'HEAD', url: path });
  t.is(head.statusCode, 200);
  const known = { 'if-none-match': String(head.headers.etag) };
  t.is((await app.inject({ method: 'GET', url: path, headers: known })).statusCode, 304);
  t.is(whole.headers.get('etag'), String(head.headers.etag));
  t.is((await app.inject({ method: 'GET', url: path.replace(/sig=.{4}/, 'sig=AAAA') })).statusCode, 403);
  const small = await dataset(app, 'small', 'small.txt');
  t.is((await app.inject({ method: 'GET', url: small.path })).body, 'small');
});

test('platform dataset download follows the redirect to the bucket', async (t) => {
  const app = await inBucket(t);
  const { id } = await dataset(app, 'x'.repeat(LARGE), 'far.bin');
  const platform = await app.listen({ host: '127.0.0.1', port: 0 });
  const { run, folder } = await machines(w)(t);
  const env = { PLATFORM_URL: platform, PLATFORM_TOKEN: await w.tokenOf(await w.administrator()) };
  const path = join(folder, 'far.bin');
  const { code, err } = await run(['dataset', 'download', id, '-o', path], { env });
  t.is(code, 0, err);
  t.is((await readFile(path, 'utf8')).length, LARGE);
});
