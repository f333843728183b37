import type { IncomingMessage } from 'node:http';
import test from 'ava';
import { openBlobStore } from '../../src/blobs/open.ts';
import { openSilentBucket } from '../world/bucket.ts';
import { until } from '../world/hooks.ts';
import { ASCII_GRID, copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { startWorker, type WorkerProcess } from '../world/worker.ts';
import { world } from '../world.ts';

/** Workers whose store falls silent in the middle of a transfer: one after the other. */
const bucket = await openSilentBucket();
const w = world(test);
const started = new Set<WorkerProcess>();
test.afterEach.always(async () => {
  for (const worker of started) await worker.stop();
  started.clear();
});
test.after.always(() => bucket.close());

async function launch(settings: Record<string, string> = {}) {
  const usual = { 'blobs.url': bucket.url, 'worker.concurrency': '1', 'log.level': 'fatal' };
  const worker = await startWorker(w, { ...usual, ...settings });
  started.add(worker);
  return worker;
}

/** Uploads a file, also to the bucket, and begins what reads it. */
async function begin(more: object) {
  const client = w.as(await w.account());
  const url = await upload(w, client, ASCII_GRID);
  const store = await openBlobStore(bucket.url, w.folder);
  bucket.silence(() => false);
  for await (const { name, size } of w.blobs.list('staging/')) await store.put(name, await w.blobs.read(name), size);
  return { store, client, begin: async () => start(client, copyRequest(await newProject(client), url, more)) };
}

const grid = { readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter', originalFileName: 'terrain.asc' };
const blobs = (request: IncomingMessage, area: string) => request.url?.includes(`/blobs/${area}/`) ?? false;
const reading = (request: IncomingMessage) => request.method === 'GET' && blobs(request, 'staging');
const writing = (request: IncomingMessage) => request.method === 'PUT' && blobs(request, 'dataset');

for (const [what, more, silent] of [
  ['the bytes of a small copy are read', {}, reading],
  ['the bytes of a small copy are written', {}, writing],
  ['the result of a conversion is stored', grid, writing],
] as const) {
  test.serial(
    `while ${what} and the store does not respond, cancel, shutdown and time limit take effect`,
    async (t) => {
      const scene = await begin(more);
      const unanswered = () => bucket.silence(silent);

      const cancelled = unanswered();
      let worker = await launch();
      const first = (await scene.begin()).body.id;
      await until(() => cancelled.length > 0);
      t.is((await scene.client.post(`/api/conversion/transfer/${first}/cancel`)).status, 202);
      t.is((await untilEnd(scene.client, first)).errorMessage, 'Cancelled.');
      await until(() => cancelled.every(({ socket }) => socket.destroyed));

      const stopped = unanswered();
      const second = (await scene.begin()).body.id;
      await until(() => stopped.length > 0);
      worker.process.kill('SIGTERM');
      t.deepEqual(await worker.ended, [0, null], worker.output());
      const { body } = await scene.client.get(`/api/conversion/transfer/${second}`);
      t.like(body, { status: 'Pending', attempt: 0 });

      unanswered();
      worker = await launch({ 'transfers.timeLimit': '1500ms' });
      t.regex(
        (await untilEnd(scene.client, second)).errorMessage,
        /the time limit of 1500 ms\.$|its time limit of 1500 ms\.$/,
      );

      bucket.silence(() => false);
      for await (const { name } of scene.store.list('dataset/')) t.fail(`${name} is left`);
    },
  );
}
