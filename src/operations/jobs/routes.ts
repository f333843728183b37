import { z } from 'zod';
import type { Database } from '../../db.ts';
import { type App, Routes } from '../../http/route.ts';
import { uuidParam } from '../../http/rules/forms.ts';
import { textUpTo } from '../../http/rules/members.ts';
import { cursorPage, cursorPageOf, cursorQuery } from '../../http/rules/paging.ts';
import { idEnding, queryDuration, queryEnum, queryList } from '../../http/rules/query.ts';
import type { Signer } from '../../platform/keys/signing-keys.ts';
import { DryRun, StartQuery } from '../../transfers/starts/bodies.ts';
import type { StartRules } from '../../transfers/starts/rules.ts';
import { Why } from '../../transfers/views/why.ts';
import { cancelJob, retryJob, showJob, whyJob } from './jobs.ts';
import { JOB_STATES, Job, JobDetail, listJobs } from './queries.ts';

export interface JobRoutes {
  db: Database;
  cursors: Signer;
  /** Notifies requests and streams that wait for the end of a transfer. */
  announce(id: string): void;
  /** Scopes of account tokens. */
  scopes: readonly string[];
  rules: StartRules;
}

const MAX_AGE_MS = 10_000 * 86_400_000;
const UNFINISHED = ['waiting', 'delayed', 'running', 'spent'] as const;

/** Transfers and other jobs of all tenants, for administrators. */
export async function jobRoutes(app: App, { db, cursors, announce, scopes, rules }: JobRoutes): Promise<void> {
  const routes = new Routes(app, { access: 'administrators', service: 'iam', tags: ['operations'] });

  // the UUID of a transfer, or the number of another job
  const Id = z.object({
    id: z
      .string()
      .max(64)
      .toLowerCase()
      .meta({ description: 'Id of the job.', example: '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10' }),
  });

  routes.get('/api/admin/job', {
    operationId: 'listJobs',
    summary: 'Lists jobs of all tenants, newest first: transfers and other jobs in the queue',
    description: 'Without `state`, lists unfinished jobs or, with `fingerprint`, failed ones.',
    querystring: z.object({
      state: queryList(queryEnum(JOB_STATES)).optional().describe('Only jobs in this state.'),
      task: textUpTo(128, 'Name of a task, such as runTransfer or sendAccountMail').optional(),
      tenantId: uuidParam().optional().describe('Only jobs of this tenant.'),
      fingerprint: textUpTo(64, 'Fingerprint of a kind of failure').optional(),
      worker: textUpTo(128, 'Id of a worker').optional(),
      idEnding: idEnding().optional(),
      olderThan: queryDuration(MAX_AGE_MS, 'Minimum age of jobs').optional(),
      ...cursorQuery,
    }),
    response: { 200: cursorPageOf(Job) },
    handler: async ({ caller, query }) => {
      const { state, cursor, limit, ...more } = query;
      const states = state ?? (more.fingerprint === undefined ? UNFINISHED : (['failed'] as const));
      const filter = { ...more, states };
      return cursorPage(
        cursors,
        { cursor, limit },
        ['jobs', caller.userId, filter],
        (position, count) => listJobs(db, filter, position, count),
        ({ time, id }) => ({ value: time, id }),
      );
    },
  });

  routes.get('/api/admin/job/:id', {
    operationId: 'getJob',
    summary: 'Returns a job with its attempts, queue row, worker and the end of its log',
    params: Id,
    response: { 200: JobDetail },
    handler: ({ params }) => showJob(db, params.id),
  });

  routes.get('/api/admin/job/:id/why', {
    operationId: 'getJobWhy',
    summary:
      'Explains why a transfer has not started (position, unmet requirements, workers that could run it) or has failed',
    params: Id,
    response: { 200: Why },
    handler: ({ params }) => whyJob(db, params.id),
  });

  routes.post('/api/admin/job/:id/cancel', {
    operationId: 'cancelJob',
    summary: 'Cancels a transfer, or removes another job that is not running from the queue',
    params: Id,
    response: { 202: Id },
    handler: async ({ caller, params }) => {
      await cancelJob(db, caller, params.id);
      announce(params.id);
      return params;
    },
  });

  routes.post('/api/admin/job/:id/retry', {
    operationId: 'retryJob',
    summary: 'Retries a failed transfer once, as its starter; lets another job run now',
    description:
      'Returns the id of the new transfer or, for another job, its own id. With `dryRun` it only checks the retry, and answers 200 with what it would cost.',
    params: Id,
    querystring: StartQuery,
    response: { 200: DryRun, 202: Id },
    handler: async ({ caller, params, query }, reply) => {
      const dryRun = query.dryRun ?? false;
      const retried = await retryJob(db, rules, caller, params.id, { scopes, dryRun });
      return 'valid' in retried ? retried : reply.code(202).send({ id: retried.id });
    },
  });
}
