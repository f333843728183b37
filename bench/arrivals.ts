import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface Arrivals {
  /** What each of them posts. */
  url: string;
  headers: Record<string, string>;
  body: string;
  perSecond: number;
  seconds: number;
}

/**
 * Clients who know nothing of each other: each posts at its moment, whether or not the others were answered, with gaps as chance makes
 * them. Milliseconds from the moment at which each meant to ask until it was answered; anything but 200 ends the measurement.
 */
export function arrivals(wanted: Arrivals): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: wanted });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** When each comes, in milliseconds from the start. */
export function moments({ perSecond, seconds }: Pick<Arrivals, 'perSecond' | 'seconds'>): number[] {
  const all: number[] = [];
  const gap = () => (-Math.log(1 - Math.random()) * 1000) / perSecond;
  for (let at = gap(); at < seconds * 1000; at += gap()) all.push(at);
  return all;
}

async function send(wanted: Arrivals): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const headers = { ...wanted.headers, 'content-length': Buffer.byteLength(wanted.body) };
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const outgoing = request(wanted.url, { method: 'POST', agent, headers }, (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`${wanted.url}: ${answer.statusCode}`)),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(wanted.body);
    });
  const took = await inTime(moments(wanted), post);
  agent.destroy();
  return took;
}

/** Does `work` at each of these moments; how long after its moment each was done. */
export async function inTime(at: readonly number[], work: () => Promise<unknown>): Promise<number[]> {
  const start = performance.now();
  const done: Promise<number>[] = [];
  for (const moment of at) {
    const wait = start + moment - performance.now();
    if (wait > 1) await sleep(wait);
    done.push(work().then(() => performance.now() - start - moment));
  }
  return Promise.all(done);
}

export const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

if (parentPort) parentPort.postMessage(await send(workerData as Arrivals));
