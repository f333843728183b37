import { z } from 'zod';
import { may } from '../projects/access.ts';
import { permissionsAnswer } from '../projects/permissions.ts';
import { freeFormAnswer } from '../projects/record.ts';
import { blobAddress } from '../uploads/address.ts';

export const DATASET_TYPES = ['file', 'multidimensional', 'timeseries', 'gisvectordata', 'tiles'] as const;
export type DatasetType = (typeof DATASET_TYPES)[number];

export const DatasetRow = z.object({
  id: z.string(),
  createdAt: z.string(),
  createdBy: z.string(),
  updatedAt: z.string(),
  updatedBy: z.string(),
  name: z.string(),
  description: z.string().optional(),
  datasetType: z.string(),
  datasetFormat: z.string(),
  projectId: z.string(),
  metadata: freeFormAnswer(),
  properties: freeFormAnswer(),
  tags: z.array(z.string()),
  /** `startTime, endTime, interval, resolution`. */
  temporalInformation: freeFormAnswer().optional(),
  /** `location` (WKT, WGS 84, longitude before latitude), `primarySpatialReference`, `srid`, `resolution`. */
  spatialInformation: freeFormAnswer().optional(),
  /** Bytes that `raw` returns. */
  storageSize: z.number(),
  rowVersion: z.string(),
});

const permissions = permissionsAnswer().optional();

/** What it is to a caller besides: his rights, and what it carries of its own, which not everybody sees. */
export const JudgedRow = DatasetRow.extend({ permissions, rights: z.number() });

export const Dataset = DatasetRow.extend({
  /** For those who may grant access. */
  permissions,
  /** Absolute address of the bytes, without a grant. */
  dataPath: z.string(),
  /** Query that grants reading at `dataPath`. */
  sasToken: z.string().optional(),
}).meta({ id: 'Dataset' });
export type Dataset = z.infer<typeof Dataset>;

/** What the caller gets of a row, member by member, in the order of an answer: lists have many. `base` as `publicBase` tells it. */
export function datasetOf(
  row: z.infer<typeof DatasetRow> & Partial<Pick<z.infer<typeof JudgedRow>, 'permissions' | 'rights'>>,
  base: string,
): Dataset {
  return {
    id: row.id,
    createdAt: row.createdAt,
    createdBy: row.createdBy,
    updatedAt: row.updatedAt,
    updatedBy: row.updatedBy,
    name: row.name,
    description: row.description,
    datasetType: row.datasetType,
    datasetFormat: row.datasetFormat,
    projectId: row.projectId,
    metadata: row.metadata,
    properties: row.properties,
    tags: row.tags,
    temporalInformation: row.temporalInformation,
    spatialInformation: row.spatialInformation,
    storageSize: row.storageSize,
    rowVersion: row.rowVersion,
    permissions: may({ rights: row.rights ?? 0 }, 'canGrantAccess') ? row.permissions : undefined,
    dataPath: dataPath(row.id, base),
  };
}

export const dataPath = (id: string, base: string) => blobAddress(base, { area: 'dataset', name: id });

/** A dataset in a list of a few words. */
export const DatasetSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    datasetType: z.string(),
    dataPath: z.string(),
  })
  .meta({ id: 'DatasetSummary' });

/** A dataset somewhere below a project. */
export const PlacedDataset = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    /** Names of the folders between as path segments, without a slash at either end; empty for what lies directly in the project. */
    relativePath: z.string(),
    datasetType: z.string(),
    /** Signed, of files. */
    datasetUrl: z.string().optional(),
    sasToken: z.string().optional(),
  })
  .meta({ id: 'PlacedDataset' });
