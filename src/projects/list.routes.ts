import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Db } from '../db.ts';
import { invalid } from '../errors.ts';
import type { Part } from '../http/answers/long-list.ts';
import { sendList } from '../http/answers/long-list.ts';
import type { Caller } from '../http/caller.ts';
import type { App } from '../http/route.ts';
import { Id } from '../http/rules/forms.ts';
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
import type { Capability } from './access.ts';
import { ROLES, rightOf, roleText } from './access.ts';
import { BelowItem, countBelow, listBelow } from './descendants.queries.ts';
import type { ProjectOrder, Selection } from './list.queries.ts';
import { countProjects, findText, listProjects, listRecords } from './list.queries.ts';
import type { ProjectFilter } from './list-access.ts';
import { ownersSelection, standingsAt } from './list-access.ts';
import type { ProjectRow } from './record.ts';
import { Project, ProjectItem, projectOf } from './record.ts';
import { visibleProject } from './visibility.queries.ts';

export interface ProjectLists {
  db: Db;
  /** Signs cursors. */
  cursors: Signer;
  /** Whether there are lists of all levels at once. */
  recursive: boolean;
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
type Query = z.output<typeof Filter>;

const CursorQuery = z.object({ ...filterQuery, ...cursorQuery });
const OffsetQuery = z.object({ ...filterQuery, ...offsetQuery });

function filterOf({ namePrefix, role, capability }: Query): ProjectFilter {
  const roles = role?.filter((each) => each !== '') ?? [];
  if (roles.length > 0 && capability !== undefined) {
    throw invalid("'role' and 'capability' must not be used together.", {
      errors: { capability: ["'role' and 'capability' must not be used together."] },
    });
  }
  if (capability !== undefined) return { namePrefix, right: rightOf(`c${capability.slice(1)}` as Capability) };
  return { namePrefix, roles: roles.length > 0 ? roles : undefined };
}

const orderOf = ({ sortBy, sortOrder }: Query): ProjectOrder => ({ sortBy, sortOrder });

export async function projectListRoutes(app: App, { db, cursors, recursive }: ProjectLists) {
  const config = { access: 'signedIn', service: 'metadata' } as const;
  const tags = ['projects'];

  /** The filter is looked at before the parent: a wrong form is 400 wherever it is sent. */
  async function listAt(caller: Caller, query: Query, parentId: string | undefined) {
    const filter = filterOf(query);
    const place = parentId === undefined ? 'roots' : { parent: await visibleProject(db, caller, parentId) };
    const standings = await standingsAt(db, caller, place);
    return { standings, selection: standings.select(filter), order: orderOf(query) };
  }

  async function byCursor(caller: Caller, query: z.output<typeof CursorQuery>, parentId?: string) {
    const filter = filterOf(query);
    const order = orderOf(query);
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
    // an Owner's first page is one statement; whether nothing is there or there is another reason is looked at as for everybody
    const owners =
      parentId === undefined || query.cursor !== undefined ? undefined : ownersSelection(caller, parentId, filter);
    const first = owners && (await page(owners));
    if (first && first.data.length > 0) return first;
    return page((await listAt(caller, query, parentId)).selection);
  }

  async function byOffset(caller: Caller, query: z.output<typeof OffsetQuery>, parentId?: string) {
    const { selection, order } = await listAt(caller, query, parentId);
    return offsetPage(
      query,
      () => countProjects(db, selection),
      (offset, limit) => listProjects(db, selection, order, { offset, limit }),
    );
  }

  async function whole(reply: FastifyReply, caller: Caller, query: z.output<typeof OffsetQuery>, parentId?: string) {
    const { standings, selection, order } = await listAt(caller, query, parentId);
    const list = {
      item: Project,
      freeForm: {
        members: ['metadata', 'settings'],
        textOf: (id: string, member: string) => findText(db, id, member),
      },
      rows: (part: Part) => listRecords(db, selection, order, part),
      show: (row: z.output<typeof ProjectRow>) => projectOf({ ...row, ...standings.of(row) }),
    };
    return sendList(reply, list, query);
  }

  app.get(
    '/api/metadata/project/list',
    {
      config,
      schema: {
        tags,
        summary: 'Top-level projects of the tenant, page by page',
        querystring: CursorQuery,
        response: { 200: cursorPageOf(ProjectItem) },
      },
    },
    async ({ caller, query }) => byCursor(caller, query),
  );

  app.get(
    '/api/metadata/project/offset-list',
    {
      config,
      schema: {
        tags,
        summary: 'Top-level projects of the tenant, from an offset on',
        querystring: OffsetQuery,
        response: { 200: offsetPageOf(ProjectItem) },
      },
    },
    async ({ caller, query }) => byOffset(caller, query),
  );

  app.get(
    '/api/metadata/project/:id/subproject/list',
    {
      config,
      schema: {
        tags,
        summary: 'Direct subprojects that the caller sees, page by page',
        params: Id,
        querystring: CursorQuery,
        response: { 200: cursorPageOf(ProjectItem) },
      },
    },
    async ({ caller, params, query }) => byCursor(caller, query, params.id),
  );

  app.get(
    '/api/metadata/project/:id/subproject/offset-list',
    {
      config,
      schema: {
        tags,
        summary: 'Direct subprojects that the caller sees, from an offset on',
        params: Id,
        querystring: OffsetQuery,
        response: { 200: offsetPageOf(ProjectItem) },
      },
    },
    async ({ caller, params, query }) => byOffset(caller, query, params.id),
  );

  if (recursive) {
    app.get(
      '/api/metadata/project/:id/offset-list-recursive',
      {
        config,
        schema: {
          tags,
          summary: 'Everything that the caller sees below a project, by path, from an offset on',
          params: Id,
          querystring: z.object(offsetQuery),
          response: { 200: offsetPageOf(BelowItem) },
        },
      },
      async ({ caller, params, query }) => {
        const { id } = await visibleProject(db, caller, params.id);
        return offsetPage(
          query,
          () => countBelow(db, caller, id),
          (offset, limit) => listBelow(db, caller, id, { offset, limit }),
        );
      },
    );
  }

  const older = { tags, description: 'All of them, unless `limit` is sent.', querystring: OffsetQuery };

  app.get(
    '/api/project/list',
    {
      config,
      schema: {
        ...older,
        summary: 'Top-level projects of the tenant with members and capabilities',
        response: { 200: listOf(Project) },
      },
    },
    async ({ caller, query }, reply) => whole(reply, caller, query),
  );

  for (const path of ['/api/project/:id/subprojects', '/api/metadata/project/:id/subprojects']) {
    app.get(
      path,
      {
        config,
        schema: {
          ...older,
          summary: 'Direct subprojects that the caller sees, with members and capabilities',
          params: Id,
          response: { 200: listOf(Project) },
        },
      },
      async ({ caller, params, query }, reply) => whole(reply, caller, query, params.id),
    );
  }
}
