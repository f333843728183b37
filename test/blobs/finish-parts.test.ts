import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import type { BlobStore } from '../../src/blobs/blobs.ts';
import { openBlobStore } from '../../src/blobs/open.ts';
import { BucketError } from '../../src/blobs/s3-client.ts';
import { bytes, MIB } from './rules.ts';

const SIZE = 9 * MIB;
const md5 = (content: Buffer) => createHash('md5').update(content).digest();

/** A bucket that answers the completion of an upload with this status. With 502 it completes it nevertheless. */
async function bucketOf(t: ExecutionContext, status: number) {
  const parts: Buffer[] = [];
  const asked: string[] = [];
  let etag = '"another object"';
  const server = createServer(async (request, response) => {
    const { method, url = '' } = request;
    const body = await buffer(request);
    if (method === 'HEAD') return response.writeHead(200, { 'content-length': SIZE, etag }).end();
    if (method === 'PUT') {
      const part = md5(body);
      parts[Number(new URL(url, 'http://s3').searchParams.get('partNumber')) - 1] = part;
      return response.writeHead(200, { etag: `"${part.toString('hex')}"` }).end();
    }
    if (url.endsWith('?uploads=')) return response.end('<X><UploadId>up</UploadId></X>');
    asked.push(`${method}`);
    if (method === 'DELETE') return response.writeHead(204).end();
    if (status === 502) etag = `"${md5(Buffer.concat(parts)).toString('hex')}-${parts.length}"`;
    const known = asked.filter((one) => one === 'POST').length === 1;
    return response.writeHead(known ? status : 404).end('<Error><Code>NoSuchUpload</Code></Error>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, store: await openBlobStore(`s3://K:S@127.0.0.1:${port}/blobs?tls=false`, '/nowhere') };
}

const upload = (store: BlobStore) => store.put('dataset/a', bytes(Buffer.alloc(8 * MIB), Buffer.alloc(MIB)), SIZE);

test('an upload in parts that a proxy answers with 502 is complete if the store has completed it', async (t) => {
  const { asked, store } = await bucketOf(t, 502);
  const { etag } = await upload(store);
  t.regex(etag, /^"[0-9a-f]{32}-2"$/);
  t.deepEqual(asked, ['POST'], 'it is not sent again, and the parts are not deleted');
});

test('an upload in parts that is refused fails although the key has an object of that size', async (t) => {
  const { asked, store } = await bucketOf(t, 400);
  await t.throwsAsync(upload(store), { instanceOf: BucketError });
  t.deepEqual(asked, ['POST', 'DELETE']);
});
