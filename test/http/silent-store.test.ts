import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { newDataset } from '../world/content.ts';
import { startS3Process } from '../world/s3-process.ts';
import { local, newProject } from '../world/transfers.ts';
import { world } from '../world.ts';

const s3 = await startS3Process();
const w = world(test, {
  'blobs.url': s3.url,
  'blobs.connectTimeout': '1s',
  'blobs.firstByteTimeout': '1s',
  'blobs.progressTimeout': '1s',
});
test.afterEach.always(() => void s3.go());
test.after.always(() => s3.close());

const MIB = 2 ** 20;

async function address() {
  return local((await w.as(await w.administrator()).get('/api/conversion/transfer/upload-url')).body.data);
}

/** Address of the content of a dataset, which grants all. */
async function content(size: number) {
  const owner = await w.account();
  const client = w.as(owner);
  const projectId = await newProject(client);
  const id = await newDataset(w, projectId, owner);
  const { body } = await client.get(`/api/security/sastoken?projectId=${projectId}&resourceId=${id}`);
  const url = `/api/blob/dataset/${id}?${body.data}`;
  const written = await w.nobody.put(url, Buffer.alloc(size, 7));
  if (written.status !== 201) throw new Error(JSON.stringify(written.body));
  return url;
}

for (const size of [100, 12 * MIB])
  test.serial(`an upload of ${size} bytes to a bucket that falls silent is 503, and succeeds later`, async (t) => {
    const url = await address();
    s3.stop();
    const { status, headers, body } = await w.nobody.put(url, Buffer.alloc(size));
    t.is(status, 503, JSON.stringify(body));
    t.truthy(headers['retry-after']);
    t.is(headers['x-ms-error-code'], 'ServerBusy');
    s3.go();
    t.is((await w.nobody.put(url, Buffer.alloc(size))).status, 201);
  });

test.serial('a block list is 503 while the bucket is silent, and is committed later', async (t) => {
  const url = await address();
  for (const id of ['YQ==', 'Yg=='])
    t.is((await w.nobody.put(`${url}&comp=block&blockid=${encodeURIComponent(id)}`, Buffer.from(id))).status, 201);
  const list = Buffer.from('<BlockList><Latest>YQ==</Latest><Latest>Yg==</Latest></BlockList>');
  s3.stop();
  t.is((await w.nobody.put(`${url}&comp=blocklist`, list)).status, 503);
  t.is((await w.nobody.put(`${url}&comp=block&blockid=YQ==`, Buffer.from('x'))).status, 503);
  s3.go();
  t.is((await w.nobody.put(`${url}&comp=blocklist`, list)).status, 201);
});

test.serial('a download is 503 while the bucket is silent, and readiness stays 200', async (t) => {
  const url = await content(1000);
  s3.stop();
  t.is((await w.nobody.get(url)).status, 503);
  t.is((await w.app.inject({ method: 'HEAD', url })).statusCode, 503);
  t.is((await w.nobody.get('/health/ready')).status, 200);
  s3.go();
  t.is((await w.nobody.get(url)).raw.length, 1000);
});

test.serial('a download whose bucket falls silent in the middle ends, and a slow reader does not end it', async (t) => {
  const url = await content(64 * MIB);
  const base = await w.listen();
  const open = async () => {
    const [answer] = (await once(get(`${base}${url}`), 'response')) as [IncomingMessage];
    await once(answer, 'readable');
    return answer;
  };
  const slow = await open();
  // longer than the limit of progress
  await new Promise((resolve) => setTimeout(resolve, 2500));
  t.is((await buffer(slow)).length, 64 * MIB);
  const broken = await open();
  s3.stop();
  await t.throwsAsync(buffer(broken));
});
