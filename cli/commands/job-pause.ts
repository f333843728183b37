import type { Command } from 'commander';
import { moment, record } from 'hydrofiles/terminal';
import type { Summary } from '../../src/operations/summary/summary.ts';
import type { PauseState } from '../../src/operations/workers/pause.ts';
import { confirm } from '../confirm.ts';
import type { Io } from '../io.ts';
import { timeSpan } from '../options.ts';

const PAUSE = '/api/admin/pause';

export function pauseCommands(job: Command, io: Io): void {
  job
    .command('summary')
    .description('show queue, workers, failures, webhooks and blobs at a glance')
    .action(async () => io.show(await io.api.call<Summary>('GET', '/api/admin/summary'), describe));
  job
    .command('pause')
    .description('pause new work: no worker starts a transfer; requests are recorded, running transfers finish')
    .option('--message <text>', 'why, for people whose transfers wait')
    .option('--yes', 'do not ask for confirmation')
    .action((options) => pause(io, options));
  job
    .command('resume')
    .description('let the workers take new work again')
    .action(async () => {
      const answer = await io.api.call<PauseState>('PUT', PAUSE, { body: { paused: false } });
      io.show(answer, () => 'Workers take new work.');
    });
}

async function pause(io: Io, { message, yes = !io.interactive }: { message?: string; yes?: boolean }): Promise<void> {
  await confirm(io, 'Pause new work of all tenants?', { yes }, 'Nothing was paused.');
  const answer = await io.api.call<PauseState>('PUT', PAUSE, { body: { paused: true, reason: message } });
  io.show(answer, ({ since }) => `New work is paused since ${moment(since)}.`);
}

const describe = ({ pause: paused, queue, workers, failures, webhooks, blobs, accounts, tenants }: Summary): string =>
  record({
    'new work': paused.paused ? `paused: ${paused.reason ?? 'no reason given'}` : 'is taken',
    waiting: queue.waiting,
    'oldest transfer': queue.oldestTransferSeconds === undefined ? '' : timeSpan(queue.oldestTransferSeconds * 1000),
    delayed: queue.delayed,
    running: queue.running,
    'failed too often': queue.spent,
    workers: `${workers.alive}, ${workers.draining} of them draining`,
    'their transfers': `${workers.running} of ${workers.places}`,
    'failures in 24 h': `${failures.lastDay} of ${failures.kinds} kinds`,
    'periodic tasks with failures': failures.periodicTasks.join(' '),
    'deliveries due': webhooks.due,
    'deliveries later': webhooks.later,
    'webhooks failing': webhooks.failing,
    'webhooks disabled': webhooks.disabled,
    'damaged blobs': blobs.damagedBlobs,
    'missing blobs': blobs.missingBlobs,
    accounts,
    tenants,
  });
