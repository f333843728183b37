import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Database } from '../db.ts';
import { invalid } from '../errors.ts';
import { type Part, sendList } from '../http/answers/long-list.ts';
import type { Caller } from '../http/caller.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { textUpTo } from '../http/rules/members.ts';
import {
  cursorPage,
  cursorPageOf,
  cursorQuery,
  listOf,
  offsetPage,
  offsetPageOf,
  offsetQuery,
} from '../http/rules/paging.ts';
import { queryEnum } from '../http/rules/query.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { type Capability, ROLES, rightOf, roleText } from './access.ts';
import { countDescendants, listDescendants, ProjectDescendant } from './descendants.queries.ts';
import {
  countProjects,
  findText,
  listProjects,
  listRecords,
  type ProjectOrder,
  type Selection,
} from './list.queries.ts';
import { listAccess, type ProjectFilter, tenantOwnerSelection } from './list-access.ts';
import { Project, ProjectItem, type ProjectRow, toProject } from './record.ts';
import { visibleProject } from './visibility.queries.ts';

export interface ProjectLists {
  db: Database;
  /** Signs cursors. */
  cursors: Signer;
  /** Whether the recursive list exists. */
  recursive: boolean;
}

const CAPABILITIES = [
  'CanReadContent',
  'CanListContent',
  'CanCreateContent',
  'CanUpdateContent',
  'CanDeleteContent',
] as const;

/** Query parameters of all project lists. An empty `role=` is ignored. */
const filterQuery = {
  namePrefix: textUpTo(255, 'Prefix of names; case-sensitive.').optional(),
  role: z
    .array(z.union([z.literal(''), roleText()], `must be one of ${ROLES.join(', ')}`))
    .optional()
    .describe('Keeps projects in which the caller has one of these roles.'),
  capability: z
    .enum(CAPABILITIES)
    .optional()
    .describe('Keeps projects in which the caller has this capability. Not together with `role`.'),
  sortBy: queryEnum(['Name', 'CreatedAt', 'UpdatedAt']).default('Name').describe('Sort key.'),
  sortOrder: queryEnum(['Asc', 'Desc']).default('Asc').describe('`Asc` or `Desc`.'),
};
const Filter = z.object(filterQuery);
type Query = z.output<typeof Filter>;

const CursorQuery = z.object({ ...filterQuery, ...cursorQuery });
const OffsetQuery = z.object({ ...filterQuery, ...offsetQuery });

function toFilter({ namePrefix, role, capability }: Query): ProjectFilter {
  const roles = role?.filter((each) => each !== '') ?? [];
  if (roles.length > 0 && capability !== undefined) {
    throw invalid("'role' and 'capability' must not be used together.", {
      errors: { capability: ["'role' and 'capability' must not be used together."] },
    });
  }
  if (capability !== undefined) return { namePrefix, right: rightOf(`c${capability.slice(1)}` as Capability) };
  return { namePrefix, roles: roles.length > 0 ? roles : undefined };
}

const toOrder = ({ sortBy, sortOrder }: Query): ProjectOrder => ({ sortBy, sortOrder });

