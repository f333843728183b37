import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import { callerOf } from './auth.ts';
import type { Rule } from './rules.ts';
import { compileShape } from './shapes.ts';
import { type Asker, readAsker } from './signed-link.ts';
import type { Service } from './versions.ts';

/** Ids of the objects that a request names. */
export interface Addressed {
  projectIds: readonly string[];
  datasetIds: readonly string[];
  tenantIds: readonly string[];
  transferIds: readonly string[];
  webhookIds: readonly string[];
}

/** Services that a tenant must have licensed (`licensing/route-gates.ts`). */
export interface RouteGates {
  guards(service: Service): boolean;
  /**
   * Throws `forbidden` if the tenant of an object lacks the feature of the service. Without objects, the caller's
   * current tenant is judged.
   */
  check(asker: Asker, service: Service, addressed: Addressed): Promise<void>;
}

/** Members of bodies and queries that name an object. */
const MEMBERS = {
  projectIds: ['projectId', 'outputProjectId', 'targetProjectId'],
  datasetIds: ['appendDatasetId'],
  tenantIds: ['tenantId', 'sourceTenantId', 'targetTenantId'],
  transferIds: [],
  webhookIds: [],
} as const satisfies Record<keyof Addressed, readonly string[]>;
type Kind = keyof Addressed;

/** Refuses requests to services that need a feature. Routes of other services get no hook. */
export const gatesRule =
  (gates: RouteGates): Rule =>
  (route) => {
    const { access, service = 'none', projectHeader = false } = route.config ?? {};
    if (access === 'public' || service === 'none' || !gates.guards(service)) return {};
    const projects = namesOf(route, service, 'projectIds');
    const datasets = namesOf(route, service, 'datasetIds');
    const tenants = namesOf(route, service, 'tenantIds');
    const transfers = namesOf(route, service, 'transferIds');
    const webhooks = namesOf(route, service, 'webhookIds');
    return {
      preHandler(request, _reply, done) {
        const { params, body, query } = request;
        const parts = { params, body, query } as Parts;
        const header = projectHeader ? request.platformHeader('project-id') : undefined;
        const addressed = {
          projectIds: [...idsIn(parts, projects), ...(z.guid().safeParse(header).success ? [header as string] : [])],
          datasetIds: idsIn(parts, datasets),
          tenantIds: idsIn(parts, tenants),
          transferIds: idsIn(parts, transfers),
          webhookIds: idsIn(parts, webhooks),
        };
        const caller = callerOf(request);
        // the holder of a signed link has no caller
        const asker = caller === undefined ? readAsker(request) : { caller };
        gates.check(asker, service, addressed).then(() => done(), done);
      },
    };
  };

type Parts = Record<'params' | 'body' | 'query', Record<string, unknown> | null | undefined>;
type Names = Record<keyof Parts, readonly string[]>;

const IN_PATH: Record<Kind, RegExp> = {
  projectIds: /\/project\/:(\w+)/g,
  datasetIds: /\/(?:dataset|update)\/:(\w+)/g,
  tenantIds: /\/credit\/:(\w+)/g,
  transferIds: /\/transfer\/:(\w+)/g,
  webhookIds: /\/webhook\/:(\w+)/g,
};

/** Where requests of a route name objects of this kind. */
function namesOf({ url, method, schema }: RouteOptions, service: Service, kind: Kind): Names {
  const { body, querystring } = (schema ?? {}) as Record<string, z.core.$ZodType | undefined>;
  // the other services ask which tenant is concerned with their own rules
  const members: readonly string[] = kind === 'tenantIds' && service !== 'credit' ? [] : MEMBERS[kind];
  const declared = (form: z.core.$ZodType | undefined, names: readonly string[]) =>
    names.filter((name) => form !== undefined && compileShape(form).members?.get(name.toLowerCase())?.name === name);
  // a whole project is sent, with its id
  const isProject = kind === 'projectIds' && url.endsWith('/project') && [method].flat().some((one) => one !== 'POST');
  return {
    params: [...url.matchAll(IN_PATH[kind])].map(([, name]) => name ?? ''),
    body: declared(body, isProject ? ['id', ...members] : members),
    query: declared(querystring, members),
  };
}

const idsIn = (parts: Parts, names: Names): string[] =>
  (['params', 'body', 'query'] as const)
    .flatMap((part) => names[part].map((name) => parts[part]?.[name]))
    .filter((id) => typeof id === 'string');
