import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import type { Rule } from './rules.ts';

/** Versions of each service; a route names its service (`config.service`). `1` and `1.0` are the same. */
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
    /** The requested version, else the newest of the service; 0 on routes without versions. */
    apiVersion: number;
  }
}

/** Reads the version from the header `api-version`, else from the query. */
export const versions: Rule = (route) => {
  const service = route.config?.service;
  if (service === undefined) throw new Error(`${route.method} ${route.url} lacks config.service.`);
  if (service === 'none') return {};
  const served: readonly number[] = route.config?.versions ?? SERVICES[service];
  const list = served.map((version) => `${version}.0`).join(', ');
  const newest = Math.max(...served);
  const required = route.config?.versionRequired === true;
  return {
    onRequest(request, reply, done) {
      reply.header('api-supported-versions', list);
      const requested = requestedVersion(request);
      if (requested === undefined) {
        if (required) {
          const sentence = `The header 'api-version' is missing. Send one of ${list}.`;
          return done(new AppError('invalid', sentence, { code: 'ApiVersionUnspecified' }));
        }
        request.apiVersion = newest;
        return done();
      }
      const version = Number(/^(\d{1,4})(?:\.0)?$/.exec(requested)?.[1]);
      if (!served.includes(version)) {
        const sentence = `This service has no version '${requested.slice(0, 40)}'. Use one of ${list}.`;
        return done(new AppError('invalid', sentence, { code: 'UnsupportedApiVersion' }));
      }
      request.apiVersion = version;
      done();
    },
  };
};

function requestedVersion(request: FastifyRequest): string | undefined {
  const header = request.headers['api-version'];
  if (header) return String(header).trim();
  const query = request.query as Record<string, unknown>;
  for (const name in query) if (name.toLowerCase() === 'api-version' && query[name]) return String(query[name]).trim();
  return undefined;
}
