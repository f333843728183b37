import { connect } from 'node:net';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface LoadRequest {
  port: number;
  /** Requested in turn. */
  paths: readonly string[];
  headers: Record<string, string>;
  connections: number;
  seconds: number;
}

export interface LoadResult {
  perSecond: number;
  /** Percentiles of the response time in milliseconds. */
  p50: number;
  p95: number;
  p99: number;
}

/**
 * Closed-loop load on a loopback server: each of `connections` clients sends its next request as soon as it has an
 * answer.
 */
export function load(request: LoadRequest): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: request });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** Rejects for any answer but 200 with a content length, so that fast errors do not count as speed. */
async function ask({ port, paths, headers, connections, seconds }: LoadRequest): Promise<LoadResult> {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  let asked = 0;
  const request = () => `GET ${paths[asked++ % paths.length]} HTTP/1.1\r\n${lines.join('')}\r\n`;
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  const client = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let pending = '';
      let sent = 0;
      const send = () => {
        sent = performance.now();
        socket.write(request());
      };
      socket.setNoDelay();
      socket.setEncoding('latin1');
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('data', (chunk: string) => {
        pending += chunk;
        const headEnd = pending.indexOf('\r\n\r\n');
        if (headEnd < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(pending)?.[1]);
        if (!pending.startsWith('HTTP/1.1 200') || Number.isNaN(length)) return reject(new Error(pending));
        if (pending.length < headEnd + 4 + length) return;
        pending = '';
        times.push(performance.now() - sent);
        if (performance.now() < end) send();
        else socket.end(() => resolve());
      });
    });
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, client));
  const perSecond = (times.length / (performance.now() - start)) * 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { perSecond, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

if (parentPort) parentPort.postMessage(await ask(workerData as LoadRequest));
