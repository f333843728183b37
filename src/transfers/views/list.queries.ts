import { z } from 'zod';
import { type Fragment, type Reads, sql } from '../../db.ts';
import {
  json,
  optional,
  PackedRow,
  packed,
  text,
  time,
  unpacked,
  word,
} from '../../http/answers/packed-items.queries.ts';
import { type Caller, ownedTenants } from '../../http/caller.ts';
import { finishedAt, number, uuidText } from '../../http/rules/members.ts';
import { byShape, type Parameters, statement } from '../../platform/sql/statements.ts';
import {
  CALLER_PARAMETERS,
  type CallerParameters,
  callerValues,
  namedIn,
  namedProjects,
  visibleProjects,
} from '../../projects/visibility.queries.ts';
import { endsWith, type Status, Summary, summaryColumns, transferName } from '../queries.ts';

export interface TransferFilter {
  from?: string | undefined;
  to?: string | undefined;
  /** Empty: any status. */
  status: readonly Status[];
  projectId?: string | undefined;
  /** The input or the output dataset. */
  datasetId?: string | undefined;
  /** The end of the transfer's id. */
  idEnding?: string | undefined;
}

const LIST = {
  ...CALLER_PARAMETERS,
  from: 'timestamptz',
  to: 'timestamptz',
  status: 'text[]',
  projectId: 'uuid',
  datasetId: 'uuid',
  idEnding: 'text',
  offset: 'bigint',
  limit: 'bigint',
} as const;
type ListParameters = Parameters<typeof LIST>;

interface Slice {
  offset: number;
  limit: number;
}

const listValues = (caller: Caller, filter: TransferFilter, { offset, limit }: Slice) => ({
  ...callerValues(caller),
  from: filter.from ?? null,
  to: filter.to ?? null,
  status: filter.status,
  projectId: filter.projectId ?? null,
  datasetId: filter.datasetId ?? null,
  idEnding: filter.idEnding ?? null,
  offset,
  limit,
});

/** The conditions of a list and the kind of its caller, which determine the text of the statement. */
const shapeOf = (caller: Caller, { from, to, status, projectId, datasetId, idEnding }: TransferFilter) => ({
  from: from !== undefined,
  to: to !== undefined,
  status: status.length > 0,
  project: projectId !== undefined,
  dataset: datasetId !== undefined,
  ending: idEnding !== undefined,
  key: caller.key !== undefined,
  owner: ownedTenants(caller).length > 0,
  /** For an Owner: only the transfers of their own tenants. */
  ownOnly: false,
});
type Shape = ReturnType<typeof shapeOf>;

function matching(shape: Shape, { from, to, status, projectId, datasetId, idEnding }: ListParameters) {
  const parts = [sql.fragment`t.share_id is null`];
  if (shape.from) parts.push(sql.fragment`t.created_at >= ${from}`);
  if (shape.to) parts.push(sql.fragment`t.created_at < ${to}`);
  if (shape.status) parts.push(sql.fragment`t.status = any(${status})`);
  if (shape.project) parts.push(sql.fragment`t.project_id = ${projectId}`);
  if (shape.dataset)
    parts.push(sql.fragment`(t.input_dataset_id = ${datasetId} or t.output_dataset_id = ${datasetId})`);
  if (shape.ending) parts.push(endsWith(idEnding));
  return sql.join(parts, sql.fragment` and `);
}

/** Members of a `Summary` of a transfer `t`. */
const summary = (name: Fragment) => ({
  id: word(sql.fragment`t.id`),
  createdAt: time(sql.fragment`t.created_at`),
  createdBy: word(sql.fragment`t.created_by`),
  type: word(sql.fragment`t.type`),
  format: text(sql.fragment`t.format`),
  status: word(sql.fragment`t.status`),
  name: text(name),
});

const owns = byShape((shape: Shape) =>
  statement(
    'own transfers',
    PackedRow,
    LIST,
    (values) => sql.fragment`
    select ${packed<keyof Summary>(summary(transferName))} as item from transfers t where t.created_by = ${values.userId} and ${matching(shape, values)}
    order by t.created_at desc, t.id desc limit ${values.limit} offset ${values.offset}`,
  ),
);

/** Transfers that the caller started, newest first (index `transfers_creator`). */
export async function listOwn(db: Reads, caller: Caller, filter: TransferFilter, slice: Slice) {
  const rows = await db.any(owns(shapeOf(caller, filter))(listValues(caller, filter, slice)));
  return { data: rows.map((row) => unpacked(row.item)) };
}

