import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface RawAnswer {
  readonly status: number;
  /** Status line and headers, byte for byte, in Latin-1. */
  readonly head: string;
  readonly body: Buffer;
}

/** One connection to a server of this process, on which HTTP is sent byte for byte. */
export interface RawConnection {
  /** The socket at the server. */
  readonly served: Socket;
  /** Sends bytes, and waits until the server has read them, or has stopped reading. */
  send(bytes: string): Promise<void>;
  /** The next answer; undefined if the connection ended before. */
  answer(): Promise<RawAnswer | undefined>;
  ask(bytes: string): Promise<RawAnswer>;
  /** Stops reading, until `resume`. */
  pause(): void;
  resume(): void;
  destroy(): void;
}

export async function rawConnection(server: Server, host = '127.0.0.1'): Promise<RawConnection> {
  const { port } = server.address() as AddressInfo;
  const accepted = new Map<number | undefined, Socket>();
  const accept = (socket: Socket) => accepted.set(socket.remotePort, socket);
  server.on('connection', accept);
  const socket = connect({ port, host: '127.0.0.1', localAddress: host, noDelay: true });
  await once(socket, 'connect');
  while (!accepted.has(socket.localPort)) await nextTurn();
  server.off('connection', accept);
  const served = accepted.get(socket.localPort)!;

  let parts: Buffer[] = [];
  let length = 0;
  /** Bytes that the next answer needs at least. */
  let needed = 0;
  let hasEnded = false;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  socket.on('data', (chunk: Buffer) => {
    parts.push(chunk);
    length += chunk.length;
    change();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    hasEnded = true;
    change();
  });

  function take(): RawAnswer | undefined {
    if (length < needed) return undefined;
    const received = Buffer.concat(parts);
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const head = received.toString('latin1', 0, end);
    const status = Number(head.slice(9, 12));
    needed = end + 4 + (status === 304 ? 0 : Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0));
    if (length < needed) return undefined;
    const body = received.subarray(end + 4, needed);
    parts = [received.subarray(needed)];
    length -= needed;
    needed = 0;
    return { status, head, body };
  }

  let sent = 0;
  const one: RawConnection = {
    served,
    async send(bytes) {
      socket.write(bytes, 'latin1');
      sent += Buffer.byteLength(bytes, 'latin1');
      while (served.bytesRead < sent && !served.destroyed && !served.isPaused()) await nextTurn();
    },
    async answer() {
      for (;;) {
        const { promise } = changed;
        const found = take();
        if (found !== undefined || hasEnded) return found;
        await promise;
      }
    },
    async ask(bytes) {
      await one.send(bytes);
      const found = await one.answer();
      if (found === undefined) throw new Error(`The connection ended without an answer to ${bytes}`);
      return found;
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    destroy: () => void socket.destroy(),
  };
  return one;
}
