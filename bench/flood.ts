import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface FloodRequest {
  port: number;
  path: string;
  perSecond: number;
  seconds: number;
}

/** Number of answers by status; status 0: no answer. */
export type FloodResult = Record<number, number>;

/**
 * Sends logins with wrong passwords at a constant rate, each from another client address, without waiting for answers.
 */
export function flood(options: FloodRequest): Promise<FloodResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: options });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

const MOST_OPEN = 2000;
const TICK_MS = 20;

async function send({ port, path, perSecond, seconds }: FloodRequest): Promise<FloodResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: MOST_OPEN });
  const statuses: FloodResult = {};
  const count = (status: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const start = performance.now();
  let sent = 0;
  while (performance.now() - start < seconds * 1000) {
    for (const due = ((performance.now() - start) / 1000) * perSecond; sent < due; sent++) {
      const client = `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`;
      const body = JSON.stringify({ id: `nobody-${sent}`, password: 'wrong-Password-1' });
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': client };
      const call = request({ port, path, method: 'POST', agent, headers }, (answer) => {
        answer.resume();
        count(answer.statusCode ?? 0);
      });
      call.on('error', () => count(0));
      call.end(body);
    }
    await sleep(TICK_MS);
  }
  agent.destroy();
  await sleep(100);
  return statuses;
}

if (parentPort) parentPort.postMessage(await send(workerData as FloodRequest));
