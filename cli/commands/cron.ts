import type { Command } from 'commander';
import type { Answer } from '../client.ts';
import type { Io } from '../io.ts';
import { moment, table } from '../table.ts';

interface CronJob {
  name: string;
  schedule: string;
  lastRun?: string;
  nextRun?: string;
}

export function cronCommands(cron: Command, io: Io): void {
  cron
    .command('list')
    .description('list it, with the last and the next time')
    .action(() => listCron(io));
  cron
    .command('run')
    .description('have a worker do one now')
    .argument('<name>')
    .action(async (name) => io.show(await runCron(io, name), (started) => `${started.name} is in the queue.`));
}

async function listCron(io: Io): Promise<void> {
  io.show(await io.api.call<{ data: CronJob[] }>('GET', '/api/admin/cron'), ({ data }) =>
    table(
      ['NAME', 'SCHEDULE (UTC)', 'LAST', 'NEXT'],
      data.map(({ name, schedule, lastRun, nextRun }) => [name, schedule, moment(lastRun), moment(nextRun)]),
    ),
  );
}

export const runCron = (io: Io, name: string): Promise<Answer<{ name: string }>> =>
  io.api.call('POST', `/api/admin/cron/${encodeURIComponent(name)}/run`);