export async function projectListRoutes(app: App, { db, cursors, recursive }: ProjectLists) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['projects'] });

  /** Checks the filter before the parent, so that an invalid filter is 400 even if the parent is not visible. */
  async function selectionFor(caller: Caller, query: Query, parentId: string | undefined) {
    const filter = toFilter(query);
    const parent = parentId === undefined ? undefined : await visibleProject(db, caller, parentId);
    const access = await listAccess(db, caller, parent);
    return { access, selection: access.select(filter), order: toOrder(query) };
  }

  async function byCursor(caller: Caller, query: z.output<typeof CursorQuery>, parentId?: string) {
    const filter = toFilter(query);
    const order = toOrder(query);
    const page = (selection: Selection) =>
      cursorPage(
        cursors,
        query,
        ['projects', caller.userId, parentId ?? caller.tenantId ?? '', filter, order],
        (position, limit) => listProjects(db, selection, order, { position, limit }),
        (row) => ({
          value: { Name: row.name, CreatedAt: row.createdAt, UpdatedAt: row.updatedAt }[order.sortBy],
          id: row.id,
        }),
      );
    // the first page for an Owner of the tenant takes one statement; an empty page may mean 404, which the full check
    // finds out
    const ownerSelection =
      parentId === undefined || query.cursor !== undefined ? undefined : tenantOwnerSelection(caller, parentId, filter);
    const first = ownerSelection && (await page(ownerSelection));
    if (first && first.data.length > 0) return first;
    return page((await selectionFor(caller, query, parentId)).selection);
  }

  async function byOffset(caller: Caller, query: z.output<typeof OffsetQuery>, parentId?: string) {
    const { selection, order } = await selectionFor(caller, query, parentId);
    return offsetPage(
      query,
      () => countProjects(db, selection),
      (offset, limit) => listProjects(db, selection, order, { offset, limit }),
    );
  }

  async function fullList(reply: FastifyReply, caller: Caller, query: z.output<typeof OffsetQuery>, parentId?: string) {
    const { access, selection, order } = await selectionFor(caller, query, parentId);
    const list = {
      item: Project,
      freeForm: {
        members: ['metadata', 'settings'],
        textOf: (id: string, member: string) => findText(db, id, member),
      },
      rows: (part: Part) => listRecords(db, selection, order, part),
      show: (row: z.output<typeof ProjectRow>) => toProject({ ...row, ...access.of(row) }),
    };
    return sendList(reply, list, query);
  }

  routes.get('/api/metadata/project/list', {
    operationId: 'listProjects',
    summary: 'Lists root projects, with a cursor',
    querystring: CursorQuery,
    response: { 200: cursorPageOf(ProjectItem) },
    handler: async ({ caller, query }) => byCursor(caller, query),
  });

  routes.get('/api/metadata/project/offset-list', {
    operationId: 'listProjectsByOffset',
    summary: 'Lists root projects, with an offset',
    querystring: OffsetQuery,
    response: { 200: offsetPageOf(ProjectItem) },
    handler: async ({ caller, query }) => byOffset(caller, query),
  });

  routes.get('/api/metadata/project/:id/subproject/list', {
    operationId: 'listSubprojects',
    summary: 'Lists direct subprojects, with a cursor',
    params: idParam('project'),
    querystring: CursorQuery,
    response: { 200: cursorPageOf(ProjectItem) },
    handler: async ({ caller, params, query }) => byCursor(caller, query, params.id),
  });

  routes.get('/api/metadata/project/:id/subproject/offset-list', {
    operationId: 'listSubprojectsByOffset',
    summary: 'Lists direct subprojects, with an offset',
    params: idParam('project'),
    querystring: OffsetQuery,
    response: { 200: offsetPageOf(ProjectItem) },
    handler: async ({ caller, params, query }) => byOffset(caller, query, params.id),
  });

  if (recursive) {
    routes.get('/api/metadata/project/:id/offset-list-recursive', {
      operationId: 'listProjectDescendants',
      summary: 'Lists all visible descendants of a project, ordered by path, with an offset',
      params: idParam('project'),
      querystring: z.object(offsetQuery),
      response: { 200: offsetPageOf(ProjectDescendant) },
      handler: async ({ caller, params, query }) => {
        const { id } = await visibleProject(db, caller, params.id);
        return offsetPage(
          query,
          () => countDescendants(db, caller, id),
          (offset, limit) => listDescendants(db, caller, id, { offset, limit }),
        );
      },
    });
  }

  const legacy = { description: 'Returns the whole list unless `limit` is set.', querystring: OffsetQuery };

  routes.get('/api/project/list', {
    ...legacy,
    operationId: 'listProjectsLegacy',
    deprecated: true,
    summary: 'Lists root projects with members and capabilities',
    response: { 200: listOf(Project) },
    handler: async ({ caller, query }, reply) => fullList(reply, caller, query),
  });

  for (const { path, operationId } of [
    { path: '/api/project/:id/subprojects', operationId: 'listSubprojectsLegacy' },
    { path: '/api/metadata/project/:id/subprojects', operationId: 'listSubprojectsWithMembers' },
  ]) {
    routes.get(path, {
      ...legacy,
      operationId,
      deprecated: true,
      summary: 'Lists direct subprojects with members and capabilities',
      params: idParam('project'),
      response: { 200: listOf(Project) },
      handler: async ({ caller, params, query }, reply) => fullList(reply, caller, query, params.id),
    });
  }
}
