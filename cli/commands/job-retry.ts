import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { integer, moment, record, UsageError } from 'hydrofiles/terminal';
import type { List } from '../../src/http/rules/paging.ts';
import type { Job } from '../../src/operations/jobs/queries.ts';
import type { FailureGroup } from '../../src/operations/retries/failures.queries.ts';
import type { MassRetry } from '../../src/operations/retries/mass-retry.queries.ts';
import type { Answer } from '../client.ts';
import type { Io } from '../io.ts';
import { forEachJob, jobPath } from '../jobs.ts';
import { limit, pastTime } from '../options.ts';
import { noteCosts, showDryRun } from '../start-transfer.ts';

interface RetryOptions {
  fingerprint?: string;
  rate: number;
  limit?: number;
  stopOnFail?: boolean;
  detach?: boolean;
  dryRun?: boolean;
}

const FAILURE = '/api/admin/failure';
const RETRY = '/api/admin/retry';
const POLL_EVERY_MS = 500;

export function failureCommands(job: Command, io: Io): void {
  job
    .command('failures')
    .description('list failed transfers grouped by cause; groups with the most failures without a retry come first')
    .option('--tenant <id>', 'only in this tenant')
    .option(
      '--since <time>',
      'only those that ended at or after this time (UTC), or within this age, such as 2h',
      pastTime,
    )
    .option('--limit <count>', 'maximum number of groups', limit, 100)
    .action((options) => listFailures(io, options));
  job
    .command('retry [id...]')
    .description('retry failed transfers, each once and as the account that started it; let other jobs run now')
    .option('--fingerprint <fingerprint>', "all failures with this fingerprint, see 'job failures'")
    .option('--rate <rate>', 'maximum rate, such as 5/s, 30/m or 100/h', rate, 1)
    .option('--limit <count>', 'maximum number', integer(1, 1_000_000_000))
    .option('--stop-on-fail', 'stop when a retried transfer fails with the same fingerprint')
    .option('--detach', 'do not wait until all are started')
    .option('--dry-run', 'only check the retries and show what they cost; needs ids')
    .action((ids, options) => retry(io, ids, options));
  job
    .command('retries')
    .description('list mass retries with their results')
    .option('--limit <count>', 'maximum number', limit, 50)
    .action(({ limit }) => listRetries(io, { limit }));
  job
    .command('retry-stop <order>')
    .description('stop a mass retry; transfers that it has started continue')
    .action(async (id) =>
      io.show(await io.api.call<MassRetry>('POST', `${RETRY}/${encodeURIComponent(id)}/stop`), describe),
    );
}

function rate(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\/([smh])$/.exec(text) ?? [];
  const perSecond = Number(number) / ({ s: 1, m: 60, h: 3600 }[unit ?? ''] ?? Number.NaN);
  if (!(perSecond > 0)) throw new InvalidArgumentError('It must be a rate such as 5/s, 30/m or 100/h.');
  return perSecond;
}

async function listFailures(
  io: Io,
  { tenant, since, limit }: { tenant?: string; since?: string; limit: number },
): Promise<void> {
  const answer = await io.api.call<List<FailureGroup>>('GET', FAILURE, { query: { since, limit, tenantId: tenant } });
  io.list(answer, ['FINGERPRINT', 'OPEN', 'ALL', 'FIRST', 'LAST', 'WHAT', 'EXAMPLE', 'ERROR'], (one) => [
    one.fingerprint,
    one.open,
    one.count,
    moment(one.firstAt),
    moment(one.lastAt),
    `${one.type} ${one.reader ?? ''} > ${one.writer ?? ''}`,
    one.exampleId,
    one.sentence,
  ]);
}

async function retry(
  io: Io,
  ids: string[],
  { fingerprint, rate: perSecond, limit, stopOnFail, detach, dryRun }: RetryOptions,
): Promise<void> {
  if ((fingerprint === undefined) === (ids.length === 0)) throw new UsageError('Use ids of jobs, or --fingerprint.');
  if (fingerprint === undefined) {
    return forEachJob(io, ids, async (id) => {
      const to = `${jobPath(id)}/retry`;
      if (dryRun) return showDryRun(io, to, undefined);
      await noteCosts(io, to, undefined);
      io.show(await io.api.call<Pick<Job, 'id'>>('POST', to), (started) => started.id);
    });
  }
  if (dryRun) throw new UsageError('--dry-run needs ids of jobs. It does not work with --fingerprint.');
  const body = { perSecond, limit, stopOnFail };
  const order = await io.api.call<MassRetry>('POST', `${FAILURE}/${encodeURIComponent(fingerprint)}/retry`, { body });
  if (detach) return io.show(order, ({ id }) => id);
  const ended = await follow(io, order);
  io.show(ended, describe);
  if (ended.body.state === 'Stopped') throw new Error(`Retry ${ended.body.id} was stopped: ${ended.body.note}`);
}

/** Waits until all transfers are started, or the mass retry is stopped. After Ctrl-C it continues. */
async function follow(io: Io, order: Answer<MassRetry>): Promise<Answer<MassRetry>> {
  io.note(`Mass retry ${order.body.id} has started. To stop it: 'platform job retry-stop ${order.body.id}'.`);
  let answer = order;
  let printed = '';
  while (answer.body.state === 'Running') {
    await sleep(POLL_EVERY_MS);
    answer = await io.api.call<MassRetry>('GET', `${RETRY}/${order.body.id}`);
    const { started, completed, failed, refused } = answer.body;
    const line = `${started} started, ${completed} completed, ${failed} failed, ${refused} refused`;
    if (line !== printed) io.note(line);
    printed = line;
  }
  return answer;
}

const describe = (order: MassRetry) =>
  record({
    order: order.id,
    fingerprint: order.fingerprint,
    state: order.state,
    why: order.note,
    'per second': order.perSecond,
    'at most': order.limit,
    'stops when one fails': order.stopOnFail ? 'yes' : 'no',
    by: order.accountId,
    created: moment(order.createdAt),
    finished: moment(order.finishedAt),
    started: order.started,
    completed: order.completed,
    failed: order.failed,
    refused: order.refused,
    'such as': order.refusal,
  });

async function listRetries(io: Io, query: { limit: number }): Promise<void> {
  const answer = await io.api.call<List<MassRetry>>('GET', RETRY, { query });
  io.list(
    answer,
    ['ORDER', 'STATE', 'FINGERPRINT', 'CREATED', 'BY', 'STARTED', 'COMPLETED', 'FAILED', 'REFUSED', 'WHY'],
    (one) => [
      one.id,
      one.state,
      one.fingerprint,
      moment(one.createdAt),
      one.accountId,
      one.started,
      one.completed,
      one.failed,
      one.refused,
      one.note ?? one.refusal,
    ],
  );
}
