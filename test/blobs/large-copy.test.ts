import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { openBlobStore } from '../../src/blobs/open.ts';

const GIB = 2 ** 30;
const SIZE = 12 * GIB + 5;

interface Asked {
  what: string;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** Answers as a bucket does that holds one object of 12 GiB; the last part fails the given number of times. */
async function bucketOf(t: ExecutionContext, failures: number) {
  const asked: Asked[] = [];
  let done = false;
  const server = createServer(async (request, response) => {
    const what = `${request.method} ${request.url}`;
    asked.push({ what, headers: request.headers, body: await text(request) });
    if (request.method === 'HEAD') {
      if (request.url?.endsWith('/to') && !done) return response.writeHead(404).end();
      return response.writeHead(200, { 'content-length': SIZE, etag: '"source"' }).end();
    }
    if (what.endsWith('?uploads=')) return response.end('<X><UploadId>up</UploadId></X>');
    if (request.method === 'DELETE') return response.writeHead(204).end();
    if (request.method === 'POST') {
      done = true;
      return response.end('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
    }
    const number = new URL(request.url ?? '', 'http://s3').searchParams.get('partNumber');
    if (number === '13' && failures-- > 0) return response.end('<Error><Code>InternalError</Code></Error>');
    return response.end(`<CopyPartResult><ETag>&quot;part-${number}&quot;</ETag></CopyPartResult>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, store: await openBlobStore(`s3://K:S@127.0.0.1:${port}/blobs/folder?tls=false`, '/nowhere') };
}

test('an object over 5 GiB is copied in parts that cover it without gap or overlap', async (t) => {
  const { asked, store } = await bucketOf(t, 0);
  t.is((await store.copy('dataset/from', 'dataset/to')).size, SIZE);
  const parts = asked.filter(({ what }) => what.startsWith('PUT'));
  const ranges = parts
    .map(({ headers }) => /^bytes=(\d+)-(\d+)$/.exec(`${headers['x-amz-copy-source-range']}`)!.slice(1).map(Number))
    .toSorted(([a = 0], [b = 0]) => a - b);
  t.is(ranges[0]?.[0], 0);
  t.is(ranges.at(-1)?.[1], SIZE - 1);
  for (const [n, [start = 0, end = 0]] of ranges.entries()) {
    if (n > 0) t.is(start, ranges[n - 1]![1]! + 1);
    t.true(end - start < 5 * GIB);
  }
  for (const { headers, body } of parts) {
    t.is(headers['x-amz-copy-source'], '/blobs/folder/dataset/from');
    t.is(headers['x-amz-copy-source-if-match'], '"source"');
    t.is(body, '');
  }
  const finished = asked.find(({ what }) => what.startsWith('POST') && what.includes('uploadId=up'));
  const listed = [...finished!.body.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"part-(\d+)"<\/ETag>/g)];
  t.deepEqual(
    listed.map(([, number, etag]) => [Number(number), Number(etag)]),
    ranges.map((_, n) => [n + 1, n + 1]),
  );
});

test('a part that answers 200 with an error ends the copy, and the upload is aborted', async (t) => {
  const { asked, store } = await bucketOf(t, 1);
  await t.throwsAsync(store.copy('dataset/from', 'dataset/to'), { message: /InternalError/ });
  t.true(asked.at(-1)?.what.startsWith('DELETE /blobs/folder/dataset/to?uploadId=up'));
  t.false(asked.some(({ what }) => what.startsWith('POST') && what.includes('uploadId=up')));
});
