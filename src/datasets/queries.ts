import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import { conflict } from '../errors.ts';
import { type FreeForm, shown } from '../http/answers/long-list.queries.ts';
import type { Caller } from '../http/caller.ts';
import { statement } from '../platform/sql/statements.ts';
import { ROLES } from '../projects/access.ts';
import type { Permissions } from '../projects/permissions.ts';
import {
  CALLER_PARAMETERS,
  type CallerOrParameters,
  type CallerParameters,
  callerParameters,
  callerValues,
  isVisible,
  joinPermissions,
  notDeleted,
  projectsWithRights,
  withGrants,
} from '../projects/visibility.queries.ts';
import { DatasetRowWithRights, type DatasetType } from './record.ts';

/** Whether the dataset `d` has a thumbnail. */
export const hasPicture = sql.fragment`
  exists (select from dataset_thumbnails t where t.dataset_id = d.id and t.png_512 is not null)`;

/** Columns of the full record, from table `d`. */
export const recordColumns = recordColumnsAs(shown);

/** Columns of the full record; `free` wraps the free-form columns. */
export function recordColumnsAs(free: FreeForm) {
  return sql.fragment`
  d.id, d.created_at, d.created_by, d.updated_at, d.updated_by, d.name, d.description, d.dataset_type, d.dataset_format, d.project_id,
  ${free(sql.fragment`d.metadata`)} as metadata, ${free(sql.fragment`d.properties`)} as properties, d.tags, d.temporal_information, d.spatial_information, d.storage_size, d.row_version::text as row_version,
  ${hasPicture} as has_thumbnail`;
}

/** The full record with permissions and the caller's rights, from `visible`. */
export const columnsWithRights = sql.fragment`${recordColumns}, d.permissions, j.rights`;

/**
 * Joins the caller's role and rights as `j` to datasets `d` of `projectsWithRights` `p`: the rights on the project,
 * combined with the dataset's own permissions. See `datasetsWithRights`.
 */
function joinRights(caller: CallerParameters) {
  const own = sql.fragment`own`;
  const tenantId = sql.fragment`p.tenant_id`;
  return sql.fragment`
    ${joinPermissions(caller, own, tenantId, sql.fragment`g.dataset_id = d.id`)}
    cross join lateral (
      select p.tenant_id, p.path, p.role, ${withGrants(caller, tenantId, sql.fragment`p.rights`, own)} & ~p.denied as rights) j`;
}

/** Joins the project `p` of datasets `d` (columns `id` and `project_id`), and the rights `j`. */
export const joinProjectAndRights = (caller: CallerParameters) =>
  sql.fragment`join ${projectsWithRights(caller)} p on p.id = d.project_id ${joinRights(caller)}`;

/**
 * All datasets with the caller's rights, including deleted ones, as a table to join by `id`. Columns: `tenant_id`,
 * `path` and the caller's
 * `role` of the project, and `rights`: those on the project, combined with the dataset's own permissions.
 */
export const datasetsWithRights = (caller: CallerOrParameters) =>
  sql.fragment`(select d.id, j.* from datasets d ${joinProjectAndRights(callerParameters(caller))})`;

/** Datasets `d` visible to the caller, with the caller's rights `j`, as a `from … where` clause. */
export const visible = (caller: CallerOrParameters) => {
  const j = sql.fragment`j`;
  return sql.fragment`
    from datasets d ${joinProjectAndRights(callerParameters(caller))} where d.deleted_at is null and ${notDeleted(j)} and ${isVisible(j)}`;
};

/** Visible datasets `d` in a project `p` of `visibleProjects`, whose rights are known. */
export const visibleIn = (caller: CallerParameters) => sql.fragment`
    from datasets d ${joinRights(caller)} where d.project_id = p.id and d.deleted_at is null and ${isVisible(sql.fragment`j`)}`;

const visibleRecord = statement(
  'dataset',
  DatasetRowWithRights,
  { ...CALLER_PARAMETERS, id: 'uuid' },
  ({ id, ...caller }) => sql.fragment`
  select ${columnsWithRights}, (select b.problem from damaged_blobs b where b.name = d.blob) as content_problem
  ${visible(caller)} and d.id = ${id}`,
);

export const findDataset = (db: Reads, caller: Caller, id: string) =>
  db.maybeOne(visibleRecord({ ...callerValues(caller), id }));

/** The record for a caller who has just written the dataset, visible or not. */
export const getRecord = (tx: Transaction, caller: Caller, id: string) =>
  tx.one(sql.type(DatasetRowWithRights)`
    select ${columnsWithRights} from datasets d join ${datasetsWithRights(caller)} j on j.id = d.id where d.id = ${id}`);

const rightsOf = statement(
  'rights on dataset',
  z.object({ rights: z.number() }),
  { ...CALLER_PARAMETERS, id: 'uuid' },
  ({ id, ...caller }) => sql.fragment`
  select coalesce(j.rights, 0) as rights
  from datasets d left join ${datasetsWithRights(caller)} j on j.id = d.id where d.id = ${id}`,
);

/** The rights of a caller on a dataset, deleted or not. Null: there is none. */
export const findRights = (db: Reads, caller: Caller, id: string) =>
  db.maybeOne(rightsOf({ ...callerValues(caller), id }));

const Entry = z.object({
  id: z.string(),
  projectId: z.string(),
  tenantId: z.string(),
  name: z.string(),
  datasetType: z.string(),
  datasetFormat: z.string(),
  fileExtension: z.string().optional(),
  /** Absent for time series, whose values are rows of the database. */
  blob: z.string().optional(),
  storageSize: z.number(),
  /** Code of the coordinate system as the record has it, which clients may have written. */
  srid: z.unknown().optional(),
  rowVersion: z.string(),
  lockedBy: z.string().optional(),
  role: z.enum(ROLES).optional(),
  rights: z.number(),
});
/** A dataset with what rules check: `requireCapability({ ...dataset, id: dataset.projectId }, 'canReadContent')`. */
export type VisibleDataset = z.infer<typeof Entry>;

