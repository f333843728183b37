import { z } from 'zod';
import { type Reads, sql } from '../db.ts';
import { statement } from '../platform/sql/statements.ts';
import { notDeleted } from './bytes.queries.ts';

const Served = z.object({
  id: z.string(),
  name: z.string(),
  datasetType: z.string(),
  datasetFormat: z.string(),
  /** Absent: that of the format. */
  fileExtension: z.string().optional(),
  blob: z.string().optional(),
  storageSize: z.number(),
  /** Code of the coordinate system as the record has it, which clients may have written. */
  srid: z.unknown().optional(),
  rowVersion: z.string(),
});
/** A dataset as the holder of a signed link sees it. */
export type ServedDataset = z.infer<typeof Served>;

const served = statement(
  'served dataset',
  Served,
  { id: 'uuid' },
  ({ id }) => sql.fragment`
  select d.id, d.name, d.dataset_type, d.dataset_format, d.file_extension, d.blob, d.storage_size, d.spatial_information->'srid' as srid, d.row_version::text as row_version
  from datasets d where d.id = ${id} and ${notDeleted}`,
);

/** Undefined for one that is deleted, or below a deleted project. */
export const findServed = (db: Reads, id: string) => db.maybeOne(served({ id }));
