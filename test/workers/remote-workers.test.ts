import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { makeCertificate } from '../world/certificate.ts';
import { namesBelow } from '../world/folders.ts';
import { until } from '../world/hooks.ts';
import { openSource, sendFile } from '../world/source.ts';
import { copyRequest, newProject, start, untilEnd } from '../world/transfers.ts';
import { startWorker, type WorkerProcess } from '../world/worker.ts';
import { world } from '../world.ts';

/** Workers that end while they fetch, or trust other certificates: each test has its own, one after the other. */
const source = await openSource();
const made = await makeCertificate();
const secure = made && (await openSource({ make: (listener) => createServer(made, listener) }));
const allowed = { 'outbound.allow': [source.place, secure?.place].filter(Boolean).join() };
const w = world(test, allowed);
const started = new Set<WorkerProcess>();
const serial = process.platform === 'linux' ? test.serial : test.serial.skip;
test.afterEach.always(async () => {
  for (const worker of started) await worker.stop();
  started.clear();
});
test.after.always(async () => {
  await source.close();
  await secure?.close();
  if (made) await rm(made.folder, { recursive: true });
});

async function launch(settings: Record<string, string> = {}, more: Record<string, string> = {}) {
  const usual = { ...allowed, 'worker.concurrency': '2', 'log.level': 'fatal' };
  const worker = await startWorker(w, { ...usual, ...settings }, more);
  started.add(worker);
  return worker;
}

/** Half of the file, and then nothing more. */
function half(response: ServerResponse, content: Buffer) {
  response.writeHead(200, { 'content-length': content.length }).write(content.subarray(0, content.length / 2));
}

async function begin(url: string) {
  const client = w.as(await w.account());
  const { status, body } = await start(client, copyRequest(await newProject(client), url));
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { client, id: body.id as string };
}

serial('if a worker is killed or stopped during a download, another one completes the transfer once', async (t) => {
  const content = randomBytes(2_000_000);
  const requests = source.serve('/twice', (request, response, n) =>
    n < 2 ? half(response, content) : sendFile(request, response, content),
  );
  const killed = await launch();
  const { client, id } = await begin(source.url('/twice'));
  await until(() => requests.length === 1);
  killed.process.kill('SIGKILL');
  await killed.ended;
  const stopped = await launch();
  await until(() => requests.length === 2);
  await stopped.stop();
  t.like((await client.get(`/api/conversion/transfer/${id}`)).body, { status: 'Pending', attempt: 1 });
  await launch();
  const ended = await untilEnd(client, id);
  t.is(ended.status, 'Completed', ended.errorMessage);
  t.is(requests.length, 3);
  const blobs = await w.sql<{ blob: string }>('select blob from datasets where project_id = $1', [ended.projectId]);
  t.is(blobs.length, 1);
  t.true((await buffer(await w.blobs.read(blobs[0]!.blob))).equals(content));
  // files fetched by the killed worker are deleted when its pool is removed
  await until(async () => (await namesBelow(join(w.folder, 'scratch'))).every((n) => !n.includes(id)));
});

serial('the time limit of a transfer includes the download', async (t) => {
  const requests = source.serve('/slow', (_, response) => half(response, Buffer.alloc(1000)));
  await launch({ 'transfers.timeLimit': '1500ms' });
  // a worker that the machine pauses may not ask for the file before its time is over
  do {
    const { client, id } = await begin(source.url('/slow'));
    const ended = await untilEnd(client, id);
    t.is(ended.status, 'Error');
    t.is(ended.errorMessage, `The file at ${source.place} could not be fetched within the time limit of 1500 ms.`);
  } while (requests.length === 0);
  await until(() => requests.every(({ socket }) => socket.destroyed));
});

serial('TLS: a certificate must be trusted, and user and password never go from https to http', async (t) => {
  if (!made || !secure) {
    t.log('there is no openssl here: nothing was tested');
    return t.pass();
  }
  const seen = source.serve('/plain', (_, response) => void response.end('plain'));
  secure.serve('/file', (_, response) => void response.end('secure'));
  secure.serve('/down', (_, response) => void response.writeHead(302, { location: source.url('/plain') }).end());
  const end = async (url: string) => {
    const { client, id } = await begin(url);
    return untilEnd(client, id);
  };
  const stranger = await launch();
  const untrusted = await end(secure.url('/file'));
  t.regex(
    untrusted.errorMessage,
    /^The certificate of 127\.0\.0\.1:\d+ cannot be trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\.$/,
  );
  await stranger.stop();
  await launch({}, { NODE_EXTRA_CA_CERTS: made.path });
  t.is((await end(secure.url('/file').replace('//', '//ann:pw@'))).status, 'Completed');
  t.is((await end(secure.url('/down'))).status, 'Completed');
  t.is(seen.length, 1);
  const down = await end(secure.url('/down').replace('//', '//ann:pw@'));
  t.regex(down.errorMessage, /redirects from https to http/);
  t.is(seen.length, 1);
});
