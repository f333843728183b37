import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import { eventsInsert } from '../outbox.ts';
import type { ItemType } from './record.ts';

/** Id of a running or queued transfer that writes or reads the dataset. */
export const findReadingTransfer = (tx: Transaction, datasetId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select locked_by as id from datasets where id = ${datasetId} and locked_by is not null
    union all select transfer_id from dataset_readers where dataset_id = ${datasetId}
    limit 1`);

/**
 * Prevents that datasets are added to these projects or their descendants until the transaction ends. The trees must be
 * locked.
 */
export const lockSubtrees = (tx: Transaction, projectIds: readonly string[]) =>
  tx.query(sql.unsafe`
    select from projects where path && ${sql.array(projectIds, 'uuid')} order by id for update`);

/** Items to purge in one statement, and the reason for the events. */
export interface Removal {
  projectIds: readonly string[];
  datasetIds: readonly string[];
  reason: 'User' | 'Retention';
  /** User and request, for the events. Absent for the retention sweep. */
  userId?: string;
  requestId?: string;
}

/**
 * Notes that these items are deleted for good, as activity of the projects above them. If not all readers of the
 * project above could see an item, only Owners of the tenant see its entry. Before `remove`.
 */
export const recordPurged = (tx: Transaction, { projectIds, datasetIds, userId }: Removal) =>
  tx.query(sql.unsafe`
    select record_activity(case b.item_type when 'Project' then 'project.purge' else 'dataset.purge' end, ${userId ?? null}, b.container_id,
      null, lower(b.item_type), b.id, b.name, above.path, restricted => b.own_source_id is not distinct from b.id or exists (
        select from permission_grants g where b.id in (g.project_id, g.dataset_id) and g.operation = 'read' and g.denied))
    from recycle_bin b join projects above on above.id = b.container_id
    where b.id = any(${sql.array([...projectIds, ...datasetIds], 'uuid')})`);

const Removed = z.object({ projects: z.number(), datasets: z.number() });
/** Numbers of deleted rows. */
export type Removed = z.infer<typeof Removed>;

const Contents = z.object({ projects: z.number(), datasets: z.number(), bytes: z.number() });

/** Counts an item of the recycle bin and all its contents. */
export const listContents = (db: Reads, { itemType, id }: { itemType: ItemType; id: string }) =>
  itemType === 'Dataset'
    ? db.one(sql.type(Contents)`
        select 0 as projects, count(*) as datasets, coalesce(sum(storage_size), 0)::bigint as bytes from datasets where id = ${id}`)
    : db.one(sql.type(Contents)`
        with doomed as materialized (select id from projects where path && ${sql.array([id], 'uuid')})
        select (select count(*) from doomed) as projects, count(*) as datasets, coalesce(sum(storage_size), 0)::bigint as bytes
        from datasets where project_id in (select id from doomed)`);

/**
 * Deletes projects with all their contents, and datasets, in one statement. Writes an event for each deleted row and
 * notes the blobs in `blob_deletions`, for a job to delete. Fires `projects_removed`, which fills `removed_projects`,
 * `projects_unbinned` and `datasets_unbinned`, which clear `recycle_bin`, and `note_deleted` for drawn tiles.
 */
export const remove = (tx: Transaction, { projectIds, datasetIds, reason, userId, requestId }: Removal) =>
  tx.one(sql.write(Removed)`
    with doomed as materialized (select id from projects where path && ${sql.array(projectIds, 'uuid')}),
    removed_datasets as (
      delete from datasets d using projects p
      where p.id = d.project_id and d.id in (
        select id from datasets where project_id in (select id from doomed)
        union all select unnest(${sql.array(datasetIds, 'uuid')}))
      returning d.id, d.name, d.dataset_type, d.project_id, p.tenant_id, d.blob),
    removed_projects as (delete from projects p where p.id in (select id from doomed) returning p.id, p.name, p.tenant_id),
    -- a blob that a staged upload references too can still be imported again; it is deleted when that reference expires
    bytes as (
      insert into blob_deletions (name)
      select blob from removed_datasets where blob is not null and not exists (select from staged_blobs s where s.blob = removed_datasets.blob)
      on conflict do nothing),
    removed as (
      select 0 as rank, 'dataset' as kind, 'Dataset destroyed' as subject, id, name, tenant_id, project_id, dataset_type
      from removed_datasets
      union all select 1, 'project', 'Project destroyed', id, name, tenant_id, id, null from removed_projects),
    told as (${eventsInsert(sql.fragment`
      select 'svc.platform.events.' || kind || 'destroyedevent', '/svc/platform/metadata', subject, tenant_id, project_id,
        ${userId ?? null}::uuid, id::text, ${requestId ?? null}::text, jsonb_strip_nulls(jsonb_build_object(
          'Id', id, 'Name', name, 'ProjectId', project_id, 'CustomerGuid', tenant_id, 'UserId', ${userId ?? null}::uuid,
          'DatasetType', dataset_type, 'Reason', ${reason}::text))
      from removed order by rank`)})
    select (select count(*) from removed_projects) as projects, (select count(*) from removed_datasets) as datasets`);
