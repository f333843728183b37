import { z } from 'zod';
import type { Db } from '../db.ts';
import type { App } from '../http/route.ts';
import { uuidParam } from '../http/rules/forms.ts';
import { listOf } from '../http/rules/paging.ts';
import { queryEnum, queryInteger } from '../http/rules/query.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { FOUND_TYPES, FoundItem, findDatasets, findProjects } from './find.queries.ts';
import { segmentsOf } from './paths.ts';

const LONGEST_PATH = 10_000;
const Find = z.object({
  path: z.string().max(LONGEST_PATH).describe('Names parted by slashes; a slash in a name is written %2F'),
  itemType: queryEnum(FOUND_TYPES).optional(),
  projectId: uuidParam().optional(),
  limit: queryInteger(1, 1000).default(50),
});

export async function findRoutes(app: App, { db }: { db: Db }) {
  app.get(
    '/api/metadata/find',
    {
      config: { access: 'signedIn', service: 'metadata' },
      schema: {
        tags: ['projects', 'datasets'],
        summary: 'Projects and datasets of the tenant by name or path',
        description:
          'A path that begins with a slash begins at a root project, with `projectId` in that project; any other fits wherever its names stand below each other, so a name alone finds all that are called so.',
        querystring: Find,
        response: { 200: listOf(FoundItem) },
      },
    },
    async ({ caller, query }) => {
      const { path, itemType, projectId, limit } = query;
      const names = segmentsOf(path);
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
  );
}
