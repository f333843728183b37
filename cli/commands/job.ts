import type { Command } from 'commander';
import type { Answer } from '../client.ts';
import type { Io } from '../io.ts';
import { table } from '../table.ts';

export function jobCommands(program: Command, io: Io): void {
  const job = program.command('jobs').description('what workers do by the clock (administrators)');
  job
    .command('list')
    .description('list these jobs and when they run')
    .action(() => listJobs(io));
  job
    .command('run')
    .description('have a worker do one now')
    .argument('<name>')
    .action(async (name) => io.show(await runJob(io, name), (started) => `${started.name} is in the queue.`));
}

async function listJobs(io: Io): Promise<void> {
  const answer = await io.api.call<{ data: { name: string; schedule: string }[] }>('GET', '/api/admin/job');
  io.show(answer, ({ data }) =>
    table(
      ['NAME', 'SCHEDULE (UTC)'],
      data.map(({ name, schedule }) => [name, schedule]),
    ),
  );
}

export const runJob = (io: Io, name: string): Promise<Answer<{ name: string }>> =>
  io.api.call('POST', `/api/admin/job/${encodeURIComponent(name)}/run`);
