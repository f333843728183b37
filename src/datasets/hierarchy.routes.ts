import { z } from 'zod';
import type { App } from '../http/route.ts';
import { Id } from '../http/rules/forms.ts';
import { queryDuration, queryEnum } from '../http/rules/query.ts';
import { accessLevel } from '../projects/forms.ts';
import { checkLifetime, type GrantLifetimes, HOUR_MS, MAX_GRANT_MS } from './grants.ts';
import { ACTION_TYPES, applyHierarchy, type HierarchyParts } from './hierarchy.ts';

const MAX_PATH_LENGTH = 10_000;
const Hierarchy = z
  .object({
    actions: z
      .array(
        z.object({
          type: queryEnum(ACTION_TYPES),
          path: z.string().max(MAX_PATH_LENGTH),
          newPath: z.string().max(MAX_PATH_LENGTH).optional(),
          isFolder: z.boolean().optional(),
        }),
      )
      .max(1000)
      .default([]),
    defaultAccessLevel: accessLevel().optional(),
    sasTokenExpiration: queryDuration(MAX_GRANT_MS).optional(),
  })
  .meta({ id: 'HierarchyActions' });
const Result = z
  .object({
    projectId: z.string(),
    datasetId: z.string().optional(),
    path: z.string(),
    sasToken: z.string(),
  })
  .meta({ id: 'HierarchyResult' });
const Results = z.object({ results: z.array(Result) });
export type Results = z.infer<typeof Results>;

export async function hierarchyRoutes(
  app: App,
  { lifetimes, ...parts }: HierarchyParts & { lifetimes: GrantLifetimes },
) {
  app.post(
    '/api/hierarchy/project/:id',
    {
      config: { access: 'signedIn', service: 'hierarchy', secretAnswer: true },
      schema: {
        tags: ['projects', 'datasets'],
        operationId: 'changeHierarchy',
        summary: 'Creates, deletes, moves and renames paths below a project, atomically',
        params: Id,
        body: Hierarchy,
        response: { 200: Results },
      },
    },
    async ({ caller, params, body }) => {
      const { actions, defaultAccessLevel = 'Shared', sasTokenExpiration = HOUR_MS } = body;
      checkLifetime(sasTokenExpiration, 'rcw', lifetimes);
      const expiresAt = new Date(Date.now() + sasTokenExpiration);
      const request = { actions, accessLevel: defaultAccessLevel, expiresAt };
      return { results: await applyHierarchy(parts, caller, params.id, request) };
    },
  );
}
