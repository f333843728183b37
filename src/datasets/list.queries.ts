import { z } from 'zod';
import { type Fragment, type Reads, sql } from '../db.ts';
import { type FreeForm, selectPart, shown, sizeOf, textOf } from '../http/answers/long-list.queries.ts';
import { listed, type Part } from '../http/answers/long-list.ts';
import {
  absent,
  json,
  only,
  optional,
  PackedRow,
  packed,
  text,
  time,
  word,
} from '../http/answers/packed-items.queries.ts';
import { type Caller, ownedTenants } from '../http/caller.ts';
import { byShape, statement } from '../platform/sql/statements.ts';
import { ALL, rightOf } from '../projects/access.ts';
import { visibleDescendants } from '../projects/descendants.queries.ts';
import {
  CALLER_PARAMETERS,
  type CallerParameters,
  callerParameters,
  callerValues,
  isVisible,
  notDeleted,
  visibleProjects,
} from '../projects/visibility.queries.ts';
import { datasetsWithRights, hasPicture, visibleIn } from './queries.ts';
import { type Dataset, DatasetSummary, PlacedDataset } from './record.ts';

/** Parts of a long list of datasets `d`. */
export const datasetParts = {
  table: sql.fragment`datasets`,
  name: sql.fragment`d`,
  id: sql.fragment`d.id`,
  size: sizeOf([
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

/**
 * Visible datasets `d` directly in a visible project. Rights of the project are computed once; each dataset adds its
 * own permissions.
 */
const inProject = (caller: CallerParameters, projectId: Fragment) => sql.fragment`
  from ${visibleProjects(caller)} p cross join lateral (select d.*, j.rights ${visibleIn(caller)}) d
  where p.id = ${projectId}`;

/** The record of `toDataset` without `dataPath`, of large rows also without the free-form members. */
function item(free: FreeForm) {
  const freeForm = free === shown ? json : () => absent;
  return packed<keyof Omit<Dataset, 'dataPath' | 'sasToken' | 'contentProblem'>>({
    id: word(sql.fragment`d.id`),
    createdAt: time(sql.fragment`d.created_at`),
    createdBy: word(sql.fragment`d.created_by`),
    updatedAt: time(sql.fragment`d.updated_at`),
    updatedBy: word(sql.fragment`d.updated_by`),
    name: text(sql.fragment`d.name`),
    description: optional(text, sql.fragment`d.description`),
    datasetType: word(sql.fragment`d.dataset_type`),
    datasetFormat: text(sql.fragment`d.dataset_format`),
    projectId: word(sql.fragment`d.project_id`),
    metadata: freeForm(sql.fragment`d.metadata`),
    properties: freeForm(sql.fragment`d.properties`),
    tags: json(sql.fragment`case when d.tags = '{}' then '[]' else to_json(d.tags) end`),
    temporalInformation: optional(json, sql.fragment`d.temporal_information`),
    spatialInformation: optional(json, sql.fragment`d.spatial_information`),
    storageSize: json(sql.fragment`d.storage_size`),
    rowVersion: word(sql.fragment`d.row_version`),
    hasThumbnail: json(sql.fragment`(${hasPicture})::text`),
    permissions: only(
      sql.fragment`d.rights & ${rightOf('canGrantAccess')}::int <> 0`,
      json(sql.fragment`d.permissions`),
    ),
  });
}

/** `inProject` for an Owner of the project's tenant, who has all rights. Takes a third less time. */
const inOwnTenant = (caller: CallerParameters, projectId: Fragment) => sql.fragment`
  from projects p cross join lateral (
    select d.*, ${ALL}::int as rights from datasets d where d.project_id = p.id and d.deleted_at is null) d
  where p.id = ${projectId} and p.tenant_id = any(${caller.ownedTenants}) and ${notDeleted(sql.fragment`p`)}`;

const records = (from: Fragment) => ({ ...datasetParts, ...byName, from, item });

const WINDOW = {
  ...CALLER_PARAMETERS,
  projectId: 'uuid',
  after: 'text',
  afterId: 'uuid',
  limit: 'bigint',
  offset: 'bigint',
} as const;
const windows = byShape(({ asOwner, hasPosition, last }: { asOwner: boolean; hasPosition: boolean; last: boolean }) =>
  statement('list datasets', listed(PackedRow), WINDOW, ({ projectId, after, afterId, limit, offset, ...caller }) => {
    const position = hasPosition ? { value: after, id: afterId } : undefined;
    const from = asOwner ? inOwnTenant(caller, projectId) : inProject(caller, projectId);
    return selectPart({ limit, offset, position, last }, records(from));
  }),
);

/** A part of the datasets directly in a project, by name. Empty if the caller does not see the project. */
export async function listDatasets(db: Reads, caller: Caller, projectId: string, part: Part) {
  if (part.ids !== undefined) {
    const from = inProject(callerParameters(caller), sql.fragment`${projectId}::uuid`);
    return db.any(sql.type(listed(PackedRow))`${selectPart(part, records(from))}`);
  }
  const { position, limit, last, offset = 0 } = part;
  const start = { after: position?.value ?? null, afterId: position?.id ?? null };
  const values = { ...callerValues(caller), ...start, projectId, limit, offset };
  const shape = { hasPosition: position !== undefined, last };
  const owned = ownedTenants(caller).length === 0 ? [] : await db.any(windows({ asOwner: true, ...shape })(values));
  return owned.length > 0 ? owned : db.any(windows({ asOwner: false, ...shape })(values));
}

const findText = (db: Reads, datasetId: string, member: string) =>
  db.anyFirst(textOf(datasetParts, datasetId, sql.fragment`d.${sql.identifier([member])}`));

/** Access to `metadata` and `properties` as text, for long lists. */
export const datasetTexts = (db: Reads) => ({
  members: ['metadata', 'properties'],
  textOf: (id: string, member: string) => findText(db, id, member),
});

/** `listDatasets` with id, name and type only. */
export const listSummaries = (db: Reads, caller: Caller, projectId: string, part: Part) =>
  db.any(
    sql.type(listed(DatasetSummary.omit({ dataPath: true })))`${selectPart(part, {
      ...datasetParts,
      ...byName,
      from: inProject(callerParameters(caller), sql.fragment`${projectId}::uuid`),
      columns: () => sql.fragment`d.id, d.name, d.dataset_type`,
      size: sql.fragment`0`,
    })}`,
  );

/**
 * Visible datasets `d` in a visible project and its visible descendants, with their `relative_path`. The datasets are
 * materialized first and the rights of each are computed after that; with a plain join the planner may compute the
 * rights of all datasets of the platform.
 */
const datasetsBelow = (caller: Caller, projectId: string, datasetType: string | undefined) => sql.fragment`
  from (
    with place as (
      select ${projectId}::uuid as id, '' as relative_path
      union all
      select p.id, concat_ws('/', nullif(p.relative_path, ''), path_segment(p.name)) from ${visibleDescendants(caller, projectId)} p),
    found as materialized (
      select d.id, d.project_id, d.name, d.dataset_type, d.dataset_format, d.file_extension, place.relative_path
      from place join datasets d on d.project_id = place.id
      where d.deleted_at is null
        and ${datasetType === undefined ? sql.fragment`true` : sql.fragment`d.dataset_type = ${datasetType}`})
    select * from found) d
  cross join lateral (select j.rights from ${datasetsWithRights(caller)} j where j.id = d.id offset 0) j
  where ${isVisible(sql.fragment`j`)}`;

export const countDatasetsBelow = (db: Reads, caller: Caller, projectId: string, datasetType?: string) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) ${datasetsBelow(caller, projectId, datasetType)}`);

/** Datasets in a project and its descendants, ordered by path, name and id. */
export const listDatasetsBelow = (
  db: Reads,
  caller: Caller,
  projectId: string,
  { datasetType, offset, limit }: { datasetType?: string | undefined; offset: number; limit: number },
) =>
  db.any(sql.type(
    PlacedDataset.omit({ datasetUrl: true, sasToken: true }).extend({
      datasetFormat: z.string(),
      fileExtension: z.string().optional(),
    }),
  )`
    select d.id, d.project_id, d.name, d.relative_path, d.dataset_type, d.dataset_format, d.file_extension
    ${datasetsBelow(caller, projectId, datasetType)}
    order by d.relative_path collate "C", d.name collate "C", d.id
    limit ${limit} offset ${offset}`);
