import type { Command } from 'commander';
import { moment, plain, record } from 'hydrofiles/terminal';
import type { CursorPage } from '../../src/http/rules/paging.ts';
import type { Job, JobDetail } from '../../src/operations/jobs/queries.ts';
import type { Io } from '../io.ts';
import { forEachJob, JOB, JOB_STATES, jobPath } from '../jobs.ts';
import { choices, formatAge, legacyOption, limit, pastTime } from '../options.ts';
import { startCron } from './cron.ts';
import { drainCommand } from './job-drain.ts';
import { pauseCommands } from './job-pause.ts';
import { failureCommands } from './job-retry.ts';
import { showWhy } from './transfer-why.ts';

export function jobCommands(job: Command, io: Io): void {
  const list = job
    .command('list')
    .description('list jobs, newest first; without --state, those that have not ended')
    .addOption(choices('--state <state>', 'only jobs in this state', JOB_STATES))
    .option('--task <name>', 'only jobs of this task, such as runTransfer or sendAccountMail')
    .option('--tenant <id>', 'only in this tenant')
    .option('--fingerprint <fingerprint>', "only failures with this fingerprint, see 'job failures'")
    .option('--worker <id>', "only jobs of this worker, see 'worker list'")
    .option(
      '--until <time>',
      'only jobs that ended, or else were created, before this time (UTC) or age, such as 2h or 7d',
      pastTime,
    )
    .option('--limit <count>', 'maximum number', limit, 50)
    .option('--cursor <cursor>', 'continue after the previous page');
  legacyOption(list, '--status <state>', '--state');
  legacyOption(list, '--older-than <age>', '--until').action((options) => listJobs(io, options));
  job
    .command('show <id>')
    .description('show all details of a job: attempts, queue row, worker, end of the log')
    .action(async (id) => io.show(await io.api.call<JobDetail>('GET', jobPath(id)), describe));
  job
    .command('why <id>')
    .description('explain why a transfer has not started: its position, what blocks it, workers that could run it')
    .action((id) => showWhy(io, jobPath(id)));
  job
    .command('cancel <id...>')
    .description('cancel transfers, or remove other jobs that are not running from the queue')
    .action((ids) =>
      forEachJob(io, ids, async (id) => {
        const answer = await io.api.call('POST', `${jobPath(id)}/cancel`);
        io.show(answer, () => `Job ${id} is being cancelled.`, { id, cancelRequested: true });
      }),
    );
  job
    .command('run', { hidden: true })
    .description("run a cron job now, as 'cron run' does")
    .argument('[name]', 'default: the sweep of the recycle bin', 'sweepRecycleBin')
    .action((name) => startCron(io, name));
  failureCommands(job, io);
  pauseCommands(job, io);
  drainCommand(job, io);
}

interface ListOptions {
  state?: string[];
  task?: string;
  tenant?: string;
  fingerprint?: string;
  worker?: string;
  until?: string;
  limit: number;
  cursor?: string;
}

async function listJobs(io: Io, { tenant, until, ...more }: ListOptions): Promise<void> {
  const query = { ...more, tenantId: tenant, olderThan: until === undefined ? undefined : formatAge(until) };
  const answer = await io.api.call<CursorPage<Job>>('GET', JOB, { query });
  io.list(
    answer,
    ['NAME', 'STATE', 'ID', 'SINCE', 'WHAT', 'ERROR', 'TRIES', 'ASKS FOR', 'WORKER', 'TENANT'],
    (one) => [
      one.name ?? one.task,
      one.state,
      one.id,
      moment(one.finishedAt ?? one.startedAt ?? one.createdAt),
      one.type && `${one.type} ${one.reader ?? ''} > ${one.writer ?? ''}`,
      one.error,
      one.attempts,
      one.needs?.join(' '),
      one.worker,
      one.tenantId,
    ],
    { shortIds: 'ID' },
  );
  if (answer.body.cursor !== undefined && !io.json) io.note(`More jobs: --cursor ${answer.body.cursor}`);
}

function describe(job: JobDetail): string {
  const { queue } = job;
  const shown = record({
    name: job.name,
    id: job.id,
    state: job.state,
    task: job.task,
    type: job.type,
    reader: job.reader,
    writer: job.writer,
    tenant: job.tenantId,
    project: job.projectId,
    'started by': job.accountId,
    request: job.requestId,
    created: moment(job.createdAt),
    started: moment(job.startedAt),
    finished: moment(job.finishedAt),
    'not before': moment(job.runAt),
    progress: job.progress === undefined ? '' : `${Math.floor(job.progress)} %`,
    phase: job.phase,
    attempts: job.attempts,
    'workers lost': job.workerLosses,
    'processes died': job.childDeaths,
    outages: job.outages,
    worker: job.worker,
    host: job.host,
    deadline: moment(job.deadline),
    'memory (MB)': job.memoryMb,
    cores: job.cores,
    'asks for': job.needs?.join(' '),
    'cancel asked': moment(job.cancelRequestedAt),
    error: job.error,
    fingerprint: job.fingerprint,
    'retry of': job.retryOf,
    'tried again': job.retries?.join(' '),
    'queue row': queue?.id,
    'queue priority': queue?.priority,
    'queue flags': queue?.flags.join(' '),
    'queue tries': queue && `${queue.attempts} of ${queue.maxAttempts}`,
    'queue locked': queue?.lockedBy && `${moment(queue.lockedAt)} by ${queue.lockedBy}`,
    'queue error': queue?.lastError,
  });
  const log = job.log.map((line) => `${moment(line.time)}  ${line.level.padEnd(7)}  ${plain(line.message)}`);
  return [shown, ...log].join('\n');
}
