import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { UsageError } from 'hydrofiles/terminal';
import type { Draining } from '../../src/operations/workers/drain.ts';
import type { WorkerState } from '../../src/operations/workers/workers.ts';
import type { Answer } from '../client.ts';
import { confirm, pluralize } from '../confirm.ts';
import type { Io } from '../io.ts';
import { milliseconds } from '../options.ts';
import { describeTarget, drainTable, workerTable } from './worker.ts';

/** Absent members: all workers. */
interface Target {
  worker?: string | undefined;
  host?: string | undefined;
}

interface DrainOptions extends Target {
  all?: boolean;
  timeout?: number;
  end?: boolean;
  list?: boolean;
  yes?: boolean;
}

const DRAIN = '/api/admin/drain';
const POLL_EVERY_MS = 500;

export function drainCommand(job: Command, io: Io): void {
  job
    .command('drain')
    .description(
      'drain workers: they take no more transfers; waits until none runs there, with exit code 1 after the timeout',
    )
    .option('--all', 'all workers, including those that start later')
    .option('--host <name>', 'the workers of this host, or pods of this node, including those that start later')
    .option('--worker <id>', "only this worker, see 'worker list'")
    .option('--timeout <time>', 'maximum time to wait, such as 90s, 30m or 2h; 0s: do not wait', milliseconds)
    .option('--end', 'end the drain: the workers take transfers again')
    .option('--list', 'list active drains')
    .option('--yes', 'do not ask for confirmation')
    .action((options) => drain(io, options));
}

const current = (io: Io) => io.api.call<Draining>('GET', DRAIN);

async function drain(io: Io, { all, worker, host, timeout, end, list, yes }: DrainOptions): Promise<void> {
  if ([all, worker, host].filter((one) => one !== undefined).length > 1)
    throw new UsageError('Use only one of --all, --host and --worker.');
  const target = { worker, host };
  if (list)
    return io.show(await current(io), ({ drains }) => (drains.length > 0 ? drainTable(drains) : 'No active drains.'));
  if (end) return endDrain(io, target);
  await check(io, target, { all, yes });
  let answer = await io.api.call<Draining>('PUT', DRAIN, { body: target });
  const until = timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeout;
  for (let printed = -1; !isDrained(answer, target); answer = await current(io)) {
    const running = runningOn(answer.body, target);
    if (Date.now() >= until) {
      io.show(answer, ({ workers }) => workerTable(workers));
      if (running === 0) return;
      throw new Error(`${stillRun(running)} The workers stay drained.`);
    }
    if (running !== printed) io.note(stillRun(running));
    printed = running;
    await sleep(Math.min(POLL_EVERY_MS, Math.max(0, until - Date.now())));
  }
  io.show(answer, ({ workers }) => workerTable(workers));
}

const stillRun = (running: number) => `${pluralize(running, 'transfer')} still ${running === 1 ? 'runs' : 'run'}.`;

/** Throws if the host has no workers. Asks before all workers are drained; scripts say `--all`. */
async function check(io: Io, target: Target, { all, yes }: Pick<DrainOptions, 'all' | 'yes'>): Promise<void> {
  const { host, worker } = target;
  if (worker !== undefined || (all && (yes || !io.interactive))) return;
  if (host === undefined && !io.interactive)
    throw new UsageError('Use --host, --worker or --all to choose the workers to drain.');
  const { body } = await current(io);
  if (host !== undefined) {
    if (body.workers.some((one) => isOn(one, host))) return;
    // nodes without a pod of the platform are not known here
    if (body.workers.some(({ handsOver }) => handsOver !== undefined)) return;
    const hosts = [...new Set(body.workers.map((one) => one.host))];
    throw new Error(
      `There is no worker on ${host}. ${hosts.length > 0 ? `Workers run on ${hosts.join(', ')}.` : ''}`.trim(),
    );
  }
  const workers = body.workers.filter(({ alive }) => alive);
  const question = `Drain ${workers.length === 1 ? 'the only worker' : `all ${workers.length} workers`}?`;
  await confirm(io, `${question} ${stillRun(runningOn(body, target))}`, { yes }, 'Nothing was drained.');
}

async function endDrain(io: Io, target: Target): Promise<void> {
  const answer = await io.api.call<Draining>('DELETE', DRAIN, { query: { ...target } });
  io.show(answer, ({ workers }) => workerTable(workers));
  if (io.json) return;
  for (const left of answer.body.drains) io.note(`Still drained: ${describeTarget(left)}.`);
}

const isOn = (one: Pick<WorkerState, 'host' | 'node'>, host: string) => one.host === host || one.node === host;

const affected = ({ workers }: Draining, { worker, host }: Target) =>
  workers.filter(
    (one) => one.alive && (worker === undefined || one.id === worker) && (host === undefined || isOn(one, host)),
  );

const runningOn = (draining: Draining, target: Target) =>
  affected(draining, target).reduce((sum, one) => sum + one.running, 0);

const isDrained = ({ body }: Answer<Draining>, target: Target) =>
  affected(body, target).every((one) => one.running === 0 && one.drainingSince !== undefined);
