import type { Command } from 'commander';
import { moment, plain, table } from 'hydrofiles/terminal';
import type { List } from '../../src/http/rules/paging.ts';
import type { CronJob, Name } from '../../src/operations/cron/routes.ts';
import type { Answer } from '../client.ts';
import type { Io } from '../io.ts';

export function cronCommands(cron: Command, io: Io): void {
  cron
    .command('list')
    .description('list cron jobs with their last and next run, and the failures of the last run')
    .action(() => listCron(io));
  cron
    .command('run <name>')
    .description('run a cron job now')
    .action((name) => startCron(io, name));
}

/** Runs a cron job now, and says so. */
export async function startCron(io: Io, name: string): Promise<void> {
  io.show(await runCron(io, name), (started) => `${started.name} is in the queue.`);
}

async function listCron(io: Io): Promise<void> {
  io.show(await io.api.call<List<CronJob>>('GET', '/api/admin/cron'), ({ data }) => [
    table(
      ['NAME', 'SCHEDULE (UTC)', 'FAILED', 'LAST', 'NEXT'],
      data.map(({ name, schedule, failed, lastRun, finishedAt, nextRun }) => [
        name,
        schedule,
        failed === undefined ? '' : String(failed),
        // by schedule, or by `cron run`
        moment(
          [lastRun, finishedAt]
            .filter((time) => time !== undefined)
            .sort()
            .at(-1),
        ),
        moment(nextRun),
      ]),
    ),
    data.flatMap(describeFailures).join('\n'),
    data.flatMap(({ name, stopped }) => (stopped === undefined ? [] : [`${name}: ${plain(stopped)}`])).join('\n'),
  ]);
}

/** A line per listed failure, and one with the number of the others. */
function describeFailures({ name, failed = 0, failures = [] }: CronJob): string[] {
  const lines = failures.map(
    ({ part, item, reason }) => `${name}: ${plain([part, item, reason].filter(Boolean).join(': '))}`,
  );
  const left = failed - failures.length;
  return left > 0 ? [...lines, `${name}: and ${left} more`] : lines;
}

export const runCron = (io: Io, name: string): Promise<Answer<Name>> =>
  io.api.call('POST', `/api/admin/cron/${encodeURIComponent(name)}/run`);
