import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import { partOf, textOf, weightOf } from '../http/answers/long-list.queries.ts';
import type { Part } from '../http/answers/long-list.ts';
import { listed } from '../http/answers/long-list.ts';
import type { Caller } from '../http/caller.ts';
import type { SortKey, SortOrder } from '../http/rules/paging.queries.ts';
import { behindValues, pageOrder } from '../http/rules/paging.queries.ts';
import type { Position } from '../http/rules/paging.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../http/rules/paging.ts';
import type { Parameters } from '../platform/sql/statements.ts';
import { bound, byShape, statement } from '../platform/sql/statements.ts';
import { ROLES } from './access.ts';
import { itemColumns, recordColumnsAs } from './queries.ts';
import { ProjectItem, ProjectRow } from './record.ts';
import { ASKER, alive, askerValues, judgedProjects, namedProjects } from './visibility.queries.ts';

/** Projects directly below one; without a parent the root projects of a tenant. */
export interface At {
  tenantId: string | undefined;
  parentId?: string | undefined;
  /** Nothing unless the parent is there and lies in one of these. */
  ownedTenants?: readonly string[];
}

/** Which projects of a place. */
export interface Selection {
  at: At;
  namePrefix: string | undefined;
  /** Of those that are not named: who inherits members, who has members of its own. */
  inheriting: boolean;
  own: boolean;
  /** Those that were judged one by one, and which of them are kept. */
  named: readonly string[];
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

/** Where in the list to begin. */
export interface Window {
  position?: Position | undefined;
  offset?: number | undefined;
  limit: number;
}

const id = sql.fragment`p.id`;
const Named = z.object({ id: z.string(), role: z.enum(ROLES).optional(), rights: z.number() });

const namedRoots = statement(
  'named roots',
  Named,
  { ...ASKER, tenantId: 'uuid' },
  ({ tenantId, ...asker }) => sql.fragment`
  select p.id, p.role, p.rights from ${judgedProjects(asker)} p
  where p.parent_id is null and p.tenant_id = ${tenantId} and p.deleted_at is null and p.id in (${namedProjects(asker)})`,
);
const namedChildren = statement(
  'named children',
  Named,
  { ...ASKER, parentId: 'uuid' },
  ({ parentId, ...asker }) => sql.fragment`
  select p.id, p.role, p.rights from ${judgedProjects(asker)} p
  where p.parent_id = ${parentId} and p.deleted_at is null and p.id in (${namedProjects(asker)})`,
);

/** The projects of a place that name the caller as a member or in their permissions, with what he is and may do there. */
export const listNamed = (db: Db, caller: Caller, { tenantId, parentId }: At) =>
  db.any(
    parentId === undefined
      ? namedRoots({ ...askerValues(caller), tenantId: tenantId ?? null })
      : namedChildren({ ...askerValues(caller), parentId }),
  );

/** Parameters of the statements below: what a selection, an order and a window hold. */
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

const pageValues = (selection: Selection, { position, offset, limit }: Partial<Window>) => ({
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

/** What decides on the text of a statement; all else are its parameters. */
type Shape = ProjectOrder & {
  root: boolean;
  owned: boolean;
  prefixed: boolean;
  /** Of those that are not named. */
  others: 'all' | 'some' | 'none';
  anyNamed: boolean;
  goesOn: boolean;
  /** Rows that a page without an offset has at most: a number that the planner knows. */
  most?: number | undefined;
};

/** A page of usual size, a longer one, the longest one; each with the row that tells whether there is more. */
const SIZES = [DEFAULT_LIMIT + 1, 201, MAX_LIMIT + 1];

const shapeOf = (
  { at, namePrefix, inheriting, own, named }: Selection,
  { sortBy, sortOrder }: ProjectOrder,
  { position, offset, limit = Number.POSITIVE_INFINITY }: Partial<Window>,
): Shape => ({
  root: at.parentId === undefined,
  owned: at.ownedTenants !== undefined,
  prefixed: namePrefix !== undefined,
  others: inheriting && own ? 'all' : inheriting || own ? 'some' : 'none',
  anyNamed: named.length > 0,
  goesOn: position !== undefined,
  most: offset === undefined ? SIZES.find((size) => limit <= size) : undefined,
  sortBy,
  sortOrder,
});

function selected({ root, owned, prefixed, others, anyNamed }: Shape, values: Parameters<typeof PAGE>) {
  const { tenantId, parentId, ownedTenants, namePrefix, inheriting, named, kept } = values;
  const place = root
    ? sql.fragment`p.parent_id is null and p.tenant_id = ${tenantId}`
    : sql.fragment`p.parent_id = ${parentId}`;
  // looked at once, before any row
  const parent = owned
    ? sql.fragment`and (select q.tenant_id = any(${ownedTenants}) and ${alive(sql.fragment`q`)} from projects q where q.id = ${parentId})`
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

export const countProjects = (db: Db, selection: Selection) =>
  db.oneFirst(counts(shapeOf(selection, { sortBy: 'Name', sortOrder: 'Asc' }, {}))(pageValues(selection, {})));

/**
 * A page of a list as a table `p`, which a planner that does not know its limit would rather make of all projects. Without an offset it is
 * told how long a page may be, and reads the rows along an index. With one it gets which projects they are, out of an index alone, and the
 * rows of these, each looked up by its id.
 */
function page(shape: Shape, values: Parameters<typeof PAGE>) {
  const { sortBy, sortOrder, goesOn, most } = shape;
  const key = SORT_KEYS[sortBy];
  const order = sql.fragment`order by ${pageOrder(key, id, sortOrder)}`;
  const rest = goesOn
    ? sql.fragment`and ${behindValues(key, id, sortOrder, values.after, values.afterId)}`
    : sql.fragment``;
  const rows = sql.fragment`${selected(shape, values)} ${rest} ${order}`;
  if (most !== undefined) return sql.fragment`from (select p.* ${rows} limit ${most}) p ${order} limit ${values.limit}`;
  return sql.fragment`
    from (select p.id ${rows} limit ${values.limit} offset ${values.offset}) page
    cross join lateral (select * from projects p where p.id = page.id offset 0) p ${order}`;
}

const items = byShape((shape: Shape) =>
  statement('list projects', ProjectItem, PAGE, (values) => sql.fragment`select ${itemColumns} ${page(shape, values)}`),
);
export const listProjects = (db: Db, selection: Selection, order: ProjectOrder, window: Window) =>
  db.any(items(shapeOf(selection, order, window))(pageValues(selection, window)));

const projects = { table: sql.fragment`projects`, name: sql.fragment`p`, id };

/** Metadata or settings of a project as text. */
export const findText = (db: Db, projectId: string, member: string) =>
  db.maybeOneFirst(textOf(projects, projectId, sql.fragment`p.${sql.identifier([member])}`));

/** Members are counted, not read. */
const weight = sql.fragment`${weightOf([sql.fragment`p.description`, sql.fragment`p.metadata`, sql.fragment`p.settings`, sql.fragment`p.permissions`])}
  + 130 * (select count(*) from project_members m where m.project_id = p.id)`;

const recordsOf = (selection: Selection) =>
  selected(shapeOf(selection, { sortBy: 'Name', sortOrder: 'Asc' }, {}), bound(PAGE, pageValues(selection, {})));

/** A part of the same with the whole record of each, members too. */
export const listRecords = (db: Db, selection: Selection, { sortBy, sortOrder }: ProjectOrder, part: Part) =>
  db.any(
    sql.type(listed(ProjectRow))`${partOf(part, {
      ...projects,
      key: SORT_KEYS[sortBy],
      order: sortOrder,
      from: recordsOf(selection),
      columns: recordColumnsAs,
      weight,
    })}`,
  );
