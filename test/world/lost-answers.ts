import { connect, createServer, type Socket } from 'node:net';

/** `ReadyForQuery` outside of a transaction: what the statements before it wrote is committed. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');

/**
 * Passes on connections to a database. Drops the connection of the first statement with this text in place of the
 * answer that says that it is committed.
 */
export async function losingTheAnswerTo(text: string, address: string) {
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
      if (!isAwaited || !bytes.includes(READY)) return void client.write(bytes);
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
