import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Database } from '../../db.ts';
import { PREFER } from '../../http/openapi/headers.ts';
import { type App, Routes } from '../../http/route.ts';
import { afterCommit } from '../../http/rules/idempotency.ts';
import { preferredWait } from '../../http/rules/prefer.ts';
import type { Service } from '../../http/rules/versions.ts';
import { findSummary, type Summary } from '../queries.ts';
import type { EndWaiter } from '../views/wait-for-end.ts';
import { Started, StartQuery } from './bodies.ts';
import type { DryRun } from './start.ts';

export interface StartRoutes {
  db: Database;
  endWaiter: EndWaiter;
}

interface Start<Params, Body> {
  url: string;
  service: Service;
  operationId: string;
  deprecated?: true;
  summary: string;
  description?: string;
  params?: Params;
  body: Body;
  bodyLimit?: number;
  maxMembers?: number;
  start(request: StartHttpRequest<Params, Body>, dryRun: boolean): Promise<Summary | DryRun>;
}

type StartHttpRequest<Params, Body> = Pick<FastifyRequest, 'caller' | 'apiVersion' | 'platformHeader'> & {
  params: z.output<Params>;
  body: z.output<Body>;
};

/** Adds a POST route that starts a transfer, or with `dryRun` only checks it. */
export const startRoute = <Params extends z.ZodObject, Body extends z.ZodObject>(
  app: App,
  parts: StartRoutes,
  { url, service, start, maxMembers, ...described }: Start<Params, Body>,
) =>
  new Routes(app, { access: 'signedIn', tags: ['transfers'] }).post(url, {
    ...described,
    querystring: StartQuery,
    response: { 200: Started },
    config: {
      service,
      ...(maxMembers === undefined ? {} : { maxMembers }),
      projectHeader: 'projectId' in described.body.shape,
      described: { parameters: [PREFER] },
    },
    handler: async (request, reply) => {
      const { dryRun = false } = request.query;
      return answerStart(parts, request, reply, await start(request as StartHttpRequest<Params, Body>, dryRun));
    },
  });

/** Answers a start. With `Prefer: wait` it waits until the transfer has ended, and answers its status then. */
export async function answerStart(
  { db, endWaiter }: StartRoutes,
  request: FastifyRequest,
  reply: FastifyReply,
  started: Summary | DryRun,
): Promise<Summary | DryRun> {
  const time = preferredWait(request, reply);
  if (time === undefined || 'valid' in started) return started;
  return afterCommit(request, reply, started, async () => {
    await endWaiter.wait(started.id, time);
    return findSummary(db, started.id);
  });
}
