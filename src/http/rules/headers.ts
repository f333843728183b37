import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { invalid } from '../../errors.ts';
import type { Caller } from '../caller.ts';
import { callerOf } from './auth.ts';
import type { Rule } from './rules.ts';

/**
 * Header → its names after the prefix. Other headers with a prefix, such as `user-id` and `user-is-admin`, are ignored.
 */
const NAMES = {
  'open-api-key': ['open-api-key'],
  'project-id': ['project-id'],
  'dataset-id': ['dataset-id'],
  'service-id': ['service-id'],
  'tenant-id': ['tenant-id', 'customer-guid'],
  'sas-token': ['sas-token'],
  'audit-reason': ['audit-reason'],
  session: ['session'],
} as const;
/** Headers whose values must not appear in messages. */
const SECRET = new Set<PlatformHeader>(['open-api-key', 'sas-token']);
export type PlatformHeader = keyof typeof NAMES;

/** Service names of clients. Some have no routes of their own. */
export const SERVICE_IDS = 'metadata raw timeseries md gis tiles iam pubsub sharing job engine'.split(' ');

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * A header under any configured prefix and any of its names. Empty counts as absent. Throws if two values differ.
     */
    platformHeader(name: PlatformHeader): string | undefined;
  }
}

/** All spellings of the platform's headers with these prefixes, in lower case. */
export const platformHeaders = (prefixes: readonly string[]): string[] =>
  Object.values(NAMES).flatMap((names) => names.flatMap((name) => listSpellings(name, prefixes)));

const listSpellings = (name: string, prefixes: readonly string[]) =>
  prefixes.map((prefix) => `${prefix}${name}`.toLowerCase());

/** Reads the platform's headers with each configured prefix (`svc-`, `dhi-`). */
export const headers = fp<{ prefixes: readonly string[] }>(async (app, { prefixes }) => {
  const spellings = Object.fromEntries(
    Object.entries(NAMES).map(([name, names]) => [name, names.flatMap((each) => listSpellings(each, prefixes))]),
  ) as Record<PlatformHeader, string[]>;
  app.decorateRequest('platformHeader', function (this: FastifyRequest, name: PlatformHeader) {
    let found: string | undefined;
    for (const spelling of spellings[name]) {
      const value = this.headers[spelling];
      const text = String(value ?? '').trim();
      if (text === '') continue;
      if (found !== undefined && found.toLowerCase() !== text.toLowerCase())
        throw invalid(
          `The request has two different headers svc-${name}${SECRET.has(name) ? '' : `: '${found}' and '${text}'`}.`,
        );
      found ??= text;
    }
    return found;
  });
});

/** Parameters of a path that are dataset ids: the route `/dataset/:sourceId/update/:targetId` has two. */
const datasetsIn = (url: string) =>
  [...url.matchAll(/\/(?:dataset|update)\/:(\w+)/g)].map(([, parameter]) => parameter ?? '');
const projectsIn = (url: string) => [...url.matchAll(/\/project\/:(\w+)/g)].map(([, parameter]) => parameter ?? '');

/** Refuses headers that name another project or dataset than those of the path, or an unknown service. */
export const headersMatchPath: Rule = (route) => {
  const named = { 'project-id': projectsIn(route.url), 'dataset-id': datasetsIn(route.url) };
  return {
    preValidation(request, _reply, done) {
      try {
        const service = request.platformHeader('service-id');
        if (service !== undefined && !SERVICE_IDS.includes(service.toLowerCase()))
          throw invalid(`The header svc-service-id names the unknown service '${service}'.`);
        for (const header of ['project-id', 'dataset-id'] as const) {
          const inPath = named[header].map((parameter) => (request.params as Record<string, string>)[parameter] ?? '');
          if (inPath.length === 0) continue;
          const inHeader = request.platformHeader(header);
          if (inHeader === undefined || inPath.some((id) => id.toLowerCase() === inHeader.toLowerCase())) continue;
          const ids = inPath.map((id) => `'${id}'`).join(' and ');
          throw invalid(`The header svc-${header} names '${inHeader}', but the path names ${ids}.`);
        }
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  };
};

/** Project id of a dataset, also of a deleted one. Undefined if the dataset is not visible to the caller. */
export type FindProjectOf = (caller: Caller, datasetId: string) => Promise<string | undefined>;

/**
 * For paths with a dataset but no project: the header svc-project-id must name the project of a dataset in the path, or
 * the target project in the body.
 */
export const projectHeaderMatches =
  (findProjectOf: FindProjectOf): Rule =>
  (route) => {
    const datasets = datasetsIn(route.url);
    if (datasets.length === 0 || route.url.includes('/project/:') || route.config?.access === 'public') return {};

    async function check(request: FastifyRequest) {
      const inHeader = request.platformHeader('project-id');
      // the holder of a signed link has no caller
      const caller = callerOf(request);
      if (inHeader === undefined || caller === undefined) return;
      const { targetProjectId, outputProjectId } = (request.body ?? {}) as Record<string, unknown>;
      const allowed = [targetProjectId, outputProjectId];
      const params = request.params as Record<string, string>;
      for (const parameter of datasets) {
        const project = await findProjectOf(caller, params[parameter] ?? '');
        // the handler answers 404
        if (project === undefined) return;
        allowed.push(project);
      }
      if (allowed.includes(inHeader.toLowerCase())) return;
      const ids = datasets.map((parameter) => `'${params[parameter]}'`).join(' or ');
      throw invalid(`The header svc-project-id names '${inHeader}', which is not the project of dataset ${ids}.`);
    }

    return {
      preHandler(request, _reply, done) {
        check(request).then(() => done(), done);
      },
    };
  };
