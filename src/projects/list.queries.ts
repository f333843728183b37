import { z } from 'zod';
import { type Reads, sql } from '../db.ts';
import { selectPart, sizeOf, textOf } from '../http/answers/long-list.queries.ts';
import { listed, type Part } from '../http/answers/long-list.ts';
import type { Caller } from '../http/caller.ts';
import { behindValues, pageOrder, type SortKey, type SortOrder } from '../http/rules/paging.queries.ts';
import { DEFAULT_LIMIT, MAX_LIMIT, type Position } from '../http/rules/paging.ts';
import { bound, byShape, type Parameters, statement } from '../platform/sql/statements.ts';
import { ROLES } from './access.ts';
import { itemColumns, recordColumnsAs } from './queries.ts';
import { ProjectItem, ProjectRow } from './record.ts';
import {
  CALLER_PARAMETERS,
  callerValues,
  namedProjects,
  notDeleted,
  projectsWithRights,
} from './visibility.queries.ts';

/** Direct subprojects of `parentId` or, without one, the root projects of the tenant. */
export interface ListParent {
  tenantId: string | undefined;
  parentId?: string | undefined;
  /** If given, the list is empty unless the parent exists and is in one of these tenants. */
  ownedTenants?: readonly string[];
}

/**
 * Filter of a project list. Projects that name the caller (`named`) are checked one by one before the query; all others
 * are included or excluded by whether they inherit their members.
 */
export interface Selection {
  at: ListParent;
  namePrefix: string | undefined;
  /** Include unnamed projects that inherit their members. */
  inheriting: boolean;
  /** Include unnamed projects with members of their own. */
  own: boolean;
  /** Ids of projects that name the caller. */
  named: readonly string[];
  /** The ones among `named` to include. */
  kept: readonly string[];
}

const SORT_KEYS = {
  Name: { column: sql.fragment`p.name`, type: 'text' },
  CreatedAt: { column: sql.fragment`p.created_at`, type: 'timestamptz' },
  UpdatedAt: { column: sql.fragment`p.updated_at`, type: 'timestamptz' },
} as const satisfies Record<string, SortKey>;
export type ProjectSort = keyof typeof SORT_KEYS;

export interface ProjectOrder {
  sortBy: ProjectSort;
  sortOrder: SortOrder;
}

/** Page of a list: starts behind `position` or at `offset`. */
export interface ListPage {
  position?: Position | undefined;
  offset?: number | undefined;
  limit: number;
}

const id = sql.fragment`p.id`;
const Named = z.object({ id: z.string(), role: z.enum(ROLES).optional(), rights: z.number() });

const namedRoots = statement(
  'named roots',
  Named,
  { ...CALLER_PARAMETERS, tenantId: 'uuid' },
  ({ tenantId, ...caller }) => sql.fragment`
  select p.id, p.role, p.rights from ${projectsWithRights(caller)} p
  where p.parent_id is null and p.tenant_id = ${tenantId} and p.deleted_at is null and p.id in (${namedProjects(caller)})`,
);
const namedChildren = statement(
  'named children',
  Named,
  { ...CALLER_PARAMETERS, parentId: 'uuid' },
  ({ parentId, ...caller }) => sql.fragment`
  select p.id, p.role, p.rights from ${projectsWithRights(caller)} p
  where p.parent_id = ${parentId} and p.deleted_at is null and p.id in (${namedProjects(caller)})`,
);

/** Projects of the list that name the caller as a member or in a permission, with the caller's role and rights. */
export const listNamed = (db: Reads, caller: Caller, { tenantId, parentId }: ListParent) =>
  db.any(
    parentId === undefined
      ? namedRoots({ ...callerValues(caller), tenantId: tenantId ?? null })
      : namedChildren({ ...callerValues(caller), parentId }),
  );

/** SQL parameters of the statements below: the values of a selection, an order and a window. */
const PAGE = {
  tenantId: 'uuid',
  parentId: 'uuid',
  ownedTenants: 'uuid[]',
  namePrefix: 'text',
  inheriting: 'boolean',
  named: 'uuid[]',
  kept: 'uuid[]',
  after: 'text',
  afterId: 'uuid',
  offset: 'bigint',
  limit: 'bigint',
} as const;

const pageValues = (selection: Selection, { position, offset, limit }: Partial<ListPage>) => ({
  tenantId: selection.at.tenantId ?? null,
  parentId: selection.at.parentId ?? null,
  ownedTenants: selection.at.ownedTenants ?? null,
  namePrefix: selection.namePrefix ?? null,
  inheriting: selection.inheriting,
  named: selection.named,
  kept: selection.kept,
  after: position?.value ?? null,
  afterId: position?.id ?? null,
  offset: offset ?? 0,
  limit: limit ?? null,
});

/** Everything that changes the SQL text. The other values are parameters, so that few texts need to be prepared. */
type Shape = ProjectOrder & {
  root: boolean;
  owned: boolean;
  prefixed: boolean;
  /** Projects that do not name the caller: all are listed, only those selected by `inheriting`, or none. */
  others: 'all' | 'some' | 'none';
  anyNamed: boolean;
  hasPosition: boolean;
  /**
   * Literal upper bound of the limit of a page without an offset, so that the planner knows how few rows are needed.
   */
  maxRows?: number | undefined;
};

/**
 * Upper bounds for default, larger and largest pages; each has one row more, which shows whether another page follows.
 */