/** A transfer in a list. */
export const ListedTransfer = Summary.extend({
  projectId: uuidText('Id of the project of the transfer.'),
  progress: number('Percent; 100 only after completion.', 100),
  finishedAt: finishedAt.optional(),
  errorMessage: z
    .string()
    .optional()
    .meta({ description: 'Why the transfer failed.', example: 'The file is no GeoTIFF.' }),
  retryOf: uuidText('Id of the transfer that this one retries.').optional(),
}).meta({ id: 'ListedTransfer' });
export type ListedTransfer = z.infer<typeof ListedTransfer>;

/**
 * The transfers of `visible` of `queries.ts` as a union of index scans, one per reason for which the caller sees a
 * transfer: started by the caller (index `transfers_creator`), in a tenant that the caller owns (`transfers_tenant`),
 * moved or copied from such a tenant (`transfers_source_tenant`), in a project that the caller sees
 * (`transfers_project`). Each scan is in the order of the list and starts from the rows `seen`; `others` excludes
 * transfers of the scans before it.
 */
function indexScans({ owner, ownOnly }: Shape, { ownedTenants: tenants, userId }: CallerParameters) {
  const inOwn = sql.fragment`t.tenant_id = any(${tenants})`;
  const own = sql.fragment`t.created_by = ${userId}`;
  const fromOwn = sql.fragment`t.source_tenant_id = any(${tenants})`;
  const once = sql.fragment`(select) seen`;
  const asOwner = {
    precounted: [
      {
        from: sql.fragment`unnest(${tenants}) seen (id)`,
        where: sql.fragment`t.tenant_id = seen.id`,
        others: sql.fragment`true`,
      },
    ],
    scanned: [{ from: once, where: fromOwn, others: sql.fragment`not (${inOwn} or ${own})` }],
  };
  if (ownOnly) return { precounted: asOwner.precounted, scanned: [] };
  return {
    /** Their number is in `transfer_counts`, if the list filters by nothing but status. */
    precounted: [{ from: once, where: own, others: sql.fragment`not ${inOwn}` }, ...(owner ? asOwner.precounted : [])],
    scanned: [
      {
        from: sql.fragment`reached seen`,
        where: sql.fragment`t.project_id = seen.id`,
        others: sql.fragment`not (${own}) and (${fromOwn}) is not true`,
      },
      ...(owner ? asOwner.scanned : []),
    ],
  };
}

/**
 * Projects outside of the caller's own tenants that they see, for `indexScans`: found by the members that the projects
 * name.
 */
function reached({ key, ownOnly }: Shape, caller: CallerParameters) {
  if (ownOnly) return sql.fragment``;
  const named = key ? sql.fragment`p.tenant_id = ${caller.keyTenant}` : sql.fragment`p.path && ${namedIn(caller)}`;
  return sql.fragment`
    with reached as materialized (
      select id from ${visibleProjects(caller)} p where ${named} and p.tenant_id <> all(${caller.ownedTenants}))`;
}

/**
 * Whether an Owner may see transfers outside of their own tenants: whether any scan besides that of `ownOnly` may find
 * some.
 */
const seesOthers = (caller: CallerParameters) => sql.fragment`
  exists (select from transfer_counts c where c.created_by = ${caller.userId} and c.tenant_id <> all(${caller.ownedTenants}) and c.count <> 0)
  or exists (select from transfers t where t.source_tenant_id = any(${caller.ownedTenants}) and t.tenant_id <> all(${caller.ownedTenants}))
  or exists (
    select from (${namedProjects(caller)}) named join projects p on p.id = named.project_id where p.tenant_id <> all(${caller.ownedTenants}))`;

