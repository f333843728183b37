import type { Command } from 'commander';
import { moment, table } from 'hydrofiles/terminal';
import type { Drain } from '../../src/operations/workers/queries.ts';
import type { Workers } from '../../src/operations/workers/routes.ts';
import type { WorkerState } from '../../src/operations/workers/workers.ts';
import type { Io } from '../io.ts';

export function workerCommands(worker: Command, io: Io): void {
  worker
    .command('list')
    .description('list workers with host, capacity and reserved resources; and active drains')
    .action(async () =>
      io.show(await io.api.call<Workers>('GET', '/api/admin/worker'), ({ data, drains }) => [
        workerTable(data),
        ...(drains.length === 0 ? [] : [drainTable(drains)]),
      ]),
    );
}

/** Table of drains, with the option of `job drain` for each. */
export const drainTable = (drains: readonly Drain[]) =>
  table(
    ['DRAINED', 'SINCE', 'BY'],
    drains.map((one) => [describeTarget(one), moment(one.since), one.accountId]),
  );

/** The option of `job drain` for a drain. */
export const describeTarget = ({ scope, name }: Pick<Drain, 'scope' | 'name'>): string =>
  scope === 'all' ? '--all' : scope === 'host' ? `--host ${name}` : `--worker ${name}`;

export const workerTable = (workers: readonly WorkerState[]) =>
  table(
    ['ID', 'HOST', 'PID', 'STATE', 'RUNNING', 'MEMORY (MB)', 'CORES', 'SCRATCH (GB)', 'LABELS', 'VERSION', 'SINCE'],
    workers.map((one) => [
      one.id,
      one.node === undefined ? one.host : `${one.host} on ${one.node}`,
      one.pid,
      describeState(one),
      `${one.running} of ${one.concurrency}`,
      `${Math.round(one.reserved.memoryMb)} of ${one.memoryMb}`,
      `${Number(one.reserved.cores.toFixed(2))} of ${one.cores}`,
      `${Math.round(one.reserved.scratchGb)} of ${one.scratchGb}`,
      one.labels.join(' '),
      [one.version, one.commit?.slice(0, 8)].filter(Boolean).join(' '),
      moment(one.startedAt),
    ]),
  );

function describeState({ alive, draining, drainingSince, running, handsOver }: WorkerState): string {
  if (!alive) return 'gone';
  if (handsOver !== undefined && !draining) return 'hands over to Kubernetes';
  // a process for one transfer: `work --transfer`
  if (!draining) return drainingSince === undefined ? 'takes jobs' : 'takes no jobs';
  return drainingSince !== undefined && running === 0 ? 'drained' : 'draining';
}
