import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface Arrivals {
  /** Each client posts `body` to it. */
  url: string;
  headers: Record<string, string>;
  body: string;
  perSecond: number;
  seconds: number;
}

/**
 * Open-loop load with Poisson arrivals: requests are sent at their times, whether or not earlier ones are answered.
 * Returns milliseconds from the intended send time to the answer (no coordinated omission). Rejects for any status but
 * 200.
 */
export function arrivals(options: Arrivals): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: options });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** Times of a Poisson process, in milliseconds from the start. */
export function arrivalTimes({ perSecond, seconds }: Pick<Arrivals, 'perSecond' | 'seconds'>): number[] {
  const all: number[] = [];
  const gap = () => (-Math.log(1 - Math.random()) * 1000) / perSecond;
  for (let at = gap(); at < seconds * 1000; at += gap()) all.push(at);
  return all;
}

async function send(options: Arrivals): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const headers = { ...options.headers, 'content-length': Buffer.byteLength(options.body) };
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const outgoing = request(options.url, { method: 'POST', agent, headers }, (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`${options.url}: ${answer.statusCode}`)),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(options.body);
    });
  const latencies = await runAt(arrivalTimes(options), post);
  agent.destroy();
  return latencies;
}

/** Starts `work` at each of these times. Returns milliseconds from each time until its work was done. */
export async function runAt(times: readonly number[], work: () => Promise<unknown>): Promise<number[]> {
  const start = performance.now();
  const done: Promise<number>[] = [];
  for (const time of times) {
    const wait = start + time - performance.now();
    if (wait > 1) await sleep(wait);
    done.push(work().then(() => performance.now() - start - time));
  }
  return Promise.all(done);
}

export const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

if (parentPort) parentPort.postMessage(await send(workerData as Arrivals));