/** The number of matching transfers. */
function total(shape: Shape, values: ListParameters) {
  const { precounted, scanned } = indexScans(shape, values);
  const { ownedTenants: tenants, userId, status } = values;
  const hasCounts = !(shape.from || shape.to || shape.project || shape.dataset || shape.ending);
  // one count per scan: for a join the planner might read all transfers to find those of a few projects
  const counts = (hasCounts ? scanned : [...precounted, ...scanned]).map(
    ({ from, where, others }) => sql.fragment`
    (select coalesce(sum(count), 0)::bigint from ${from} cross join lateral (
      select count(*) from transfers t where ${where} and ${others} and ${matching(shape, values)} offset 0) t)`,
  );
  const ofStatus = shape.status ? sql.fragment`and status = any(${status})` : sql.fragment``;
  const inOwn = sql.fragment`tenant_id = any(${tenants})`;
  const own = sql.fragment`created_by = ${userId}`;
  const counted = shape.ownOnly ? inOwn : shape.owner ? sql.fragment`(${own} or ${inOwn})` : own;
  if (hasCounts)
    counts.push(sql.fragment`
    (select coalesce(sum(count), 0)::bigint from transfer_counts where ${counted} ${ofStatus})`);
  return sql.join(counts, sql.fragment` + `);
}

const totals = byShape((shape: Shape) =>
  statement(
    'count transfers',
    z.object({ count: z.number() }),
    LIST,
    (values) => sql.fragment`${reached(shape, values)} select ${total(shape, values)} as count`,
  ),
);

const item = packed<keyof z.output<typeof ListedTransfer>>({
  ...summary(sql.fragment`t.name`),
  projectId: word(sql.fragment`t.project_id`),
  progress: json(sql.fragment`t.progress`),
  finishedAt: optional(time, sql.fragment`t.finished_at`),
  errorMessage: optional(text, sql.fragment`t.error_message`),
  retryOf: optional(word, sql.fragment`t.retry_of`),
});
const newest = sql.fragment`order by created_at desc, id desc`;
const listedColumns = sql.fragment`${summaryColumns}, t.project_id, t.progress, t.finished_at, t.error_message,
  t.retry_of`;

/** The first rows of each scan, as many as the page may need. A row may be in several scans. */
const candidates = (shape: Shape, values: ListParameters, columns: Fragment, union: Fragment) => {
  const { precounted, scanned } = indexScans(shape, values);
  const parts = [...precounted, ...scanned].map(
    ({ from, where }) => sql.fragment`
      (select t.* from ${from} cross join lateral (
        select ${columns} from transfers t where ${where} and ${matching(shape, values)}
        ${newest} limit ${values.offset} + ${values.limit}) t)`,
  );
  return sql.join(parts, union);
};

/** The first page reads whole rows; later pages find ids first and then look up the rows of the page only. */
const page = (shape: Shape, isFirst: boolean, values: ListParameters) =>
  isFirst
    ? sql.fragment`
      (select distinct on (t.created_at, t.id) t.* from (${candidates(shape, values, listedColumns, sql.fragment` union all `)}) t
       ${newest} limit ${values.limit}) t`
    : sql.fragment`
      (select id from (${candidates(shape, values, sql.fragment`t.id, t.created_at`, sql.fragment` union `)}) t
       ${newest} limit ${values.limit} offset ${values.offset}) page
      cross join lateral (select ${listedColumns} from transfers t where t.id = page.id offset 0) t`;

const pages = byShape(({ isFirst, ...shape }: Shape & { isFirst: boolean }) =>
  statement(
    'list transfers',
    PackedRow.extend({ totalCount: z.number(), seesOthers: z.boolean().optional() }),
    LIST,
    (values) => sql.fragment`
      ${reached(shape, values)}
      select ${item} as item, (select ${total(shape, values)}) as total_count,
        ${shape.ownOnly ? sql.fragment`(select ${seesOthers(values)})` : sql.fragment`null::boolean`} as sees_others
      from ${page(shape, isFirst, values)} order by t.created_at desc, t.id desc`,
  ),
);

/** Transfers that the caller sees, newest first, with their total number. */
export async function listVisible(db: Reads, caller: Caller, filter: TransferFilter, slice: Slice) {
  const shape = shapeOf(caller, filter);
  const values = listValues(caller, filter, slice);
  const isFirst = slice.offset === 0;
  const list = (ownOnly: boolean) => db.any(pages({ ...shape, ownOnly, isFirst })(values));
  // an Owner rarely sees transfers of other tenants, and to look for them takes as long as the page
  const own = isFirst && shape.owner && !shape.key ? await list(true) : [];
  const rows = own[0]?.seesOthers === false ? own : await list(false);
  const totalCount = rows[0]?.totalCount ?? (isFirst ? 0 : await db.oneFirst(totals(shape)(values)));
  return { totalCount, ...slice, data: rows.map((row) => unpacked(row.item)) };
}
