import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { moment, table } from '../table.ts';

export interface Worker {
  id: string;
  host: string;
  pid: number;
  labels: string[];
  startedAt: string;
  alive: boolean;
  draining: boolean;
  drainingSince?: string;
  concurrency: number;
  running: number;
  memoryMb: number;
  cores: number;
  scratchGb: number;
  reserved: { memoryMb: number; cores: number; scratchGb: number };
}

export function workerCommands(program: Command, io: Io): void {
  const worker = program.command('worker').description('worker processes (administrators)');
  worker
    .command('list')
    .description('list them: where they run, what they have and what of it is taken')
    .action(async () =>
      io.show(await io.api.call<{ data: Worker[] }>('GET', '/api/admin/worker'), ({ data }) => workerTable(data)),
    );
}

export const workerTable = (workers: readonly Worker[]): string =>
  table(
    ['ID', 'HOST', 'PID', 'STATE', 'RUNNING', 'MEMORY (MB)', 'CORES', 'SCRATCH (GB)', 'LABELS', 'SINCE'],
    workers.map((one) => [
      one.id,
      one.host,
      one.pid,
      stateOf(one),
      `${one.running} of ${one.concurrency}`,
      `${Math.round(one.reserved.memoryMb)} of ${one.memoryMb}`,
      `${Number(one.reserved.cores.toFixed(2))} of ${one.cores}`,
      `${Math.round(one.reserved.scratchGb)} of ${one.scratchGb}`,
      one.labels.join(' '),
      moment(one.startedAt),
    ]),
  );

function stateOf({ alive, draining, drainingSince, running }: Worker): string {
  if (!alive) return 'gone';
  if (!draining) return 'takes jobs';
  return drainingSince !== undefined && running === 0 ? 'drained' : 'draining';
}
