import { z } from 'zod';
import type { Reads } from '../db.ts';
import { type App, Routes } from '../http/route.ts';
import { uuidParam } from '../http/rules/forms.ts';
import { textUpTo } from '../http/rules/members.ts';
import { listOf } from '../http/rules/paging.ts';
import { queryEnum, queryInteger } from '../http/rules/query.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { FOUND_TYPES, FoundItem, findDatasets, findProjects } from './find.queries.ts';
import { splitPath } from './paths.ts';

const MAX_PATH_LENGTH = 10_000;
const Find = z.object({
  path: textUpTo(MAX_PATH_LENGTH, 'Names separated by slashes. Write a slash in a name as %2F.'),
  itemType: queryEnum(FOUND_TYPES).optional().describe('`Project` or `Dataset`.'),
  projectId: uuidParam().optional().describe('Only items below this project.'),
  limit: queryInteger(1, 1000).default(50).describe('Maximum number of items.'),
});

export async function findRoutes(app: App, { db }: { db: Reads }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['projects', 'datasets'] });
  routes.get('/api/metadata/find', {
    operationId: 'getFind',
    summary: 'Finds projects and datasets of the tenant by name or path',
    description:
      'With `projectId` the path starts in that project. Otherwise a path that starts with a slash starts at a root project, and any other path matches at any level; a single name finds everything of that name.',
    querystring: Find,
    response: { 200: listOf(FoundItem) },
    config: { limit: 'heavy' },
    handler: async ({ caller, query }) => {
      const { path, itemType, projectId, limit } = query;
      const names = splitPath(path);
      const from =
        projectId !== undefined
          ? { projectId: (await visibleProject(db, caller, projectId)).id }
          : path.startsWith('/')
            ? ('root' as const)
            : ('anywhere' as const);
      const wanted = { names, from };
      const projects = itemType === 'Dataset' ? [] : await findProjects(db, caller, wanted, limit);
      const datasets = itemType === 'Project' ? [] : await findDatasets(db, caller, wanted, limit - projects.length);
      const data = [...projects, ...datasets];
      return { data: data.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0)) };
    },
  });
}
