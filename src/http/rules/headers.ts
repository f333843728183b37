import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { invalid } from '../../errors.ts';
import type { Caller } from '../caller.ts';
import type { Rule } from './rules.ts';

/** Header → its names behind a prefix. Others with a prefix, such as `user-id` and `user-is-admin`, are never looked at. */
const NAMES = {
  'open-api-key': ['open-api-key'],
  'project-id': ['project-id'],
  'dataset-id': ['dataset-id'],
  'service-id': ['service-id'],
  'tenant-id': ['tenant-id', 'customer-guid'],
  'sas-token': ['sas-token'],
  'audit-reason': ['audit-reason'],
} as const;
/** Their values are repeated nowhere. */
const SECRET = new Set<PlatformHeader>(['open-api-key', 'sas-token']);
export type PlatformHeader = keyof typeof NAMES;

/** What clients call the services; some are names alone. */
export const SERVICE_IDS = 'metadata raw timeseries md gis tiles iam pubsub sharing job engine'.split(' ');

declare module 'fastify' {
  interface FastifyRequest {
    /** A header of ours under any configured prefix and any of its names. Two that differ are refused. Empty counts as absent. */
    platformHeader(name: PlatformHeader): string | undefined;
  }
}

/** Reads the platform's headers under each of the prefixes (`svc-`, `dhi-`). */
export const headers = fp<{ prefixes: readonly string[] }>(async (app, { prefixes }) => {
  const spellings = Object.fromEntries(
    Object.entries(NAMES).map(([name, names]) => [
      name,
      prefixes.flatMap((prefix) => names.map((each) => `${prefix}${each}`.toLowerCase())),
    ]),
  ) as Record<PlatformHeader, string[]>;
  app.decorateRequest('platformHeader', function (this: FastifyRequest, name: PlatformHeader) {
    let found: string | undefined;
    for (const spelling of spellings[name]) {
      const value = this.headers[spelling];
      const text = String(value ?? '').trim();
      if (text === '') continue;
      if (found !== undefined && found.toLowerCase() !== text.toLowerCase())
        throw invalid(
          `The headers for ${name} contradict each other${SECRET.has(name) ? '' : `: '${found}' and '${text}'`}.`,
        );
      found ??= text;
    }
    return found;
  });
});

/** Headers must not speak of another project or dataset than the path does, nor of a service that does not exist. */
export const headersAgree: Rule = (route) => {
  const addressed = [...route.url.matchAll(/\/(project|dataset)\/:(\w+)/g)].map(
    ([, noun, parameter]) => [`${noun}-id` as PlatformHeader, parameter ?? ''] as const,
  );
  return {
    preValidation(request, _reply, done) {
      try {
        const service = request.platformHeader('service-id');
        if (service !== undefined && !SERVICE_IDS.includes(service.toLowerCase()))
          throw invalid(`The header service-id names no service: '${service}'.`);
        for (const [header, parameter] of addressed) {
          const named = request.platformHeader(header);
          const meant = (request.params as Record<string, string>)[parameter];
          if (named !== undefined && named.toLowerCase() !== meant?.toLowerCase())
            throw invalid(`The header ${header} names '${named}', but the address '${meant}'.`);
        }
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  };
};

/** Id of the project in which a dataset lies, be it in the recycle bin; undefined for one that the caller does not see. */
export type FindProjectOf = (caller: Caller, datasetId: string) => Promise<string | undefined>;

/**
 * Where the path names a dataset and no project, the header project-id must name the dataset's. Where two projects are spoken of it may be
 * either: the one that the body sends something to, or that of the dataset that is written.
 */
export const projectAgrees =
  (findProjectOf: FindProjectOf): Rule =>
  (route) => {
    const datasets = [...route.url.matchAll(/\/(?:dataset|update)\/:(\w+)/g)].map(([, parameter]) => parameter ?? '');
    if (datasets.length === 0 || route.url.includes('/project/:') || route.config?.access === 'public') return {};

    async function check(request: FastifyRequest) {
      const named = request.platformHeader('project-id');
      if (named === undefined) return;
      const { targetProjectId, outputProjectId } = (request.body ?? {}) as Record<string, unknown>;
      const meant = [targetProjectId, outputProjectId];
      const params = request.params as Record<string, string>;
      for (const parameter of datasets) {
        const project = await findProjectOf(request.caller, params[parameter] ?? '');
        // for the route to answer
        if (project === undefined) return;
        meant.push(project);
      }
      if (meant.includes(named.toLowerCase())) return;
      const where = datasets.map((parameter) => `'${params[parameter]}'`).join(' or ');
      throw invalid(`The header project-id names '${named}', which is not the project of dataset ${where}.`);
    }

    return {
      preHandler(request, _reply, done) {
        check(request).then(() => done(), done);
      },
    };
  };
