import { z } from 'zod';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { component, flag, text, textUpTo, uuidText } from '../http/rules/members.ts';
import { queryDuration, queryEnum } from '../http/rules/query.ts';
import { accessLevel } from '../projects/forms.ts';
import { checkLifetime, type GrantLifetimes, HOUR_MS, MAX_GRANT_MS } from './grants.ts';
import { applyHierarchy, type HierarchyParts } from './hierarchy.ts';
import { ACTION_TYPES } from './path-actions.ts';

const MAX_PATH_LENGTH = 10_000;
const Hierarchy = component('HierarchyActions', {
  actions: z
    .array(
      z.object({
        type: queryEnum(ACTION_TYPES).describe('Kind of the action.'),
        path: textUpTo(MAX_PATH_LENGTH, 'Path in the project, segments separated by slashes.', 'surveys/2026'),
        newPath: textUpTo(MAX_PATH_LENGTH, 'Path to move to.', 'surveys/2027').optional(),
        isFolder: flag('Whether the path is a folder.').optional(),
      }),
    )
    .max(1000)
    .default([])
    .describe('Actions, in this order; all succeed or none.'),
  defaultAccessLevel: accessLevel().optional().describe('Access level of folders that are created.'),
  sasTokenExpiration: queryDuration(MAX_GRANT_MS, 'Lifetime of the tokens').optional(),
});
const Result = component('HierarchyResult', {
  projectId: uuidText('Id of the project of the path.'),
  datasetId: uuidText('Id of the dataset of the path.').optional(),
  path: text('Path in the project, segments separated by slashes.', 'surveys/2026'),
  sasToken: text('Signed query that grants access to the path.', 'sv=1&sr=b&sp=r&se=2026-01-24T09:17:02Z&si=k1&sig=…'),
});
const Results = z.object({ results: z.array(Result).describe('Results of the actions that changed something.') });
export type Results = z.infer<typeof Results>;

export async function hierarchyRoutes(
  app: App,
  { lifetimes, ...parts }: HierarchyParts & { lifetimes: GrantLifetimes },
) {
  const routes = new Routes(app, { access: 'signedIn', service: 'hierarchy', tags: ['projects', 'datasets'] });
  routes.post('/api/hierarchy/project/:id', {
    operationId: 'changeHierarchy',
    summary: 'Creates, deletes, moves and renames paths below a project, atomically',
    params: idParam('project'),
    body: Hierarchy,
    response: { 200: Results },
    config: { secretAnswer: true },
    handler: async ({ caller, params, body }) => {
      const { actions, defaultAccessLevel = 'Shared', sasTokenExpiration = HOUR_MS } = body;
      checkLifetime(sasTokenExpiration, 'rcw', lifetimes);
      const expiresAt = new Date(Date.now() + sasTokenExpiration);
      const request = { actions, accessLevel: defaultAccessLevel, expiresAt };
      return { results: await applyHierarchy(parts, caller, params.id, request) };
    },
  });
}
