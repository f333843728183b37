import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { List } from '../../src/http/rules/paging.ts';
import type { FailureGroup } from '../../src/operations/retries/failures.queries.ts';
import type { MassRetry } from '../../src/operations/retries/mass-retry.queries.ts';
import type { Answer } from '../client.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { each, jobPath } from '../jobs.ts';
import { limit, pastTime, whole } from '../options.ts';
import { moment, record, table } from '../table.ts';

interface RetryOptions {
  fingerprint?: string;
  rate: number;
  limit?: number;
  stopOnFail?: boolean;
  detach?: boolean;
}

const FAILURE = '/api/admin/failure';
const RETRY = '/api/admin/retry';
const LOOK_EVERY_MS = 500;

export function failureCommands(job: Command, io: Io): void {
  job
    .command('failures')
    .description('list failed transfers in groups of one cause, those with the most that nobody tried again first')
    .option('--tenant <id>', 'only in this tenant')
    .option('--since <time>', 'that ended at or after this time (UTC) or age, such as 2026-01-24 or 2h', pastTime)
    .option('--limit <count>', 'maximum number of groups', limit, 100)
    .action((options) => listFailures(io, options));
  job
    .command('retry')
    .description('start failed transfers again, each once and for whoever started it; let other jobs run now')
    .argument('[id...]')
    .option('--fingerprint <fingerprint>', "all that failed in this way, see 'job failures'")
    .option('--rate <rate>', 'so many at a time, such as 5/s, 30/m or 100/h', rate, 1)
    .option('--limit <count>', 'maximum number', whole(1, 1_000_000_000))
    .option('--stop-on-fail', 'start no more when one fails in the same way')
    .option('--detach', 'do not wait until all are started; the platform goes on by itself')
    .action((ids, options) => retry(io, ids, options));
  job
    .command('retries')
    .description('list orders to try failures again, and what came of them')
    .option('--limit <count>', 'maximum number', limit, 50)
    .action(({ limit }) => listRetries(io, { limit }));
  job
    .command('retry-stop')
    .description('start no more of an order; those that were started go on')
    .argument('<order>')
    .action(async (id) =>
      io.show(await io.api.call<MassRetry>('POST', `${RETRY}/${encodeURIComponent(id)}/stop`), describe),
    );
}

function rate(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\/([smh])$/.exec(text) ?? [];
  const perSecond = Number(number) / ({ s: 1, m: 60, h: 3600 }[unit ?? ''] ?? Number.NaN);
  if (!(perSecond > 0))
    throw new InvalidArgumentError('It is a number of transfers in a time, such as 5/s, 30/m or 100/h.');
  return perSecond;
}

async function listFailures(
  io: Io,
  { tenant, since, limit }: { tenant?: string; since?: string; limit: number },
): Promise<void> {
  const answer = await io.api.call<List<FailureGroup>>('GET', FAILURE, { query: { since, limit, tenantId: tenant } });
  io.show(answer, ({ data }) =>
    table(
      ['FINGERPRINT', 'OPEN', 'ALL', 'FIRST', 'LAST', 'WHAT', 'EXAMPLE', 'ERROR'],
      data.map((one) => [
        one.fingerprint,
        one.open,
        one.count,
        moment(one.firstAt),
        moment(one.lastAt),
        `${one.type} ${one.reader ?? ''} > ${one.writer ?? ''}`,
        one.exampleId,
        one.sentence,
      ]),
    ),
  );
}

async function retry(
  io: Io,
  ids: string[],
  { fingerprint, rate: perSecond, limit, stopOnFail, detach }: RetryOptions,
): Promise<void> {
  if ((fingerprint === undefined) === (ids.length === 0)) throw new UsageError('Give ids of jobs, or --fingerprint.');
  if (fingerprint === undefined) {
    return each(io, ids, async (id) => {
      io.show(await io.api.call<{ id: string }>('POST', `${jobPath(id)}/retry`), (started) => started.id);
    });
  }
  const body = { perSecond, limit, stopOnFail };
  const order = await io.api.call<MassRetry>('POST', `${FAILURE}/${encodeURIComponent(fingerprint)}/retry`, { body });
  if (detach) return io.show(order, ({ id }) => id);
  const ended = await follow(io, order);
  io.show(ended, describe);
  if (ended.body.state === 'Stopped') throw new Error(`Retry ${ended.body.id} was stopped: ${ended.body.note}`);
}

/** Until all are started or it was stopped; whoever breaks this off leaves the order going. */
async function follow(io: Io, order: Answer<MassRetry>): Promise<Answer<MassRetry>> {
  io.note(`Order ${order.body.id} is with the workers; 'job retry-stop ${order.body.id}' ends it.`);
  let answer = order;
  let told = '';
  while (answer.body.state === 'Running') {
    await sleep(LOOK_EVERY_MS);
    answer = await io.api.call<MassRetry>('GET', `${RETRY}/${order.body.id}`);
    const { started, completed, failed, refused } = answer.body;
    const line = `${started} started, ${completed} completed, ${failed} failed, ${refused} refused`;
    if (line !== told) io.note(line);
    told = line;
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
  io.show(answer, ({ data }) =>
    table(
      ['ORDER', 'STATE', 'FINGERPRINT', 'CREATED', 'BY', 'STARTED', 'COMPLETED', 'FAILED', 'REFUSED', 'WHY'],
      data.map((one) => [
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
      ]),
    ),
  );
}
