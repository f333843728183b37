import type { Command } from 'commander';
import { moment, plain, record, type Shown, table } from 'hydrofiles/terminal';
import type { Why } from '../../src/transfers/views/why.ts';
import type { Io } from '../io.ts';
import { transferPath } from '../watch.ts';

export function whyCommand(transfer: Command, io: Io): void {
  transfer
    .command('why <id>')
    .description(
      'explain why a transfer has not started (its position, what it waits for, workers that could run it) or has failed',
    )
    .action((id) => showWhy(io, transferPath(id)));
}

/** @param path of the transfer in the API */
export async function showWhy(io: Io, path: string): Promise<void> {
  io.show(await io.api.call<Why>('GET', `${path}/why`), describe);
}

const VERDICTS = { never: 'never', notNow: 'later, but not now' };

function describe({ status, needs, position, reason, verdict, node, lacks, since, blockedBy, workers }: Why): Shown {
  const about = record({
    status,
    'asks for': needs?.join(' '),
    'before it': position,
    'waits since': since && moment(since),
    'could run': verdict && VERDICTS[verdict],
    'nearest node': node && plain(node),
    'which lacks': lacks && plain(lacks.join(', ')),
    [status === 'Pending' ? 'waits for' : 'error']: reason && plain(reason),
    'blocked by': blockedBy?.join(' '),
  });
  if (workers.length === 0) return about;
  const rows = workers.map((one) => [one.id, one.canRun ? 'yes' : 'no', plain(one.reason ?? '')]);
  return [about, table(['WORKER', 'COULD RUN IT', 'NOW'], rows)];
}
