import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { type ServerProcess, startServer } from '../world/server.ts';
import { copyRequest, local, newProject, start, untilEnd } from '../world/transfers.ts';
import { startWorker } from '../world/worker.ts';
import { world } from '../world.ts';
import { choices, LONG, SEED, times } from './flags.ts';

/** The long form sends 5 GiB in the blocks that the console sends; `CRASH_BLOCKS=n` another number of them. */
const BLOCK = LONG ? 8 << 20 : 1 << 20;
const BLOCKS = Number(process.env.CRASH_BLOCKS ?? (LONG ? 640 : 64));
const KILLS = times(6, 100);
/** A transfer is given up after five of them. */
const WORKER_KILLS = LONG ? 3 : 1;
/** Blocks that are sent at the same time. */
const AT_ONCE = 3;

const w = world(test);

const idOf = (number: number) => Buffer.from(String(number).padStart(8, '0')).toString('base64');

/** The same bytes for the same number, different ones for others. */
function blockOf(number: number): Buffer {
  const block = Buffer.alloc(BLOCK, createHash('sha512').update(`block ${number}`).digest());
  block.writeUInt32BE(number);
  return block;
}

/** A network between the client and the API, which keeps its address when the API gets another one. */
class Network {
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => this.#pass(client));
  #port = 0;
  #isDown = false;

  async open(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  leadTo(url: string): void {
    this.#port = Number(new URL(url).port);
  }

  /** Resets all connections, in the middle of whatever they carry, and refuses others for a while. */
  async fail(milliseconds: number): Promise<void> {
    this.#isDown = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await sleep(milliseconds);
    this.#isDown = false;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #pass(client: Socket): void {
    if (this.#isDown) {
      client.resetAndDestroy();
      return;
    }
    const api = connect(this.#port, '127.0.0.1');
    for (const [socket, other] of [
      [client, api],
      [api, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}

/** Sends what the server does not have, three blocks at a time, until all is there or the signal ends it. */
async function sendMissing(place: string, begin: (number: number) => void, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(`${place}&comp=blocklist&blocklisttype=uncommitted`, { signal });
  const present = new Set([...(await answer.text()).matchAll(/<Name>([^<]+)<\/Name>/g)].map(([, id]) => id));
  const missing = Array.from({ length: BLOCKS }, (_, n) => n).filter((n) => !present.has(idOf(n)));
  const sendNext = async (): Promise<void> => {
    for (let number = missing.shift(); number !== undefined; number = missing.shift()) {
      const body = blockOf(number);
      const digest = createHash('sha256').update(body).digest('base64');
      signal.throwIfAborted();
      begin(number);
      const put = await fetch(`${place}&comp=block&blockid=${encodeURIComponent(idOf(number))}`, {
        method: 'PUT',
        body: new Uint8Array(body),
        headers: { 'content-digest': `sha-256=:${digest}:` },
        signal,
      });
      if (put.status !== 201) throw new Error(`block ${number}: ${put.status} ${await put.text()}`);
      await put.arrayBuffer();
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, sendNext));
  return ends.every(({ status }) => status === 'fulfilled');
}

test('an upload whose API, client and network fail ends with the same bytes, and repeats the blocks under way', async (t) => {
  t.log(`CRASH_SEED=${SEED}`);
  const { of, between } = choices(11);
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const { data } = (await client.get('/api/conversion/transfer/upload-url')).body;
  const path = local(data);
  const sent = new Uint32Array(BLOCKS);
  const kills = { API: 0, client: 0, network: 0 };
  let api: ServerProcess = await startServer(w);
  t.teardown(() => api.stop());
  const network = new Network();
  t.teardown(() => network.close());
  const address = await network.open();
  network.leadTo(api.url);
  let begun = () => {};
  const begin = (number: number) => {
    sent[number]!++;
    begun();
  };
  /** Resolves when this number of blocks have begun after now. */
  const blocksBegun = (count: number) =>
    new Promise<void>((resolve) => {
      let left = count;
      begun = () => {
        if (--left <= 0) resolve();
      };
    });
  let complete = false;
  while (!complete) {
    const left = KILLS - kills.API - kills.client - kills.network;
    const died = new AbortController();
    // kills are spread over the upload: each round sends about its share of the blocks
    const share = blocksBegun(Math.max(1, Math.round(between(0.2, 1.6) * (BLOCKS / (KILLS + 1)))));
    const sending = sendMissing(`${address}${path}`, begin, died.signal).catch(() => false);
    if (left > 0) {
      await Promise.race([sending, share]);
      await sleep(between(0, 50));
      const kind = of(['API', 'client', 'network'] as const);
      kills[kind]++;
      if (kind === 'client') died.abort(new Error('the client was killed'));
      else {
        if (kind === 'network') await network.fail(between(0, 500));
        else {
          api.process.kill('SIGKILL');
          await api.ended;
        }
        died.abort(new Error('the connection is lost'));
      }
      complete = await sending;
      if (kind === 'API') {
        api = await startServer(w);
        network.leadTo(api.url);
      }
    } else complete = await sending;
  }
  const repeated = sent.reduce((sum, one) => sum + Math.max(0, one - 1), 0);
  t.log(`${BLOCKS} blocks, killed: ${JSON.stringify(kills)}, ${repeated} blocks sent again`);
  t.true(sent.every((one) => one > 0));
  t.true(repeated <= AT_ONCE * (kills.API + kills.client + kills.network), `${repeated} blocks were sent again`);

  const latest = Array.from({ length: BLOCKS }, (_, n) => `<Latest>${idOf(n)}</Latest>`).join('');
  const list = `<?xml version="1.0" encoding="utf-8"?><BlockList>${latest}</BlockList>`;
  const commit = await fetch(`${api.url}${path}&comp=blocklist`, { method: 'PUT', body: list });
  t.is(commit.status, 201, await commit.text());

  // the worker that takes the file over is killed, too
  const { body } = await start(client, copyRequest(projectId, data));
  for (let n = 0; n < WORKER_KILLS; n++) {
    const worker = await startWorker(w, { 'worker.concurrency': '1' });
    await sleep(between(0, 300));
    worker.process.kill('SIGKILL');
    await worker.ended;
  }
  const next = await startWorker(w, { 'worker.concurrency': '1' });
  const { status, importResults } = await untilEnd(client, body.id);
  t.is(status, 'Completed');
  const { datasetId } = importResults[0];
  await next.stop();
  const { data: query } = (await client.get(`/api/security/sastoken?projectId=${projectId}&resourceId=${datasetId}`))
    .body;
  const found = await fetch(`${api.url}/api/blob/dataset/${datasetId}?${query}`);
  const digest = createHash('sha256');
  for await (const chunk of found.body!) digest.update(chunk);
  const expected = createHash('sha256');
  for (let number = 0; number < BLOCKS; number++) expected.update(blockOf(number));
  t.is(digest.digest('hex'), expected.digest('hex'));
});
