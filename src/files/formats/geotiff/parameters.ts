import { z } from 'zod';
import { cellSizeParameter } from '../bridge-parameters.ts';
import { Srid } from '../srid.ts';

export const readParameters = z.object({
  Band: z
    .int()
    .min(1)
    .describe('Number of the band to read, from 1. Default: all bands; a format with one band takes the first.')
    .optional(),
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides the file.').optional(),
});

export const writeParameters = z.object({
  Compression: z
    .enum(['Deflate', 'Lzw', 'Zstd', 'PackBits', 'None'])
    .default('Deflate')
    .describe('Lossless compression.'),
  Predictor: z
    .boolean()
    .default(true)
    .describe(
      'Compress differences of neighbouring cells (with Deflate, Lzw and Zstd), which nearly always makes the file smaller.',
    ),
  Tiled: z.boolean().default(false).describe('Store square tiles instead of strips of rows.'),
  Cog: z
    .boolean()
    .default(false)
    .describe('Write a Cloud Optimized GeoTIFF (COG): tiles, overviews, and all headers at the start.'),
  Overviews: z
    .enum(['Auto', 'Average', 'Nearest', 'None'])
    .default('Auto')
    .describe(
      'Resampling of the overviews of a Cloud Optimized GeoTIFF. Auto: Average for floats, Nearest for integers.',
    ),
  BlockSize: z
    .int()
    .min(16)
    .max(4096)
    .multipleOf(16)
    .describe('Side of a tile in cells, a multiple of 16. Default: 256, and 512 in a Cloud Optimized GeoTIFF.')
    .optional(),
  StepsAs: z
    .enum(['bands', 'files'])
    .default('bands')
    .describe('Steps of a grid over time: bands of one file, or files of a zip, one for each step.'),
  BigTiff: z
    .enum(['Auto', 'Yes', 'No'])
    .default('Auto')
    .describe('Write a BigTIFF, with 64-bit offsets. Auto: if the uncompressed grid takes 4 GB or more.'),
  ...cellSizeParameter,
});
