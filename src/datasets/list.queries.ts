import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { FreeForm } from '../http/answers/long-list.queries.ts';
import { partOf, textOf, weightOf } from '../http/answers/long-list.queries.ts';
import type { Part } from '../http/answers/long-list.ts';
import { listed } from '../http/answers/long-list.ts';
import type { Caller } from '../http/caller.ts';
import { byShape, statement } from '../platform/sql/statements.ts';
import { visibleDescendants } from '../projects/descendants.queries.ts';
import type { Asker } from '../projects/visibility.queries.ts';
import { ASKER, askerOf, askerValues, isVisible, visibleProjects } from '../projects/visibility.queries.ts';
import { datasetsWithRights, recordColumnsAs, visibleIn } from './queries.ts';
import { DatasetSummary, JudgedRow, PlacedDataset } from './record.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** Datasets `d` as a long list has them. */
export const datasetParts = {
  table: sql.fragment`datasets`,
  name: sql.fragment`d`,
  id: sql.fragment`d.id`,
  weight: weightOf([
    sql.fragment`d.description`,
    sql.fragment`d.metadata`,
    sql.fragment`d.properties`,
    sql.fragment`d.tags`,
    sql.fragment`d.temporal_information`,
    sql.fragment`d.spatial_information`,
    sql.fragment`d.permissions`,
  ]),
};
const byName = { key: { column: sql.fragment`d.name`, type: 'text' }, order: 'Asc' } as const;

/** What lies in a project that the caller sees, as `d`; the project is judged once for all, and each dataset only for what it adds. */
const inProject = (asker: Asker, projectId: Fragment) => sql.fragment`
  from ${visibleProjects(asker)} p cross join lateral (select d.*, j.rights ${visibleIn(asker)}) d
  where p.id = ${projectId}`;

const records = (asker: Asker, projectId: Fragment) => ({
  ...datasetParts,
  ...byName,
  from: inProject(asker, projectId),
  columns: (free: FreeForm) => sql.fragment`${recordColumnsAs(free)}, d.permissions, d.rights`,
});

const WINDOW = {
  ...ASKER,
  projectId: 'uuid',
  after: 'text',
  afterId: 'uuid',
  limit: 'bigint',
  offset: 'bigint',
} as const;
const windows = byShape(({ goesOn, last }: { goesOn: boolean; last: boolean }) =>
  statement('list datasets', listed(JudgedRow), WINDOW, ({ projectId, after, afterId, limit, offset, ...asker }) => {
    const position = goesOn ? { value: after, id: afterId } : undefined;
    return partOf({ limit, offset, position, last }, records(asker, projectId));
  }),
);

/** A part of what lies directly in a project, by name; nothing, too, when the caller does not see the project. */
export function listDatasets(db: Db, caller: Caller, projectId: string, part: Part) {
  if (part.ids !== undefined)
    return db.any(
      sql.type(listed(JudgedRow))`${partOf(part, records(askerOf(caller), sql.fragment`${projectId}::uuid`))}`,
    );
  const { position, limit, last, offset = 0 } = part;
  const place = { after: position?.value ?? null, afterId: position?.id ?? null };
  return db.any(
    windows({ goesOn: position !== undefined, last })({ ...askerValues(caller), ...place, projectId, limit, offset }),
  );
}

const findText = (db: Db, datasetId: string, member: string) =>
  db.maybeOneFirst(textOf(datasetParts, datasetId, sql.fragment`d.${sql.identifier([member])}`));

/** Metadata and properties of datasets, for long lists. */
export const datasetTexts = (db: Db) => ({
  members: ['metadata', 'properties'],
  textOf: (id: string, member: string) => findText(db, id, member),
});

/** The same in a few words. */
export const listSummaries = (db: Db, caller: Caller, projectId: string, part: Part) =>
  db.any(
    sql.type(listed(DatasetSummary.omit({ dataPath: true })))`${partOf(part, {
      ...datasetParts,
      ...byName,
      from: inProject(askerOf(caller), sql.fragment`${projectId}::uuid`),
      columns: () => sql.fragment`d.id, d.name, d.dataset_type`,
      weight: sql.fragment`0`,
    })}`,
  );

/**
 * Datasets `d` in a visible project and in all that the caller sees below it, with `relative_path` from it. First which they are, then
 * each is judged by itself: joined freely, the planner may judge all datasets of the platform to find these.
 */
const placed = (caller: Caller, projectId: string, datasetType: string | undefined) => sql.fragment`
  from (
    with place as (
      select ${projectId}::uuid as id, '' as relative_path
      union all
      select p.id, concat_ws('/', nullif(p.relative_path, ''), path_segment(p.name)) from ${visibleDescendants(caller, projectId)} p),
    found as materialized (
      select d.id, d.project_id, d.name, d.dataset_type, d.dataset_format, place.relative_path
      from place join datasets d on d.project_id = place.id
      where d.deleted_at is null
        and ${datasetType === undefined ? sql.fragment`true` : sql.fragment`d.dataset_type = ${datasetType}`})
    select * from found) d
  cross join lateral (select j.rights from ${datasetsWithRights(caller)} j where j.id = d.id offset 0) j
  where ${isVisible(sql.fragment`j`)}`;

export const countDatasetsBelow = (db: Db, caller: Caller, projectId: string, datasetType?: string) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) ${placed(caller, projectId, datasetType)}`);

/** Datasets in a project and anywhere below it, by path, name and id. */
export const listDatasetsBelow = (
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
