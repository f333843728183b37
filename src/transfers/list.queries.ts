import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import type { Asker } from '../projects/visibility.queries.ts';
import { ASKER, askerValues, namedIn, visibleProjects } from '../projects/visibility.queries.ts';
import type { Parameters } from '../statements.ts';
import { byShape, statement } from '../statements.ts';
import type { Status } from './queries.ts';
import { Summary, summaryColumns } from './queries.ts';

export interface TransferFilter {
  from?: string | undefined;
  to?: string | undefined;
  /** Empty: any. */
  status: readonly Status[];
  projectId?: string | undefined;
  /** As input or as output. */
  datasetId?: string | undefined;
}

const LIST = {
  ...ASKER,
  from: 'timestamptz',
  to: 'timestamptz',
  status: 'text[]',
  projectId: 'uuid',
  datasetId: 'uuid',
  offset: 'bigint',
  limit: 'bigint',
} as const;
type ListParameters = Parameters<typeof LIST>;

interface Slice {
  offset: number;
  limit: number;
}

const listValues = (caller: Caller, filter: TransferFilter, { offset, limit }: Slice) => ({
  ...askerValues(caller),
  from: filter.from ?? null,
  to: filter.to ?? null,
  status: filter.status,
  projectId: filter.projectId ?? null,
  datasetId: filter.datasetId ?? null,
  offset,
  limit,
});

/** Which conditions a list has, and whether a key asks: what decides on the text of its statement. */
const shapeOf = (caller: Caller, { from, to, status, projectId, datasetId }: TransferFilter) => ({
  from: from !== undefined,
  to: to !== undefined,
  // a plan for one status reads an index of its own
  status: status.length > 0,
  project: projectId !== undefined,
  dataset: datasetId !== undefined,
  key: caller.key !== undefined,
});
type Shape = ReturnType<typeof shapeOf>;

function matching(shape: Shape, { from, to, status, projectId, datasetId }: ListParameters) {
  const parts = [];
  if (shape.from) parts.push(sql.fragment`t.created_at >= ${from}`);
  if (shape.to) parts.push(sql.fragment`t.created_at < ${to}`);
  if (shape.status) parts.push(sql.fragment`t.status = any(${status})`);
  if (shape.project) parts.push(sql.fragment`t.project_id = ${projectId}`);
  if (shape.dataset)
    parts.push(sql.fragment`(t.input_dataset_id = ${datasetId} or t.output_dataset_id = ${datasetId})`);
  return parts.length === 0 ? sql.fragment`true` : sql.join(parts, sql.fragment` and `);
}

const owns = byShape((shape: Shape) =>
  statement(
    'own transfers',
    Summary,
    LIST,
    (values) => sql.fragment`
    select ${summaryColumns} from transfers t where t.created_by = ${values.userId} and ${matching(shape, values)}
    order by t.created_at desc, t.id desc limit ${values.limit} offset ${values.offset}`,
  ),
);

/** The caller's own, newest first. */
export const listOwn = (db: Db, caller: Caller, filter: TransferFilter, slice: Slice) =>
  db.any(owns(shapeOf(caller, filter))(listValues(caller, filter, slice)));

/** A transfer in a list. */
export const ListedTransfer = Summary.extend({
  projectId: z.string(),
  progress: z.number(),
  finishedAt: z.string().optional(),
  errorMessage: z.string().optional(),
});

/**
 * What the caller sees, in the ways in which he sees it, as `visible` of `queries.ts` says: each is a walk along an index that is in the
 * order of the list. `others` leaves out what one of the ways before it shows, too.
 */
