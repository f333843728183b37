import { z } from 'zod';
import type { ByteSource } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import { AppError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { defineReader } from '../define.ts';
import { withDetectedFormat } from '../detect.ts';
import { Srid } from '../srid.ts';
import { readBands } from './bands.ts';
import { bandRows } from './blocks.ts';
import { Directory, tag } from './directory.ts';
import { oddity, plainImage } from './gdal-fallback.ts';
import { readNotes } from './gdal-metadata.ts';
import { readGeoreference } from './geokeys.ts';
import { readLayout } from './layout.ts';

export const geoTiffReader = defineReader({
  name: 'GeoTiffReader',
  description: 'A grid in GeoTIFF or BigTIFF form (.tif), the first image of the file.',
  format: 'geotiff',
  produces: 'grid',
  has: ['place', 'items'],
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
    const directory = await openTiff(source);
    const odd = await oddity(directory);
    if (odd === undefined) return readImage(source, directory, only, context);
    // What is told of further images and tags is told of the file itself.
    const plain = await plainImage(source, directory, odd, context);
    await tellLosses(directory, context);
    return readImage(plain, await Directory.open(plain), only, context);
  },
});

async function openTiff(source: ByteSource): Promise<Directory> {
  try {
    return await Directory.open(source);
  } catch (error) {
    throw await withDetectedFormat(error, source, 'geotiff');
  }
}

async function readImage(
  source: ByteSource,
  directory: Directory,
  only: number | undefined,
  context: Context,
): Promise<Grid> {
  const layout = await readLayout(directory, source.size);
  const { width, height, samples } = layout;
  if (only !== undefined && only > samples)
    throw new AppError('unprocessable', `Band ${only} is not there: the image has ${samples}.`);
  const { affine, crs, located } = await readGeoreference(directory);
  if (!located)
    context.log('warning', 'The image does not say where it is; its cells are counted from the upper left corner.');
  await tellLosses(directory, context);
  const all = await readBands(directory, layout, context);
  const bands = only === undefined ? all : [all[only - 1]!];
  const { nodata = 0, exactNodata = BigInt(Number.isInteger(nodata) ? nodata : 0) } = bands[0]!;
  const rows: Grid['rows'] = ({ band }, wanted) =>
    bandRows(source, layout, {
      band: only === undefined ? band : only - 1,
      fill: nodata,
      exactFill: exactNodata,
      rows: wanted ?? { first: 0, end: height },
    });
  const place = { affine, ...(located ? {} : { located }), ...(crs === undefined ? {} : { crs }) };
  return { kind: 'grid', width, height, ...place, bands, rows };
}

/** Says what of the file nobody here carries on. */
async function tellLosses(directory: Directory, { lost }: Context): Promise<void> {
  let images = 0;
  let masks = 0;
  for await (const other of directory.others()) {
    const kind = await other.number(tag.newSubfileType, 0);
    if ((kind & 4) !== 0) masks++;
    else if ((kind & 1) === 0) images++;
  }
  if (images > 0) lost(`The file has ${images} more image${images > 1 ? 's' : ''}; only the first one was read.`);
  if (masks > 0) lost('The file has a mask of cells that count; it was left out, so that all cells count.');
  if (directory.has(tag.rationalPolynomials))
    lost('The file has a camera model (rational polynomials), which was left out.');
  const { others } = readNotes(await directory.text(tag.gdalMetadata, 'utf8'));
  if (others.length > 0) {
    const named = others.slice(0, 10).map((name) => name.slice(0, 40));
    const more = others.length > named.length ? ` and ${others.length - named.length} more` : '';
    lost(`Notes in the file were left out: ${named.join(', ')}${more}.`);
  }
}
