import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Answer } from '../client.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { milliseconds } from '../options.ts';
import type { Worker } from './worker.ts';
import { workerTable } from './worker.ts';

interface Draining {
  drains: { scope: string; name: string; since: string }[];
  workers: Worker[];
  running: number;
  drained: boolean;
}

interface DrainOptions {
  worker?: string;
  host?: string;
  timeout?: number;
  end?: boolean;
}

const DRAIN = '/api/admin/drain';
const LOOK_EVERY_MS = 500;

export function drainCommand(job: Command, io: Io): void {
  job
    .command('drain')
    .description(
      'have workers, all of them unless one or a machine is named, take no more transfers, and wait until none runs there; exit code 1 at the time-out',
    )
    .option('--worker <id>', "this worker alone, see 'worker list'")
    .option('--host <name>', 'the workers of this machine, those that are started later, too')
    .option('--timeout <time>', 'wait at most this long, such as 90s, 30m or 2h; 0s: do not wait', milliseconds)
    .option('--end', 'let them take transfers again')
    .action((options) => drain(io, options));
}

async function drain(io: Io, { worker, host, timeout, end }: DrainOptions): Promise<void> {
  if (worker !== undefined && host !== undefined) throw new UsageError('Give --worker or --host, not both.');
  const target = { worker, host };
  if (end) {
    const answer = await io.api.call<Draining>('DELETE', DRAIN, { query: target });
    io.show(answer, ({ workers }) => workerTable(workers));
    for (const left of answer.body.drains) io.note(`Still drained: ${named(left)}.`);
    return;
  }
  const until = timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeout;
  let answer = await io.api.call<Draining>('PUT', DRAIN, { body: target });
  for (let told = -1; !isDrained(answer, target); answer = await io.api.call<Draining>('GET', DRAIN)) {
    const running = runningOn(answer.body, target);
    if (running !== told) io.note(`${running} transfers still run.`);
    told = running;
    if (Date.now() >= until) {
      io.show(answer, ({ workers }) => workerTable(workers));
      throw new Error(`${running} transfers still run; the workers stay drained.`);
    }
    await sleep(Math.min(LOOK_EVERY_MS, Math.max(0, until - Date.now())));
  }
  io.show(answer, ({ workers }) => workerTable(workers));
}

/** With the option that ends it. */
const named = ({ scope, name }: Draining['drains'][number]): string =>
  scope === 'all' ? 'all workers (--end alone ends that)' : scope === 'host' ? `--host ${name}` : `--worker ${name}`;

const concerned = ({ workers }: Draining, { worker, host }: DrainOptions) =>
  workers.filter(
    (one) => one.alive && (worker === undefined || one.id === worker) && (host === undefined || one.host === host),
  );

const runningOn = (draining: Draining, target: DrainOptions) =>
  concerned(draining, target).reduce((sum, one) => sum + one.running, 0);

const isDrained = ({ body }: Answer<Draining>, target: DrainOptions) =>
  concerned(body, target).every((one) => one.running === 0 && one.drainingSince !== undefined);
