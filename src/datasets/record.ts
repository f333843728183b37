import { z } from 'zod';
import { blobAddress } from '../uploads/address.ts';

export const DATASET_TYPES = ['file', 'multidimensional', 'timeseries', 'gisvectordata', 'tiles'] as const;
export type DatasetType = (typeof DATASET_TYPES)[number];

const freeFormAnswer = () => z.any().meta({ type: 'object', additionalProperties: true });

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

export const Dataset = DatasetRow.extend({
  /** Absolute address of the bytes, without a grant. */
  dataPath: z.string(),
  /** Query that grants reading at `dataPath`. */
  sasToken: z.string().optional(),
});
export type Dataset = z.infer<typeof Dataset>;

/** `base` as `publicBase` tells it. */
export const datasetOf = (row: z.infer<typeof DatasetRow>, base: string): Dataset => ({
  ...row,
  dataPath: blobAddress(base, { area: 'dataset', name: row.id }),
});
