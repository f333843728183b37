import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Draining } from '../../src/operations/workers/drain.ts';
import type { Answer } from '../client.ts';
import { confirmed, counted } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { milliseconds } from '../options.ts';
import { drainTable, targetOf, workerTable } from './worker.ts';

/** All workers without one of these. */
interface Target {
  worker?: string | undefined;
  host?: string | undefined;
}

interface DrainOptions extends Target {
  all?: boolean;
  timeout?: number;
  end?: boolean;
  list?: boolean;
}

const DRAIN = '/api/admin/drain';
const LOOK_EVERY_MS = 500;

export function drainCommand(job: Command, io: Io): void {
  job
    .command('drain')
    .description(
      'have workers take no more transfers, and wait until none runs there; exit code 1 if some still run at the time-out',
    )
    .option('--all', 'all workers, those that are started later, too')
    .option('--host <name>', 'the workers of this machine, those that are started later, too')
    .option('--worker <id>', "this worker alone, see 'worker list'")
    .option('--timeout <time>', 'wait at most this long, such as 90s, 30m or 2h; 0s: do not wait', milliseconds)
    .option('--end', 'let them take transfers again')
    .option('--list', 'list the drains that are in force')
    .action((options) => drain(io, options));
}

const current = (io: Io) => io.api.call<Draining>('GET', DRAIN);

async function drain(io: Io, { all, worker, host, timeout, end, list }: DrainOptions): Promise<void> {
  if ([all, worker, host].filter((one) => one !== undefined).length > 1)
    throw new UsageError('Give one of --all, --host and --worker.');
  const target = { worker, host };
  if (list) return io.show(await current(io), ({ drains }) => (drains.length > 0 ? drainTable(drains) : 'No drain.'));
  if (end) return endDrain(io, target);
  await check(io, target, all === true);
  const until = timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeout;
  let answer = await io.api.call<Draining>('PUT', DRAIN, { body: target });
  for (let told = -1; !isDrained(answer, target); answer = await current(io)) {
    const running = runningOn(answer.body, target);
    if (Date.now() >= until) {
      io.show(answer, ({ workers }) => workerTable(workers));
      if (running === 0) return;
      throw new Error(`${stillRun(running)} The workers stay drained.`);
    }
    if (running !== told) io.note(stillRun(running));
    told = running;
    await sleep(Math.min(LOOK_EVERY_MS, Math.max(0, until - Date.now())));
  }
  io.show(answer, ({ workers }) => workerTable(workers));
}

const stillRun = (running: number) => `${counted(running, 'transfer')} still ${running === 1 ? 'runs' : 'run'}.`;

/** Throws for a host without workers, which is a slip of the pen, and unless all workers are meant where none is named. */
async function check(io: Io, target: Target, all: boolean): Promise<void> {
  const { host, worker } = target;
  if (all || worker !== undefined) return;
  if (host === undefined && !io.interactive)
    throw new UsageError('Name the workers that shall take no more transfers: --host, --worker or --all.');
  const { body } = await current(io);
  if (host !== undefined) {
    if (body.workers.some((one) => one.host === host)) return;
    const hosts = [...new Set(body.workers.map((one) => one.host))];
    throw new Error(
      `There is no worker on ${host}. ${hosts.length > 0 ? `Workers run on ${hosts.join(', ')}.` : ''}`.trim(),
    );
  }
  const workers = body.workers.filter(({ alive }) => alive);
  const question = `Have ${workers.length === 1 ? 'the one worker' : `all ${workers.length} workers`} take no more transfers?`;
  await confirmed(io, `${question} ${stillRun(runningOn(body, target))}`, {}, 'Nothing was drained.');
}

async function endDrain(io: Io, target: Target): Promise<void> {
  const answer = await io.api.call<Draining>('DELETE', DRAIN, { query: { ...target } });
  io.show(answer, ({ workers }) => workerTable(workers));
  if (io.json) return;
  for (const left of answer.body.drains) io.note(`Still drained: ${targetOf(left)}.`);
}

const concerned = ({ workers }: Draining, { worker, host }: Target) =>
  workers.filter(
    (one) => one.alive && (worker === undefined || one.id === worker) && (host === undefined || one.host === host),
  );

const runningOn = (draining: Draining, target: Target) =>
  concerned(draining, target).reduce((sum, one) => sum + one.running, 0);

const isDrained = ({ body }: Answer<Draining>, target: Target) =>
  concerned(body, target).every((one) => one.running === 0 && one.drainingSince !== undefined);
