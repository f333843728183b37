import { z } from 'zod';
import type { Db } from '../../db.ts';
import type { App } from '../../http/route.ts';
import { uuidParam } from '../../http/rules/forms.ts';
import { cursorPage, cursorPageOf, cursorQuery } from '../../http/rules/paging.ts';
import { queryDuration, queryEnum, queryList } from '../../http/rules/query.ts';
import type { Signer } from '../../platform/keys/signing-keys.ts';
import { Why } from '../../transfers/views/why.ts';
import { cancelJob, retryJob, showJob, whyJob } from './jobs.ts';
import { JOB_STATES, Job, JobDetail, listJobs } from './queries.ts';

export interface JobRoutes {
  db: Db;
  cursors: Signer;
  /** Tells those who wait for a transfer that it has ended. */
  announce(id: string): void;
  /** What the tokens of accounts are good for. */
  scopes: readonly string[];
}

const LONGEST_AGE_MS = 10_000 * 86_400_000;
const UNFINISHED = ['waiting', 'delayed', 'running', 'spent'] as const;

/** Everything that the queue holds, of all tenants: transfers and other jobs. */
export async function jobRoutes(app: App, { db, cursors, announce, scopes }: JobRoutes): Promise<void> {
  const config = { access: 'administrators', service: 'iam' } as const;
  const tags = ['operations'];
  // a transfer's uuid, or the number of another job
  const Id = z.object({ id: z.string().max(64).toLowerCase() });

  app.get(
    '/api/admin/job',
    {
      config,
      schema: {
        tags,
        summary: 'Jobs of all tenants, newest first: transfers, and whatever else is in the queue',
        description: 'Without `state` those that have not ended; with a fingerprint those that failed.',
        querystring: z.object({
          state: queryList(queryEnum(JOB_STATES)).optional(),
          task: z.string().max(128).optional().meta({ description: 'Such as runTransfer or sendAccountMail' }),
          tenantId: uuidParam().optional(),
          fingerprint: z.string().max(64).optional().meta({ description: 'Of a kind of failure' }),
          worker: z.string().max(128).optional().meta({ description: "A worker's id" }),
          olderThan: queryDuration(LONGEST_AGE_MS).optional(),
          ...cursorQuery,
        }),
        response: { 200: cursorPageOf(Job) },
      },
    },
    async ({ caller, query }) => {
      const { state, cursor, limit, ...more } = query;
      const states = state ?? (more.fingerprint === undefined ? UNFINISHED : (['failed'] as const));
      const filter = { ...more, states };
      return cursorPage(
        cursors,
        { cursor, limit },
        ['jobs', caller.userId, filter],
        (position, most) => listJobs(db, filter, position, most),
        ({ time, id }) => ({ value: time, id }),
      );
    },
  );

  app.get(
    '/api/admin/job/:id',
    {
      config,
      schema: {
        tags,
        summary: 'A job with its attempts, its row in the queue, its worker and the end of its log',
        params: Id,
        response: { 200: JobDetail },
      },
    },
    ({ params }) => showJob(db, params.id),
  );

  app.get(
    '/api/admin/job/:id/why',
    {
      config,
      schema: {
        tags,
        summary:
          'Why a transfer has not been started: how many are before it, what blocks it, which worker could run it',
        params: Id,
        response: { 200: Why },
      },
    },
    ({ params }) => whyJob(db, params.id),
  );

  app.post(
    '/api/admin/job/:id/cancel',
    {
      config,
      schema: {
        tags,
        summary: 'Ends a transfer, or takes another job out of the queue that does not run',
        params: Id,
        response: { 202: Id },
      },
    },
    async ({ caller, params }, reply) => {
      await cancelJob(db, caller, params.id);
      announce(params.id);
      return reply.code(202).send(params);
    },
  );

  app.post(
    '/api/admin/job/:id/retry',
    {
      config,
      schema: {
        tags,
        summary: 'Starts a failed transfer again, once, for whoever started it; lets another job run now',
        description: 'Answers the id of the new transfer.',
        params: Id,
        response: { 202: Id },
      },
    },
    async ({ caller, params }, reply) => reply.code(202).send({ id: await retryJob(db, caller, params.id, scopes) }),
  );
}
