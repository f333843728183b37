import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import { conflict } from '../errors.ts';
import type { FreeForm } from '../http/answers/long-list.queries.ts';
import { shown } from '../http/answers/long-list.queries.ts';
import type { Caller } from '../http/caller.ts';
import { statement } from '../platform/sql/statements.ts';
import { ROLES } from '../projects/access.ts';
import type { Permissions } from '../projects/permissions.ts';
import type { Asker, Asking } from '../projects/visibility.queries.ts';
import {
  ASKER,
  askerOf,
  askerValues,
  isVisible,
  joinPermissions,
  notDeleted,
  projectsWithRights,
  withGrants,
} from '../projects/visibility.queries.ts';
import type { DatasetType } from './record.ts';
import { JudgedRow } from './record.ts';

/** The whole record, of a table called `d`. */
export const recordColumns = recordColumnsAs(shown);

/** The same with what is done to what is free in its form. */
export function recordColumnsAs(free: FreeForm) {
  return sql.fragment`
  d.id, d.created_at, d.created_by, d.updated_at, d.updated_by, d.name, d.description, d.dataset_type, d.dataset_format, d.project_id,
  ${free(sql.fragment`d.metadata`)} as metadata, ${free(sql.fragment`d.properties`)} as properties, d.tags, d.temporal_information, d.spatial_information, d.storage_size, d.row_version::text as row_version`;
}

/** With what it is to a caller, of `visible`. */
export const judgedColumns = sql.fragment`${recordColumns}, d.permissions, j.rights`;

/**
 * Joins to datasets `d` of judged projects `p` what this caller is and may do with each, as `j`: the project's rights with what the
 * dataset's own permissions add and take away. See `datasetsWithRights`.
 */
function judgement(asker: Asker) {
  const own = sql.fragment`own`;
  const tenantId = sql.fragment`p.tenant_id`;
  return sql.fragment`
    ${joinPermissions(asker, own, tenantId, sql.fragment`g.dataset_id = d.id`)}
    cross join lateral (
      select p.tenant_id, p.path, p.role, ${withGrants(asker, tenantId, sql.fragment`p.rights`, own)} & ~p.denied as rights) j`;
}

/** The same with the project of each. */
const judgedIn = (asker: Asker) =>
  sql.fragment`join ${projectsWithRights(asker)} p on p.id = d.project_id ${judgement(asker)}`;

/**
 * What this caller is and may do with every dataset, deleted ones too, as a table to join with by `id`: `tenant_id` and `path` of its
 * project, the caller's `role` there, and `rights`: the project's with what the dataset's own permissions add and take away.
 */
export const datasetsWithRights = (asking: Asking) =>
  sql.fragment`(select d.id, j.* from datasets d ${judgedIn(askerOf(asking))})`;

/** The datasets `d` this caller sees, with `j`, what he may do with them. */
export const visible = (asking: Asking) => {
  const j = sql.fragment`j`;
  return sql.fragment`
    from datasets d ${judgedIn(askerOf(asking))} where d.deleted_at is null and ${notDeleted(j)} and ${isVisible(j)}`;
};

/** The same of those that lie in a project `p` of `visibleProjects`, which was judged already. */
export const visibleIn = (asker: Asker) => sql.fragment`
    from datasets d ${judgement(asker)} where d.project_id = p.id and d.deleted_at is null and ${isVisible(sql.fragment`j`)}`;

const visibleRecord = statement(
  'dataset',
  JudgedRow,
  { ...ASKER, id: 'uuid' },
  ({ id, ...asker }) => sql.fragment`
  select ${judgedColumns} ${visible(asker)} and d.id = ${id}`,
);

export const findDataset = (db: Db, caller: Caller, id: string) =>
  db.maybeOne(visibleRecord({ ...askerValues(caller), id }));

/** The record for who has just written it, seen or not. */
export const getRecord = (tx: Db, caller: Caller, id: string) =>
  tx.one(sql.type(JudgedRow)`
    select ${judgedColumns} from datasets d join ${datasetsWithRights(caller)} j on j.id = d.id where d.id = ${id}`);

const Entry = z.object({
  id: z.string(),
  projectId: z.string(),
  tenantId: z.string(),
  name: z.string(),
  datasetType: z.string(),
  datasetFormat: z.string(),
  blob: z.string(),
  storageSize: z.number(),
  rowVersion: z.string(),
  lockedBy: z.string().optional(),
  role: z.enum(ROLES).optional(),
  rights: z.number(),
});
/** A dataset as rules ask about it: `demand({ ...dataset, id: dataset.projectId }, 'canReadContent')`. */
export type VisibleDataset = z.infer<typeof Entry>;

const entry = sql.fragment`
  d.id, d.project_id, j.tenant_id, d.name, d.dataset_type, d.dataset_format, d.blob, d.storage_size, d.row_version::text as row_version,
  d.locked_by, j.role, j.rights`;

