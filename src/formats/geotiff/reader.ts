import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { defineReader } from '../define.ts';
import { parseNumber } from '../number-word.ts';
import { isFloat, sampleArrays } from '../samples.ts';
import { Srid } from '../transformations.ts';
import type { Band, SampleType } from '../types.ts';
import { bandRows } from './blocks.ts';
import { Directory, tag } from './directory.ts';
import { readGeoreference } from './geokeys.ts';
import { readLayout } from './layout.ts';

export const geoTiffReader = defineReader({
  name: 'GeoTiffReader',
  description: 'A grid in GeoTIFF or BigTIFF form (.tif), the first image of the file.',
  format: 'geotiff',
  produces: 'grid',
  parameters: z.object({
    Band: z
      .int()
      .min(1)
      .describe(
        'Number of the only band that is wanted, from 1. Without it all are read, and a format of one band takes the first.',
      )
      .optional(),
    SRID: Srid.describe('Number of the coordinate system, such as 25832, instead of what the file says.').optional(),
  }),
  async read(source, { Band: only }, context) {
    const directory = await Directory.open(source);
    const layout = await readLayout(directory, source.size);
    const { width, height, type, samples } = layout;
    if (only !== undefined && only > samples)
      throw new AppError('unprocessable', `Band ${only} is not there: the image has ${samples}.`);
    const { affine, crs, located } = await readGeoreference(directory);
    if (!located)
      context.log('warning', 'The image does not say where it is; its cells are counted from the upper left corner.');
    const nodata = nodataOf(await directory.text(tag.gdalNodata), type, context);
    const band: Band = { type, ...(nodata === undefined ? {} : { nodata }) };
    const inexact = () => context.lost('Integers beyond 2^53 were rounded to 53 bits.');
    const rows = (n: number) =>
      bandRows(source, layout, { band: only === undefined ? n : only - 1, fill: nodata ?? 0, inexact });
    const bands = Array.from({ length: only === undefined ? samples : 1 }, () => band);
    return { kind: 'grid', width, height, affine, bands, rows, ...(crs === undefined ? {} : { crs }) };
  },
});

/** The number of GDAL's own tag, as a number of the samples' type. */
function nodataOf(text: string, type: SampleType, { log }: Context): number | undefined {
  if (text.trim() === '') return undefined;
  const value = parseNumber(text.trim());
  const held = value === undefined ? undefined : new sampleArrays[type](1).fill(value)[0]!;
  if (value === undefined || held === undefined || !(isFloat(type) || held === value)) {
    log(
      'warning',
      `The image declares '${text.trim().slice(0, 40)}' as its value for cells without data, which no sample can have; it is ignored.`,
    );
    return undefined;
  }
  return held;
}
