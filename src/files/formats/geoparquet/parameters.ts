import { z } from 'zod';
import { pointsParameter } from '../bridge-parameters.ts';
import { Srid } from '../srid.ts';

export const readParameters = z.object({
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides that of the file.').optional(),
});

export const writeParameters = z.object({
  Version: z
    .enum(['1.1', '2.0'])
    .default('1.1')
    .describe(
      "Version of GeoParquet: 1.1 (geometries as WKB, with a column of their boxes) or 2.0 (Parquet's own type GEOMETRY).",
    ),
  RowGroupRows: z
    .int()
    .min(100)
    .max(10_000_000)
    .default(50_000)
    .describe('Rows of a row group, the part of a file that readers can skip. Fewer where they take more than 128 MB.'),
  ...pointsParameter,
});