const visibleEntry = statement(
  'visible dataset',
  Entry,
  { ...ASKER, id: 'uuid' },
  ({ id, ...asker }) => sql.fragment`
  select ${entry} ${visible(asker)} and d.id = ${id}`,
);

export const findVisible = (db: Db, caller: Caller, id: string) =>
  db.maybeOne(visibleEntry({ ...askerValues(caller), id }));

/** The project it lies in, deleted or not, seen or not. */
export const findPlace = (tx: Db, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ projectId: z.string() }))`select project_id from datasets where id = ${id}`);

/** Locked against other writers of the row until the transaction ends. */
export const lockVisible = (tx: Db, caller: Caller, id: string) =>
  tx.maybeOne(sql.type(Entry)`select ${entry} ${visible(caller)} and d.id = ${id} for update of d`);

/** What lies directly in a project, or those of `ids` that do, by name. */
export const listVisible = (db: Db, caller: Caller, projectId: string, ids?: readonly string[]) =>
  db.any(sql.type(Entry)`
    select ${entry} ${visible(caller)} and d.project_id = ${projectId}
      and ${ids === undefined ? sql.fragment`true` : sql.fragment`d.id = any(${sql.array(ids, 'uuid')})`}
    order by d.name collate "C", d.id`);

/** Nobody writes, moves or deletes it until the transaction ends; others may read beside. */
export const shareVisible = (tx: Db, caller: Caller, id: string) =>
  tx.maybeOne(sql.prepared('share dataset', Entry)`select ${entry} ${visible(caller)} and d.id = ${id} for share of d`);

export interface NewDataset {
  /** Made when absent. */
  id?: string;
  projectId: string;
  name: string;
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  properties?: Record<string, unknown> | undefined;
  datasetType: DatasetType;
  datasetFormat: string;
  spatialInformation?: object | undefined;
  temporalInformation?: object | undefined;
  /** Name of the bytes in the blob store. */
  blob: string;
  /** Bytes. */
  storageSize: number;
  userId: string;
}

const jsonb = (value: object | undefined) => (value === undefined ? null : sql.jsonb(value as never));

/** For a statement that does more: inserts nothing when the project or one above it is deleted, or when `condition` does not hold. */
export const datasetInsert = (row: NewDataset, condition = sql.fragment`true`) => sql.fragment`
  insert into datasets (id, project_id, name, description, metadata, properties, dataset_type, dataset_format, spatial_information,
    temporal_information, blob, storage_size, created_by, updated_by)
  select coalesce(${row.id ?? null}, uuidv7()), p.id, ${row.name}, ${row.description ?? null}::text, ${sql.jsonb((row.metadata ?? {}) as never)},
    ${sql.jsonb((row.properties ?? {}) as never)}, ${row.datasetType}, ${row.datasetFormat}, ${jsonb(row.spatialInformation)}::jsonb,
    ${jsonb(row.temporalInformation)}::jsonb, ${row.blob}, ${row.storageSize}::bigint, ${row.userId}::uuid, ${row.userId}::uuid
  from projects p
  where p.id = ${row.projectId} and ${condition}
    and not exists (select from projects a where a.id = any(p.path) and a.deleted_at is not null)
  returning id`;

/** @throws AppError when the project or one above it has been deleted meanwhile */
export async function insertDataset(tx: Db, row: NewDataset): Promise<{ id: string }> {
  const made = await tx.maybeOne(sql.type(z.object({ id: z.string() }))`${datasetInsert(row)}`);
  if (!made) throw conflict('The project was deleted.');
  return made;
}

export interface DatasetChange {
  name: string;
  description?: string | undefined;
  metadata: Record<string, unknown>;
  properties: Record<string, unknown>;
  tags: readonly string[];
  /** These three stay as they are when absent. */
  temporalInformation?: object | undefined;
  spatialInformation?: object | undefined;
  permissions?: Permissions | undefined;
}

export const updateDataset = (tx: Db, id: string, row: DatasetChange, userId: string) =>
  tx.query(sql.unsafe`
    update datasets set name = ${row.name}, description = ${row.description ?? null},
      metadata = ${sql.jsonb(row.metadata as never)}, properties = ${sql.jsonb(row.properties as never)},
      tags = ${sql.array(row.tags, 'text')},
      temporal_information = coalesce(${jsonb(row.temporalInformation)}::jsonb, temporal_information),
      spatial_information = coalesce(${jsonb(row.spatialInformation)}::jsonb, spatial_information),
      permissions = coalesce(${jsonb(row.permissions)}::jsonb, permissions),
      row_version = row_version + 1, updated_at = now(), updated_by = ${userId}
    where id = ${id}`);

export const markDeleted = (tx: Db, id: string, userId: string) =>
  tx.query(sql.unsafe`
    update datasets set deleted_at = now(), deleted_by = ${userId}, row_version = row_version + 1 where id = ${id}`);
