import type { Command } from 'commander';
import type { List } from '../../src/http/rules/paging.ts';
import type { CronJob, Name } from '../../src/operations/cron/routes.ts';
import type { Answer } from '../client.ts';
import type { Io } from '../io.ts';
import { moment, plain, table } from '../table.ts';

export function cronCommands(cron: Command, io: Io): void {
  cron
    .command('list')
    .description('list it, with the last and the next time, and what the last run could not do')
    .action(() => listCron(io));
  cron
    .command('run')
    .description('have a worker do one now')
    .argument('<name>')
    .action(async (name) => io.show(await runCron(io, name), (started) => `${started.name} is in the queue.`));
}

async function listCron(io: Io): Promise<void> {
  io.show(await io.api.call<List<CronJob>>('GET', '/api/admin/cron'), ({ data }) => [
    table(
      ['NAME', 'SCHEDULE (UTC)', 'FAILED', 'LAST', 'NEXT'],
      data.map(({ name, schedule, failed, lastRun, finishedAt, nextRun }) => [
        name,
        schedule,
        failed === undefined ? '' : String(failed),
        // by the clock, or because somebody had it done
        moment(
          [lastRun, finishedAt]
            .filter((time) => time !== undefined)
            .sort()
            .at(-1),
        ),
        moment(nextRun),
      ]),
    ),
    data.flatMap(failuresOf).join('\n'),
    data.flatMap(({ name, stopped }) => (stopped === undefined ? [] : [`${name}: ${plain(stopped)}`])).join('\n'),
  ]);
}

/** A line for each failure that is told, and one for the others. */
function failuresOf({ name, failed = 0, failures = [] }: CronJob): string[] {
  const told = failures.map(
    ({ part, item, reason }) => `${name}: ${plain([part, item, reason].filter(Boolean).join(': '))}`,
  );
  const left = failed - failures.length;
  return left > 0 ? [...told, `${name}: and ${left} more`] : told;
}

export const runCron = (io: Io, name: string): Promise<Answer<Name>> =>
  io.api.call('POST', `/api/admin/cron/${encodeURIComponent(name)}/run`);