const entry = sql.fragment`
  d.id, d.project_id, j.tenant_id, d.name, d.dataset_type, d.dataset_format, d.file_extension, d.blob, d.storage_size,
  d.spatial_information->'srid' as srid, d.row_version::text as row_version, d.locked_by, j.role, j.rights`;

const visibleEntry = statement(
  'visible dataset',
  Entry,
  { ...CALLER_PARAMETERS, id: 'uuid' },
  ({ id, ...caller }) => sql.fragment`
  select ${entry} ${visible(caller)} and d.id = ${id}`,
);

export const findVisible = (db: Reads, caller: Caller, id: string) =>
  db.maybeOne(visibleEntry({ ...callerValues(caller), id }));

/** Id of the project of a dataset, deleted or not, visible or not. */
export const findProjectId = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ projectId: z.string() }))`select project_id from datasets where id = ${id}`);

/** Locks the row exclusively until the transaction ends. */
export const lockVisible = (tx: Transaction, caller: Caller, id: string) =>
  tx.maybeOne(sql.write(Entry)`select ${entry} ${visible(caller)} and d.id = ${id} for update of d`);

/** Visible datasets directly in a project, by name; only those in `ids` if given. */
export const listVisible = (db: Reads, caller: Caller, projectId: string, ids?: readonly string[]) =>
  db.any(sql.type(Entry)`
    select ${entry} ${visible(caller)} and d.project_id = ${projectId}
      and ${ids === undefined ? sql.fragment`true` : sql.fragment`d.id = any(${sql.array(ids, 'uuid')})`}
    order by d.name collate "C", d.id`);

/**
 * Takes a shared lock on the row until the transaction ends: others may read the dataset, but not write, move or delete
 * it.
 */
export const shareVisible = (tx: Transaction, caller: Caller, id: string) =>
  tx.maybeOne(sql.write(Entry, 'share dataset')`select ${entry} ${visible(caller)} and d.id = ${id} for share of d`);

export interface NewDataset {
  /** Generated if absent. */
  id?: string;
  projectId: string;
  name: string;
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  properties?: Record<string, unknown> | undefined;
  datasetType: DatasetType;
  datasetFormat: string;
  /** Absent: that of the format. */
  fileExtension?: string | undefined;
  spatialInformation?: object | undefined;
  temporalInformation?: object | undefined;
  /** Name in the blob store. Absent for time series. */
  blob?: string | undefined;
  /** Bytes. */
  storageSize: number;
  userId: string;
}

const jsonb = (value: object | undefined) => (value === undefined ? null : sql.jsonb(value as never));

/**
 * An insert as part of a statement. Inserts nothing if `condition` is false, or if the project or an ancestor is
 * deleted. Fires `new_vector_content`, which enqueues the drawing of tiles.
 */
export const datasetInsert = (row: NewDataset, condition = sql.fragment`true`) => sql.fragment`
  insert into datasets (id, project_id, name, description, metadata, properties, dataset_type, dataset_format, file_extension, spatial_information,
    temporal_information, blob, storage_size, created_by, updated_by)
  select coalesce(${row.id ?? null}, uuidv7()), p.id, ${row.name}, ${row.description ?? null}::text, ${sql.jsonb((row.metadata ?? {}) as never)},
    ${sql.jsonb((row.properties ?? {}) as never)}, ${row.datasetType}, ${row.datasetFormat}, ${row.fileExtension ?? null}::text, ${jsonb(row.spatialInformation)}::jsonb,
    ${jsonb(row.temporalInformation)}::jsonb, ${row.blob ?? null}::text, ${row.storageSize}::bigint, ${row.userId}::uuid, ${row.userId}::uuid
  from projects p
  where p.id = ${row.projectId} and ${condition}
    and not exists (select from projects a where a.id = any(p.path) and a.deleted_at is not null)
  returning id`;

/**
 * Fires `new_vector_content`, as `datasetInsert`.
 * @throws AppError if the project or an ancestor has been deleted in the meantime
 */
export async function insertDataset(tx: Transaction, row: NewDataset): Promise<{ id: string }> {
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
  /** Unchanged if absent, like the next two. */
  temporalInformation?: object | undefined;
  spatialInformation?: object | undefined;
  permissions?: Permissions | undefined;
}

/** Fires `datasets_permissions_changed`, which fills `permission_grants`. */
export const updateDataset = (tx: Transaction, id: string, row: DatasetChange, userId: string) =>
  tx.query(sql.unsafe`
    update datasets set name = ${row.name}, description = ${row.description ?? null},
      metadata = ${sql.jsonb(row.metadata as never)}, properties = ${sql.jsonb(row.properties as never)},
      tags = ${sql.array(row.tags, 'text')},
      temporal_information = coalesce(${jsonb(row.temporalInformation)}::jsonb, temporal_information),
      spatial_information = coalesce(${jsonb(row.spatialInformation)}::jsonb, spatial_information),
      permissions = coalesce(${jsonb(row.permissions)}::jsonb, permissions),
      row_version = row_version + 1, updated_at = now(), updated_by = ${userId}
    where id = ${id}`);

/** Fires `datasets_binned`, which fills `recycle_bin`. */
export const markDeleted = (tx: Transaction, id: string, userId: string) =>
  tx.query(sql.unsafe`
    update datasets set deleted_at = now(), deleted_by = ${userId}, row_version = row_version + 1 where id = ${id}`);
