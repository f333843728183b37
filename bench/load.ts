import { connect } from 'node:net';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface LoadRequest {
  port: number;
  path: string;
  headers: Record<string, string>;
  connections: number;
  seconds: number;
}

/** Answers per second that a server on loopback gives to `connections` clients, each asking again as soon as it was answered. */
export function load(request: LoadRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: request });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** Anything but 200 with a length ends the measurement: a fast refusal must not count as speed. */
async function ask({ port, path, headers, connections, seconds }: LoadRequest): Promise<number> {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
  const end = performance.now() + seconds * 1000;
  let answers = 0;
  const client = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let pending = '';
      socket.setNoDelay();
      socket.setEncoding('latin1');
      socket.on('connect', () => socket.write(request));
      socket.on('error', reject);
      socket.on('data', (chunk: string) => {
        pending += chunk;
        const headEnd = pending.indexOf('\r\n\r\n');
        if (headEnd < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(pending)?.[1]);
        if (!pending.startsWith('HTTP/1.1 200') || Number.isNaN(length)) return reject(new Error(pending));
        if (pending.length < headEnd + 4 + length) return;
        pending = '';
        answers++;
        if (performance.now() < end) socket.write(request);
        else socket.end(() => resolve());
      });
    });
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, client));
  return (answers / (performance.now() - start)) * 1000;
}

if (parentPort) parentPort.postMessage(await ask(workerData as LoadRequest));