function waysToSee({ key }: Shape, asker: Asker) {
  const { ownedTenants: tenants, userId } = asker;
  const inOwn = sql.fragment`t.tenant_id = any(${tenants})`;
  const own = sql.fragment`t.created_by = ${userId}`;
  const fromOwn = sql.fragment`t.source_tenant_id = any(${tenants})`;
  // where a project can only be seen by who is named in it or above it, these are looked up and no others are judged
  const reached = key ? sql.fragment`p.tenant_id = ${asker.keyTenant}` : sql.fragment`p.path && ${namedIn(asker)}`;
  const visible = sql.fragment`
    select id from ${visibleProjects(asker)} p where ${reached} and p.tenant_id <> all(${tenants})`;
  return {
    inOwn: {
      from: sql.fragment`unnest(${tenants}) seen (id)`,
      where: sql.fragment`t.tenant_id = seen.id`,
      others: sql.fragment`true`,
    },
    own: { from: sql.fragment`(select) seen`, where: own, others: sql.fragment`not ${inOwn}` },
    fromOwn: { from: sql.fragment`(select) seen`, where: fromOwn, others: sql.fragment`not (${inOwn} or ${own})` },
    inProjects: {
      // as an array: its length is unknown, so that each project is looked up instead of all transfers being read
      from: sql.fragment`unnest(array(${visible})) seen (id)`,
      where: sql.fragment`t.project_id = seen.id`,
      others: sql.fragment`not (${own}) and (${fromOwn}) is not true`,
    },
  };
}
type Way = ReturnType<typeof waysToSee>['inOwn'];

/** How many match, told by `transfer_counts` wherever it knows that. */
function total(shape: Shape, values: ListParameters) {
  const { inOwn, own, fromOwn, inProjects } = waysToSee(shape, values);
  const { ownedTenants, userId, status } = values;
  const counted = ({ from, where, others }: Way) =>
    sql.fragment`(select count(*) from ${from} join transfers t on ${where} where ${others} and ${matching(shape, values)})`;
  const ofStatus = shape.status ? sql.fragment`and status = any(${status})` : sql.fragment``;
  const told = sql.fragment`
    (select coalesce(sum(count), 0)::bigint from transfer_counts where tenant_id = any(${ownedTenants}) ${ofStatus})
    + (select coalesce(sum(count), 0)::bigint from transfer_counts
       where created_by = ${userId} and tenant_id <> all(${ownedTenants}) ${ofStatus})`;
  const isTold = !(shape.from || shape.to || shape.project || shape.dataset);
  const first = isTold ? told : sql.fragment`${counted(inOwn)} + ${counted(own)}`;
  return sql.fragment`${first} + ${counted(fromOwn)} + ${counted(inProjects)}`;
}

const totals = byShape((shape: Shape) =>
  statement(
    'count transfers',
    z.object({ count: z.number() }),
    LIST,
    (values) => sql.fragment`
    select ${total(shape, values)} as count`,
  ),
);

const pages = byShape((shape: Shape) =>
  statement('list transfers', ListedTransfer.extend({ totalCount: z.number() }), LIST, (values) => {
    const newest = sql.fragment`order by created_at desc, id desc limit`;
    const found = Object.values(waysToSee(shape, values)).map(
      ({ from, where }) => sql.fragment`
      (select t.id, t.created_at from ${from} cross join lateral (
        select t.id, t.created_at from transfers t where ${where} and ${matching(shape, values)}
        ${newest} ${values.offset} + ${values.limit}) t)`,
    );
    return sql.fragment`
      select ${summaryColumns}, t.project_id, t.progress, t.finished_at, t.error_message, (select ${total(shape, values)}) as total_count
      from (${sql.join(found, sql.fragment` union `)} ${newest} ${values.limit} offset ${values.offset}) page
      join transfers t on t.id = page.id
      order by t.created_at desc, t.id desc`;
  }),
);

/** Newest first, with how many there are in all. */
export async function listVisible(db: Db, caller: Caller, filter: TransferFilter, slice: Slice) {
  const shape = shapeOf(caller, filter);
  const values = listValues(caller, filter, slice);
  const rows = await db.any(pages(shape)(values));
  const totalCount = rows[0]?.totalCount ?? (slice.offset === 0 ? 0 : await db.oneFirst(totals(shape)(values)));
  return { totalCount, ...slice, data: [...rows] };
}
