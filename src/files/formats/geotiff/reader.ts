import type { ByteSource } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import { ConversionError } from '../../errors.ts';
import type { Context, Read } from '../define.ts';
import { readBands } from './bands.ts';
import { repairByteCounts } from './block-sizes.ts';
import { Directory, tag } from './directory.ts';
import { convertByGdal, gdalReason } from './gdal-fallback.ts';
import { parseGdalMetadata } from './gdal-metadata.ts';
import { readGeoreference } from './geokeys.ts';
import { imageRows } from './image-rows.ts';
import { readLayout } from './layout.ts';
import type { readParameters } from './parameters.ts';
import { readStepImages } from './step-images.ts';

export const read: Read<typeof readParameters> = async (source, { Band: only }, context) => {
  const head = await source.read(0, 2);
  const isZip = head[0] === 0x50 && head[1] === 0x4b;
  const open = (image: ByteSource, ofImage: Context) => readTiff(image, only, ofImage);
  return isZip ? await readStepImages(source, open, context) : await open(source, context);
};

async function readTiff(source: ByteSource, only: number | undefined, context: Context): Promise<Grid> {
  const directory = await Directory.open(source);
  const reason = await gdalReason(directory);
  if (reason === undefined) return readImage(source, directory, only, context);
  const converted = await convertByGdal(source, directory, reason, context);
  // GDAL copies only one image: report further images and tags of the original file.
  await reportLosses(directory, context);
  return readImage(converted, await Directory.open(converted), only, context);
}

async function readImage(
  source: ByteSource,
  directory: Directory,
  only: number | undefined,
  context: Context,
): Promise<Grid> {
  const layout = await readLayout(directory, context);
  repairByteCounts(layout, source.size, context);
  const { width, height, samples } = layout;
  if (only !== undefined && only > samples)
    throw new ConversionError(`The image has no band ${only}. It has ${samples}.`);
  const { affine, crs, located } = await readGeoreference(directory);
  if (!located) context.remark('The image is not georeferenced. Coordinates are cells from its upper left corner.');
  await reportLosses(directory, context);
  const all = await readBands(directory, layout, context);
  const bands = only === undefined ? all : [all[only - 1]!];
  const rows = imageRows(source, layout, { bands, only, remark: context.remark });
  const place = { affine, ...(located ? {} : { located }), ...(crs === undefined ? {} : { crs }) };
  return { kind: 'grid', width, height, ...place, bands, rows, origin: { format: 'geotiff', content: undefined } };
}

/** Reports contents of the file that are not read. */
async function reportLosses(directory: Directory, { reportLoss }: Context): Promise<void> {
  let images = 0;
  let masks = 0;
  for await (const other of directory.others()) {
    const kind = await other.number(tag.newSubfileType, 0);
    if ((kind & 4) !== 0) masks++;
    else if ((kind & 1) === 0) images++;
  }
  if (images > 0) reportLoss(`The file has ${images} more image${images > 1 ? 's' : ''}; only the first one was read.`);
  if (masks > 0) reportLoss('The file has a transparency mask; it was left out, so masked cells are visible.');
  if (directory.has(tag.rationalPolynomials))
    reportLoss('The file has rational polynomial coefficients (RPC); they were left out.');
  const { others } = parseGdalMetadata(await directory.text(tag.gdalMetadata, 'utf8'));
  if (others.length > 0) {
    const named = others.slice(0, 10).map((name) => name.slice(0, 40));
    const more = others.length > named.length ? ` and ${others.length - named.length} more` : '';
    reportLoss(`Metadata of the file were left out: ${named.join(', ')}${more}.`);
  }
}
