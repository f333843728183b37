import { z } from 'zod';
import { callerOf } from './auth.ts';
import type { Rule } from './rules.ts';
import type { Asker } from './signed-link.ts';
import { askerOf } from './signed-link.ts';
import type { Service } from './versions.ts';

/** Object that the path of a request names. */
export interface Addressed {
  projectId?: string | undefined;
  datasetId?: string | undefined;
}

/** Services that a tenant must have licensed (`licensing/route-gates.ts`). */
export interface RouteGates {
  guards(service: Service): boolean;
  /** Throws `forbidden` if the tenant of the object, else the caller's current tenant, lacks the feature of the service. */
  check(asker: Asker, service: Service, addressed: Addressed): Promise<void>;
}

/** Refuses requests to services that need a feature. Routes of other services get no hook. */
export const gatesRule =
  (gates: RouteGates): Rule =>
  (route) => {
    const { access, service = 'none' } = route.config ?? {};
    if (access === 'public' || service === 'none' || !gates.guards(service)) return {};
    const project = /\/project\/:(\w+)/.exec(route.url)?.[1] ?? '';
    const dataset = /\/dataset\/:(\w+)/.exec(route.url)?.[1] ?? '';
    return {
      preHandler(request, _reply, done) {
        const params = request.params as Record<string, string | undefined>;
        const datasetId = params[dataset];
        // new objects name their project in a header
        const named = datasetId === undefined ? request.platformHeader('project-id') : undefined;
        const projectId = params[project] ?? (z.guid().safeParse(named).success ? named : undefined);
        const addressed = { projectId, datasetId };
        const caller = callerOf(request);
        // the holder of a signed link has no caller
        const asker = caller === undefined ? askerOf(request) : { caller };
        gates.check(asker, service, addressed).then(() => done(), done);
      },
    };
  };
