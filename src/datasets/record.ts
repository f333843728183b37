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
  /** Size of the content in bytes. */
  storageSize: z.number(),
  rowVersion: z.string(),
  /** What the last check of the content found. Only in the record of one dataset, and only if something is wrong. */
  contentProblem: z.enum(['damaged', 'missing']).optional(),
});

const permissions = permissionsAnswer().optional();

/** A row with the caller's rights, and the dataset's own permissions, which only some callers see. */
export const DatasetRowWithRights = DatasetRow.extend({ permissions, rights: z.number() });

export const Dataset = DatasetRow.extend({
  /** Only for callers with canGrantAccess. */
  permissions,
  /** Absolute address of the content, without a grant. */
  dataPath: z.string(),
  /** Query string that grants reading `dataPath`. */
  sasToken: z.string().optional(),
}).meta({ id: 'Dataset' });
export type Dataset = z.infer<typeof Dataset>;

/**
 * The record that the caller gets. Copies member by member, in the order of answers, for speed in long lists. `base`:
 * from `publicBase`.
 */
export function datasetOf(
  row: z.infer<typeof DatasetRow> & Partial<Pick<z.infer<typeof DatasetRowWithRights>, 'permissions' | 'rights'>>,
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
    contentProblem: row.contentProblem,
    permissions: may({ rights: row.rights ?? 0 }, 'canGrantAccess') ? row.permissions : undefined,
    dataPath: dataPath(row.id, base),
  };
}

export const dataPath = (id: string, base: string) => blobAddress(base, { area: 'dataset', name: id });

/** A dataset in a list of summaries. */
export const DatasetSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    datasetType: z.string(),
    dataPath: z.string(),
  })
  .meta({ id: 'DatasetSummary' });

/** A dataset in a project or one of its descendants. */
export const PlacedDataset = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    /**
     * Names of the folders in between as path segments, without a slash at either end. Empty for datasets directly in
     * the project.
     */
    relativePath: z.string(),
    datasetType: z.string(),
    /** Signed download address; only for datasets of type `file`. */
    datasetUrl: z.string().optional(),
    sasToken: z.string().optional(),
  })
  .meta({ id: 'PlacedDataset' });
export type PlacedDataset = z.infer<typeof PlacedDataset>;
