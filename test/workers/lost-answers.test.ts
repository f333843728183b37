import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import test from 'ava';
import { until } from '../world/hooks.ts';
import { openSource } from '../world/source.ts';
import { copyRequest, newProject, start, untilEnd } from '../world/transfers.ts';
import { workHere } from '../world/worker-here.ts';
import { world } from '../world.ts';

const source = await openSource();
const settings = { 'outbound.allow': source.place };
const w = world(test, settings);
test.after.always(() => source.close());

/** `ReadyForQuery` outside of a transaction: what the statements before it wrote is committed. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** Passes on connections to a database. Drops the connection of the first statement with this text in place of its answer. */
async function losingTheAnswerTo(text: string, address: string) {
  const target = new URL(address);
  const sockets = new Set<Socket>();
  const seen = { statements: 0, lost: 0 };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isAwaited = false;
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.once('close', () => other.destroy());
    }
    client.on('data', (bytes: Buffer) => {
      if (bytes.includes(text)) isAwaited = ++seen.statements === 1;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      if (!isAwaited) return void client.write(bytes);
      if (!bytes.includes(READY)) return;
      seen.lost++;
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    seen,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('log lines whose acknowledgement was lost are written once', async (t) => {
  const proxy = await losingTheAnswerTo('greatest(progress', w.url);
  const worker = await workHere({ url: proxy.url, folder: w.folder }, settings);
  try {
    const client = w.as(await w.account());
    const projectId = await newProject(client);
    source.serve('/slow.txt', (_, response) => {
      response.write('slow ');
      void until(() => proxy.seen.statements > 1).then(() => response.end('content'));
    });
    const { body } = await start(client, copyRequest(projectId, source.url('/slow.txt')));
    t.is((await untilEnd(client, body.id)).status, 'Completed');
    t.is(proxy.seen.lost, 1);
    const { data } = (await client.get(`/api/conversion/transfer/${body.id}/log`)).body;
    const messages: string[] = data.map(({ message }: { message: string }) => message);
    t.deepEqual(messages, [...new Set(messages)]);
    t.is(messages[0], 'Attempt 1 started.');
    t.true(messages.length > 2, messages.join(' | '));
  } finally {
    await worker.stop();
    await proxy.close();
  }
});
