import { z } from 'zod';
import type { Db } from '../db.ts';
import { invalid } from '../errors.ts';
import { cursorPage, cursorPageOf, cursorQuery, offsetPage, offsetPageOf, offsetQuery } from '../http/paging.ts';
import { queryEnum } from '../http/query.ts';
import type { App } from '../http/route.ts';
import type { Signer } from '../signing-keys.ts';
import type { Capability } from './access.ts';
import { ROLES, rightOf, roleText } from './access.ts';
import type { ProjectFilter, ProjectOrder } from './list.queries.ts';
import { countRoots, listRoots } from './list.queries.ts';
import { ProjectItem } from './record.ts';

export interface ProjectLists {
  db: Db;
  /** Signs cursors. */
  cursors: Signer;
}

const CAPABILITIES = [
  'CanReadContent',
  'CanListContent',
  'CanCreateContent',
  'CanUpdateContent',
  'CanDeleteContent',
] as const;

/** Query members that all lists of projects share. `role=` counts as absent. */
const filterQuery = {
  namePrefix: z.string().max(255).optional(),
  role: z.array(z.union([z.literal(''), roleText()], `must be one of ${ROLES.join(', ')}`)).optional(),
  capability: z.enum(CAPABILITIES).optional(),
  sortBy: queryEnum(['Name', 'CreatedAt', 'UpdatedAt']).default('Name'),
  sortOrder: queryEnum(['Asc', 'Desc']).default('Asc'),
};
const Filter = z.object(filterQuery);

function filterOf({ namePrefix, role, capability }: z.output<typeof Filter>): ProjectFilter {
  const roles = role?.filter((each) => each !== '') ?? [];
  if (roles.length > 0 && capability !== undefined) {
    throw invalid("'role' and 'capability' must not be used together.", {
      errors: { capability: ["'role' and 'capability' must not be used together."] },
    });
  }
  if (capability !== undefined) return { namePrefix, right: rightOf(`c${capability.slice(1)}` as Capability) };
  return { namePrefix, roles: roles.length > 0 ? roles : undefined };
}

const orderOf = ({ sortBy, sortOrder }: z.output<typeof Filter>): ProjectOrder => ({ sortBy, sortOrder });

export async function projectListRoutes(app: App, { db, cursors }: ProjectLists) {
  const config = { access: 'signedIn', service: 'metadata' } as const;
  const tags = ['projects'];

  app.get(
    '/api/metadata/project/list',
    {
      config,
      schema: {
        tags,
        summary: 'Top-level projects of the tenant, page by page',
        querystring: z.object({ ...filterQuery, ...cursorQuery }),
        response: { 200: cursorPageOf(ProjectItem) },
      },
    },
    async ({ caller, query }) => {
      const filter = filterOf(query);
      const order = orderOf(query);
      const scope = ['projects', caller.userId, caller.tenantId ?? '', filter, order];
      return cursorPage(
        cursors,
        query,
        scope,
        (position, limit) => listRoots(db, caller, filter, order, { position, limit }),
        (row) => ({
          value: { Name: row.name, CreatedAt: row.createdAt, UpdatedAt: row.updatedAt }[order.sortBy],
          id: row.id,
        }),
      );
    },
  );

  app.get(
    '/api/metadata/project/offset-list',
    {
      config,
      schema: {
        tags,
        summary: 'Top-level projects of the tenant, from an offset on',
        querystring: z.object({ ...filterQuery, ...offsetQuery }),
        response: { 200: offsetPageOf(ProjectItem) },
      },
    },
    async ({ caller, query }) => {
      const filter = filterOf(query);
      return offsetPage(
        query,
        () => countRoots(db, caller, filter),
        (offset, limit) => listRoots(db, caller, filter, orderOf(query), { offset, limit }),
      );
    },
  );
}
