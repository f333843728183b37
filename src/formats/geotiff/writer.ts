import { z } from 'zod';
import { defineWriter } from '../define.ts';
import { commonType, convertSamples, sampleTypeOf } from '../samples.ts';
import { settledRows } from '../settle.ts';
import { spill } from '../spill.ts';
import type { ByteSink, Grid } from '../types.ts';
import type { GeoTags } from './directory.ts';
import { geoTagsFor } from './geokeys.ts';
import type { ImageOptions } from './image-blocks.ts';
import { ImageBlocks } from './image-blocks.ts';

export const geoTiffWriter = defineWriter({
  name: 'GeoTiffWriter',
  description: 'A grid in GeoTIFF form (.tif), with all its bands.',
  format: 'geotiff',
  accepts: ['grid'],
  parameters: z.object({
    Compression: z
      .enum(['Deflate', 'Lzw', 'Zstd', 'PackBits', 'None'])
      .default('Deflate')
      .describe('How blocks are packed, without loss.'),
    Predictor: z
      .boolean()
      .default(true)
      .describe(
        'Whether Deflate, Lzw and Zstd pack the differences of neighbours, which nearly always makes grids smaller.',
      ),
    Tiled: z.boolean().default(false).describe('Square tiles instead of strips of rows.'),
    BlockSize: z
      .int()
      .min(16)
      .max(4096)
      .multipleOf(16)
      .default(256)
      .describe('Side of a tile in cells, a multiple of 16.'),
    BigTiff: z
      .enum(['Auto', 'Yes', 'No'])
      .default('Auto')
      .describe('64-bit offsets; Auto takes them when the grid has 4 GB or more before packing.'),
  }),
  extension: '.tif',
  mediaType: 'image/tiff',
  canAppend: false,
  async write(grid, parameters, sink, context) {
    const [first, ...others] = grid.bands;
    if (others.some((band) => !Object.is(band.nodata, first!.nodata)))
      context.lost('A GeoTIFF declares one value for cells without data; that of the first band was kept.');
    if ((grid.times?.length ?? 0) > 1) context.lost('A GeoTIFF holds no time; only the first step was kept.');
    const geoTags = await geoTagsFor(grid.crs);
    if (others.length === 0 || grid.bands.every((band) => band.type !== undefined))
      return writeImage(grid, parameters, geoTags, sink, context.signal);
    const { grid: settled, close } = await spill(grid, context.scratch);
    try {
      await writeImage(settled, parameters, geoTags, sink, context.signal);
    } finally {
      await close();
    }
  },
});

async function writeImage(
  grid: Grid,
  parameters: ImageOptions,
  geoTags: GeoTags | undefined,
  sink: ByteSink,
  signal: AbortSignal,
): Promise<void> {
  const types = grid.bands.map((band) => band.type);
  let image: ImageBlocks | undefined;
  for (let band = 0; band < grid.bands.length; band++) {
    const restart = async () => {
      await image?.abandon();
      image = undefined;
      await sink.restart();
    };
    for await (const { samples } of settledRows(grid, band, restart)) {
      signal.throwIfAborted();
      const type = commonType(types.map((one) => one ?? sampleTypeOf(samples)));
      image ??= await ImageBlocks.begin(grid, type, parameters, sink);
      await image.add(convertSamples(samples, type));
    }
  }
  await image!.end(geoTags);
}
