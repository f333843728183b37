import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { below } from '../projects/recursive.queries.ts';
import { seen } from '../projects/visibility.queries.ts';
import { judgedColumns, judgedDatasets, visible } from './queries.ts';
import { DatasetSummary, JudgedRow, PlacedDataset } from './record.ts';

/** Without a limit, all. */
export interface Slice {
  limit?: number | undefined;
  offset?: number | undefined;
}

const inProject = (caller: Caller, projectId: string, { limit, offset }: Slice) => sql.fragment`
  ${visible(caller)} and d.project_id = ${projectId}
  order by d.name collate "C", d.id
  ${limit === undefined ? sql.fragment`` : sql.fragment`limit ${limit}`} offset ${offset ?? 0}`;

/** What lies directly in a project, by name. */
export const listDatasets = (db: Db, caller: Caller, projectId: string, slice: Slice) =>
  db.any(sql.type(JudgedRow)`select ${judgedColumns} ${inProject(caller, projectId, slice)}`);

/** The same in a few words. */
export const listSummaries = (db: Db, caller: Caller, projectId: string, slice: Slice) =>
  db.any(sql.type(DatasetSummary.omit({ dataPath: true }))`
    select d.id, d.name, d.dataset_type ${inProject(caller, projectId, slice)}`);

/**
 * Datasets `d` in a visible project and in all that the caller sees below it, with `relative_path` from it. First which they are, then
 * each is judged by itself: joined freely, the planner may judge all datasets of the platform to find these.
 */
const placed = (caller: Caller, projectId: string, datasetType: string | undefined) => sql.fragment`
  from (
    with place as (
      select ${projectId}::uuid as id, '' as relative_path
      union all
      select p.id, case p.relative_path when '' then p.name else p.relative_path || '/' || p.name end from ${below(caller, projectId)} p),
    found as materialized (
      select d.id, d.project_id, d.name, d.dataset_type, d.dataset_format, place.relative_path
      from place join datasets d on d.project_id = place.id
      where d.deleted_at is null
        and ${datasetType === undefined ? sql.fragment`true` : sql.fragment`d.dataset_type = ${datasetType}`})
    select * from found) d
  cross join lateral (select j.rights from ${judgedDatasets(caller)} j where j.id = d.id offset 0) j
  where ${seen(sql.fragment`j`)}`;

export const countBelow = (db: Db, caller: Caller, projectId: string, datasetType?: string) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) ${placed(caller, projectId, datasetType)}`);

/** Datasets in a project and anywhere below it, by path, name and id. */
export const listBelow = (
  db: Db,
  caller: Caller,
  projectId: string,
  { datasetType, offset, limit }: { datasetType?: string | undefined; offset: number; limit: number },
) =>
  db.any(sql.type(PlacedDataset.omit({ datasetUrl: true, sasToken: true }).extend({ datasetFormat: z.string() }))`
    select d.id, d.project_id, d.name, d.relative_path, d.dataset_type, d.dataset_format
    ${placed(caller, projectId, datasetType)}
    order by d.relative_path collate "C", d.name collate "C", d.id
    limit ${limit} offset ${offset}`);
