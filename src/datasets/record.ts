import { z } from 'zod';
import {
  component,
  createdAt,
  createdBy,
  flag,
  number,
  rowVersion,
  text,
  texts,
  updatedAt,
  updatedBy,
  uuidText,
} from '../http/rules/members.ts';
import { may } from '../projects/access.ts';
import { permissionsAnswer } from '../projects/permissions.ts';
import { freeFormAnswer, metadataAnswer } from '../projects/record.ts';
import { blobAddress } from '../uploads/address.ts';

export const DATASET_TYPES = ['file', 'multidimensional', 'timeseries', 'gisvectordata', 'tiles'] as const;
export type DatasetType = (typeof DATASET_TYPES)[number];

export const DatasetRow = z.object({
  id: uuidText('Id of the dataset.'),
  createdAt,
  createdBy,
  updatedAt,
  updatedBy,
  name: text('Name of the dataset.', 'Valley'),
  description: text('Description of the dataset.', 'Terrain of the valley').optional(),
  datasetType: text('`file`, `multidimensional`, `timeseries`, `gisvectordata` or `tiles`.', 'file'),
  datasetFormat: text('File format, such as `geotiff`.', 'geotiff'),
  projectId: uuidText('Id of the project that holds the dataset.'),
  metadata: metadataAnswer,
  properties: freeFormAnswer().describe('Free-form object; the platform adds `statistics` of the data.'),
  tags: texts('Keywords.', ['terrain']),
  temporalInformation: freeFormAnswer()
    .optional()
    .describe('Time range of the data: `startTime`, `endTime`, `interval`, `resolution`.'),
  spatialInformation: freeFormAnswer()
    .optional()
    .describe('Area of the data: `location`, `primarySpatialReference`, `srid`, `resolution`.'),
  storageSize: number('Size of the contents in bytes.', 1048576),
  rowVersion,
  hasThumbnail: flag('Whether there is a small picture of the content.'),
  contentProblem: z
    .enum(['damaged', 'missing'])
    .optional()
    .describe(
      'What the last check of the contents found; only in the record of one dataset, and only if something is wrong.',
    ),
});

const permissions = permissionsAnswer().optional();

/** A row with the caller's rights, and the dataset's own permissions, which only some callers see. */
export const DatasetRowWithRights = DatasetRow.extend({ permissions, rights: z.number() });

export const Dataset = DatasetRow.extend({
  permissions: permissions.describe(
    'Permissions of principals besides their roles; only for callers with canGrantAccess.',
  ),
  dataPath: text(
    'Address of the contents, without the signature.',
    'https://platform.example/api/blob/dataset/0192f7a2-3b44-7f0e-8c11-5d6a7e8f9012',
  ),
  sasToken: text(
    'Signed query that grants reading `dataPath` for a time.',
    'sv=1&sr=b&sp=r&se=2026-01-24T09:17:02Z&si=k1&sig=…',
  ).optional(),
}).meta({ id: 'Dataset' });
export type Dataset = z.infer<typeof Dataset>;

/**
 * The record that the caller gets. Copies member by member, in the order of answers, for speed in long lists. `base`:
 * from `publicBase`.
 */
export function toDataset(
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
    hasThumbnail: row.hasThumbnail,
    contentProblem: row.contentProblem,
    permissions: may({ rights: row.rights ?? 0 }, 'canGrantAccess') ? row.permissions : undefined,
    dataPath: dataPath(row.id, base),
  };
}

export const dataPath = (id: string, base: string) => blobAddress(base, { area: 'dataset', name: id });

/** A dataset in a list of summaries. */
export const DatasetSummary = component('DatasetSummary', {
  id: uuidText('Id of the dataset.'),
  name: text('Name of the dataset.', 'Valley'),
  datasetType: text('`file`, `multidimensional`, `timeseries`, `gisvectordata` or `tiles`.', 'file'),
  dataPath: text(
    'URL of the contents, without the signature.',
    'https://platform.example/api/blob/dataset/0192f7a2-3b44-7f0e-8c11-5d6a7e8f9012',
  ),
});

/** A dataset in a project or one of its descendants. */
export const PlacedDataset = component('PlacedDataset', {
  id: uuidText('Id of the dataset.'),
  projectId: uuidText('Id of the project that holds the dataset.'),
  name: text('Name of the dataset.', 'Valley'),
  relativePath: text(
    'Names of the folders in between, separated by slashes; empty for datasets directly in the project.',
    'surveys/2026',
  ),
  datasetType: text('`file`, `multidimensional`, `timeseries`, `gisvectordata` or `tiles`.', 'file'),
  datasetUrl: text(
    'Signed download address; only for datasets of type `file`.',
    'https://platform.example/api/blob/dataset/…?sig=…',
  ).optional(),
  sasToken: text(
    'Signed query that grants temporary access to the contents.',
    'sv=1&sr=b&sp=r&se=2026-01-24T09:17:02Z&si=k1&sig=…',
  ).optional(),
});
export type PlacedDataset = z.infer<typeof PlacedDataset>;
