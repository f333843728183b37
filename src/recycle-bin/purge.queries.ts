import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import { eventsInsert } from '../outbox.ts';
import type { ItemType } from './record.ts';

/** Writes the dataset or reads it, now or when its turn comes. */
export const findTransferOf = (tx: Db, datasetId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select locked_by as id from datasets where id = ${datasetId} and locked_by is not null
    union all select transfer_id from dataset_readers where dataset_id = ${datasetId}
    limit 1`);

/** Nobody adds a dataset to these projects, nor to one below, until the transaction ends. Their trees are locked. */
export const lockSubtrees = (tx: Db, projectIds: readonly string[]) =>
  tx.query(sql.unsafe`
    select from projects where path && ${sql.array(projectIds, 'uuid')} order by id for update`);

/** What is removed together, and why. */
export interface Removal {
  projectIds: readonly string[];
  datasetIds: readonly string[];
  reason: 'User' | 'Retention';
  /** Who did it and by which request; the sweep is nobody. */
  userId?: string;
  requestId?: string;
}

const Removed = z.object({ projects: z.number(), datasets: z.number() });
/** How many rows went. */
export type Removed = z.infer<typeof Removed>;

const Contents = z.object({ projects: z.number(), datasets: z.number(), bytes: z.number() });

/** What goes with an item of the bin: itself and all that is below it. */
export const contentsOf = (db: Db, { itemType, id }: { itemType: ItemType; id: string }) =>
  itemType === 'Dataset'
    ? db.one(sql.type(Contents)`
        select 0 as projects, count(*) as datasets, coalesce(sum(storage_size), 0)::bigint as bytes from datasets where id = ${id}`)
    : db.one(sql.type(Contents)`
        with doomed as materialized (select id from projects where path && ${sql.array([id], 'uuid')})
        select (select count(*) from doomed) as projects, count(*) as datasets, coalesce(sum(storage_size), 0)::bigint as bytes
        from datasets where project_id in (select id from doomed)`);

/**
 * Projects with all that is below them, and datasets; an event for each row, and the names of their bytes, for a job to remove. One
 * statement, so all or nothing.
 */
export const remove = (tx: Db, { projectIds, datasetIds, reason, userId, requestId }: Removal) =>
  tx.one(sql.type(Removed)`
    with doomed as materialized (select id from projects where path && ${sql.array(projectIds, 'uuid')}),
    removed_datasets as (
      delete from datasets d using projects p
      where p.id = d.project_id and d.id in (
        select id from datasets where project_id in (select id from doomed)
        union all select unnest(${sql.array(datasetIds, 'uuid')}))
      returning d.id, d.name, d.dataset_type, d.project_id, p.tenant_id, d.blob),
    removed_projects as (delete from projects p where p.id in (select id from doomed) returning p.id, p.name, p.tenant_id),
    -- what a place for uploads names too may be taken from there again; it goes when that place lets go of it
    bytes as (
      insert into spent_blobs (name)
      select blob from removed_datasets where not exists (select from staged_blobs s where s.blob = removed_datasets.blob)
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