const PAGE_BOUNDS = [DEFAULT_LIMIT + 1, 201, MAX_LIMIT + 1];

const shapeOf = (
  { at, namePrefix, inheriting, own, named }: Selection,
  { sortBy, sortOrder }: ProjectOrder,
  { position, offset, limit = Number.POSITIVE_INFINITY }: Partial<ListPage>,
): Shape => ({
  root: at.parentId === undefined,
  owned: at.ownedTenants !== undefined,
  prefixed: namePrefix !== undefined,
  others: inheriting && own ? 'all' : inheriting || own ? 'some' : 'none',
  anyNamed: named.length > 0,
  hasPosition: position !== undefined,
  maxRows: offset === undefined ? PAGE_BOUNDS.find((bound) => limit <= bound) : undefined,
  sortBy,
  sortOrder,
});

function selected({ root, owned, prefixed, others, anyNamed }: Shape, values: Parameters<typeof PAGE>) {
  const { tenantId, parentId, ownedTenants, namePrefix, inheriting, named, kept } = values;
  const place = root
    ? sql.fragment`p.parent_id is null and p.tenant_id = ${tenantId}`
    : sql.fragment`p.parent_id = ${parentId}`;
  // an uncorrelated subquery: evaluated once, before any row is read
  const parent = owned
    ? sql.fragment`and (select q.tenant_id = any(${ownedTenants}) and ${notDeleted(sql.fragment`q`)} from projects q where q.id = ${parentId})`
    : sql.fragment``;
  const known = others === 'all' ? sql.fragment`true` : sql.fragment`p.inherits_members = ${inheriting}`;
  const choice =
    others === 'none'
      ? sql.fragment`p.id = any(${kept})`
      : anyNamed
        ? sql.fragment`(p.id = any(${kept}) or (${known} and p.id <> all(${named})))`
        : known;
  const prefix = prefixed ? sql.fragment`and starts_with(p.name collate "C", ${namePrefix})` : sql.fragment``;
  return sql.fragment`from projects p where ${place} ${parent} and p.deleted_at is null and ${choice} ${prefix}`;
}

const counts = byShape((shape: Shape) =>
  statement(
    'count projects',
    z.object({ count: z.number() }),
    PAGE,
    (values) => sql.fragment`
    select count(*) ${selected(shape, values)}`,
  ),
);

export const countProjects = (db: Reads, selection: Selection) =>
  db.oneFirst(counts(shapeOf(selection, { sortBy: 'Name', sortOrder: 'Asc' }, {}))(pageValues(selection, {})));

/**
 * A page of a list as a table `p`. A planner that does not know the limit reads and sorts all projects. Without an
 * offset, a literal limit makes it read the rows in index order. With an offset, an index-only scan skips to the ids of
 * the page, and each row is looked up by id.
 */
function page(shape: Shape, values: Parameters<typeof PAGE>) {
  const { sortBy, sortOrder, hasPosition, maxRows } = shape;
  const key = SORT_KEYS[sortBy];
  const order = sql.fragment`order by ${pageOrder(key, id, sortOrder)}`;
  const rest = hasPosition
    ? sql.fragment`and ${behindValues(key, id, sortOrder, values.after, values.afterId)}`
    : sql.fragment``;
  const rows = sql.fragment`${selected(shape, values)} ${rest} ${order}`;
  if (maxRows !== undefined)
    return sql.fragment`from (select p.* ${rows} limit ${maxRows}) p ${order} limit ${values.limit}`;
  return sql.fragment`
    from (select p.id ${rows} limit ${values.limit} offset ${values.offset}) page
    cross join lateral (select * from projects p where p.id = page.id offset 0) p ${order}`;
}

const items = byShape((shape: Shape) =>
  statement('list projects', ProjectItem, PAGE, (values) => sql.fragment`select ${itemColumns} ${page(shape, values)}`),
);
export const listProjects = (db: Reads, selection: Selection, order: ProjectOrder, window: ListPage) =>
  db.any(items(shapeOf(selection, order, window))(pageValues(selection, window)));

const projects = { table: sql.fragment`projects`, name: sql.fragment`p`, id };

/** `metadata` or `settings` of a project as text. */
export const findText = (db: Reads, projectId: string, member: string) =>
  db.anyFirst(textOf(projects, projectId, sql.fragment`p.${sql.identifier([member])}`));

/** Estimated bytes of a record: 130 for each member, which are counted and not read. */
const size = sql.fragment`${sizeOf([sql.fragment`p.description`, sql.fragment`p.metadata`, sql.fragment`p.settings`, sql.fragment`p.permissions`])}
  + 130 * (select count(*) from project_members m where m.project_id = p.id)`;

const recordsOf = (selection: Selection) =>
  selected(shapeOf(selection, { sortBy: 'Name', sortOrder: 'Asc' }, {}), bound(PAGE, pageValues(selection, {})));

/** A part of the list with full records, including members. */
export const listRecords = (db: Reads, selection: Selection, { sortBy, sortOrder }: ProjectOrder, part: Part) =>
  db.any(
    sql.type(listed(ProjectRow))`${selectPart(part, {
      ...projects,
      key: SORT_KEYS[sortBy],
      order: sortOrder,
      from: recordsOf(selection),
      columns: recordColumnsAs,
      size,
    })}`,
  );
