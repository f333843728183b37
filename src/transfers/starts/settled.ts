import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../../db.ts';
import { afterCommit } from '../../http/rules/idempotency.ts';
import { preferredWait } from '../../http/rules/prefer.ts';
import type { Summary } from '../queries.ts';
import { findSummary } from '../queries.ts';
import type { Endings } from '../views/waiting.ts';
import type { DryRun } from './start.ts';

export interface StartRoutes {
  db: Db;
  endings: Endings;
}

/** Answers a start. With `Prefer: wait` the answer stays until the transfer has ended, and tells its status then. */
export async function settled(
  { db, endings }: StartRoutes,
  request: FastifyRequest,
  reply: FastifyReply,
  started: Summary | DryRun,
): Promise<Summary | DryRun> {
  const time = preferredWait(request, reply);
  if (time === undefined || 'valid' in started) return started;
  return afterCommit(request, reply, started, async () => {
    await endings.wait(started.id, time);
    return findSummary(db, started.id);
  });
}
