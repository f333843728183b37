import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { PREFER } from '../../http/openapi/headers.ts';
import type { App } from '../../http/route.ts';
import type { Service } from '../../http/rules/versions.ts';
import type { Summary } from '../queries.ts';
import { Started, StartQuery } from './bodies.ts';
import type { StartRoutes } from './settled.ts';
import { settled } from './settled.ts';
import type { DryRun } from './start.ts';

interface Told<Params, Body> {
  url: string;
  service: Service;
  summary: string;
  description?: string;
  params?: Params;
  body: Body;
}

type Asked<Params, Body> = Pick<FastifyRequest, 'caller' | 'apiVersion' | 'platformHeader'> & {
  params: z.output<Params>;
  body: z.output<Body>;
};

/** A POST that starts a transfer, or with `dryRun` only tries. */
export const startRoute = <Params extends z.ZodObject, Body extends z.ZodObject>(
  app: App,
  parts: StartRoutes,
  { url, service, ...told }: Told<Params, Body>,
  begin: (request: Asked<Params, Body>, dryRun: boolean) => Promise<Summary | DryRun>,
) =>
  app.post(
    url,
    {
      config: { access: 'signedIn', service, described: { parameters: [PREFER] } },
      schema: { tags: ['transfers'], ...told, querystring: StartQuery, response: { 200: Started } },
    },
    async (request, reply) => {
      const { dryRun = false } = request.query;
      return settled(parts, request, reply, await begin(request as Asked<Params, Body>, dryRun));
    },
  );
