import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import type { Rule } from './rules.ts';

/** Versions that each service answers; a route names its service (`config.service`). `1` and `1.0` are the same. */
export const SERVICES = {
  accounts: [1],
  audit: [1],
  conversion: [1, 2, 3, 4],
  credit: [1, 2, 3, 4],
  crs: [1, 2],
  eventing: [1],
  features: [1],
  filesync: [1, 2],
  gis: [1, 2],
  groups: [1],
  hierarchy: [1, 2, 3, 4],
  iam: [1, 2, 3, 4],
  md: [2, 3],
  metadata: [1, 2, 3, 4],
  raw: [1, 2],
  recycleBin: [1, 2, 3, 4],
  security: [1, 2, 3, 4],
  services: [1, 2, 3, 4],
  tiles: [1],
  tokens: [1],
  ts: [1, 2],
} as const satisfies Record<string, readonly number[]>;

export type Service = keyof typeof SERVICES | 'none';

declare module 'fastify' {
  interface FastifyRequest {
    /** The version that was asked for, else the newest of the service; 0 on routes that have none. */
    apiVersion: number;
  }
}

/** Header `api-version`, else the query's; the newest when neither is there. */
export const versions: Rule = (route) => {
  const service = route.config?.service;
  if (service === undefined) throw new Error(`${route.method} ${route.url} does not say its service.`);
  if (service === 'none') return {};
  const served: readonly number[] = route.config?.versions ?? SERVICES[service];
  const list = served.map((version) => `${version}.0`).join(', ');
  const newest = Math.max(...served);
  const required = route.config?.versionRequired === true;
  return {
    onRequest(request, reply, done) {
      reply.header('api-supported-versions', list);
      const asked = askedVersion(request);
      if (asked === undefined) {
        if (required) {
          const sentence = `This request must say which version it means, as header 'api-version'; there are ${list}.`;
          return done(new AppError('invalid', sentence, { code: 'ApiVersionUnspecified' }));
        }
        request.apiVersion = newest;
        return done();
      }
      const version = Number(/^(\d{1,4})(?:\.0)?$/.exec(asked)?.[1]);
      if (!served.includes(version)) {
        const sentence = `There is no version '${asked.slice(0, 40)}' of this service, only ${list}.`;
        return done(new AppError('invalid', sentence, { code: 'UnsupportedApiVersion' }));
      }
      request.apiVersion = version;
      done();
    },
  };
};

function askedVersion(request: FastifyRequest): string | undefined {
  const header = request.headers['api-version'];
  if (header) return String(header).trim();
  const query = request.query as Record<string, unknown>;
  for (const name in query) if (name.toLowerCase() === 'api-version' && query[name]) return String(query[name]).trim();
  return undefined;
}
