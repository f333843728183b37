import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { openBlobStore } from '../../src/blobs/open.ts';
import { BucketError } from '../../src/blobs/s3-client.ts';
import { putEmptyBlobs } from '../../src/datasets/write-plan.ts';
import { until } from '../world/hooks.ts';

test('of many empty blobs none is written after one has failed', async (t) => {
  const writes: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'PUT') writes.push(response);
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const store = await openBlobStore(`s3://K:S@127.0.0.1:${port}/blobs?tls=false`, '/nowhere');

  const making = putEmptyBlobs(store, 100);
  const failed = t.throwsAsync(making, { instanceOf: BucketError });
  await until(() => writes.length === 16);
  const [first, ...others] = writes;
  const heard = once(first!.socket!, 'close');
  first!.writeHead(403, { connection: 'close' }).end();
  await heard;
  for (const other of others) other.writeHead(200, { etag: '"1"' }).end();
  await failed;
  // others would go on now
  await sleep(100);
  t.is(writes.length, 16);
});
