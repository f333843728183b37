import type { Band, Grid } from '../../data/grid.ts';
import { isFloat } from '../../data/samples.ts';
import { bytesPerValue, type StoredType } from '../../data/stored-values.ts';
import { type GeoTags, tag } from './directory.ts';
import { formatGdalMetadata } from './gdal-metadata.ts';
import { compressions, type ImageBlocks, type ImageOptions, isPredicted, type Raster } from './image-blocks.ts';
import { type Field, geoFields } from './write-directory.ts';

/** Tags for the samples and blocks of an image. `shift` is added to the offsets of blocks. */
export function imageFields(
  raster: Raster,
  type: StoredType,
  options: ImageOptions,
  blocks: Pick<ImageBlocks, 'offsets' | 'byteCounts' | 'blockRows'>,
  shift = 0,
): Field[] {
  const { width, height, bands } = raster;
  const each = (value: number) => bands.map(() => value);
  const float = isFloat(type);
  const fields: Field[] = [
    { tag: tag.imageWidth, type: 'long', values: [width] },
    { tag: tag.imageLength, type: 'long', values: [height] },
    { tag: tag.bitsPerSample, type: 'short', values: each(bytesPerValue(type) * 8) },
    { tag: tag.compression, type: 'short', values: [compressions[options.Compression]] },
    { tag: tag.samplesPerPixel, type: 'short', values: [bands.length] },
    { tag: tag.planarConfiguration, type: 'short', values: [bands.length === 1 ? 1 : 2] },
    { tag: tag.sampleFormat, type: 'short', values: each(float ? 3 : type.startsWith('U') ? 1 : 2) },
    ...blockFields(options, blocks, shift),
    ...colourFields(bands, type),
  ];
  if (isPredicted(options)) fields.push({ tag: tag.predictor, type: 'short', values: [float ? 3 : 2] });
  const nodata = nodataText(bands[0]!, type);
  if (nodata !== undefined) fields.push({ tag: tag.gdalNodata, type: 'ascii', values: nodata });
  return fields;
}

/** Tags for georeference and GDAL metadata. */
export function georeferenceFields(grid: Grid, geoTags: GeoTags | undefined): Field[] {
  const metadata = formatGdalMetadata(grid.bands);
  return [
    ...(grid.located === false ? [] : geotransformFields(grid)),
    ...(metadata === '' ? [] : [{ tag: tag.gdalMetadata, type: 'ascii' as const, values: metadata }]),
    ...(geoTags === undefined ? [] : geoFields(geoTags)),
  ];
}

/** Tiepoint and pixel scale for a north-up grid, else ModelTransformation. */
function geotransformFields({ affine: [x, a, b, y, c, d] }: Grid): Field[] {
  if (b === 0 && c === 0 && a > 0 && d < 0)
    return [
      { tag: tag.modelPixelScale, type: 'double', values: [a, -d, 0] },
      { tag: tag.modelTiepoint, type: 'double', values: [0, 0, 0, x, y, 0] },
    ];
  return [{ tag: tag.modelTransformation, type: 'double', values: [a, b, 0, x, c, d, 0, y, 0, 0, 0, 0, 0, 0, 0, 1] }];
}

function blockFields(
  { Tiled, BlockSize }: ImageOptions,
  { offsets, byteCounts, blockRows }: Pick<ImageBlocks, 'offsets' | 'byteCounts' | 'blockRows'>,
  shift: number,
): Field[] {
  const shifted = shift === 0 ? offsets : offsets.map((offset) => offset + shift);
  if (Tiled)
    return [
      { tag: tag.tileWidth, type: 'long', values: [BlockSize] },
      { tag: tag.tileLength, type: 'long', values: [blockRows] },
      { tag: tag.tileOffsets, type: 'offset', values: shifted },
      { tag: tag.tileByteCounts, type: 'offset', values: byteCounts },
    ];
  return [
    { tag: tag.rowsPerStrip, type: 'long', values: [blockRows] },
    { tag: tag.stripOffsets, type: 'offset', values: shifted },
    { tag: tag.stripByteCounts, type: 'offset', values: byteCounts },
  ];
}

export const isColoured = (bands: readonly Band[]): boolean =>
  ['red', 'green', 'blue'].every((role, n) => bands[n]?.role === role);

/** Whether the image is a single band with a palette and a sample type that allows one. */
export const hasPalette = (bands: readonly Band[], type: StoredType): boolean =>
  bands.length === 1 && bands[0]!.palette !== undefined && (type === 'UInt8' || type === 'UInt16');

function colourFields(bands: readonly Band[], type: StoredType): Field[] {
  const coloured = isColoured(bands) && (type === 'UInt8' || type === 'UInt16');
  const palette = hasPalette(bands, type);
  const fields: Field[] = [{ tag: tag.photometric, type: 'short', values: [palette ? 3 : coloured ? 2 : 1] }];
  const extra = bands.slice(coloured ? 3 : 1).map(({ role }) => (role === 'alpha' ? 2 : 0));
  if (extra.length > 0) fields.push({ tag: tag.extraSamples, type: 'short', values: extra });
  if (palette) fields.push({ tag: tag.colorMap, type: 'short', values: fullPalette(bands[0]!.palette!, type) });
  return fields;
}

/** The palette for all values of the sample type, padded with black. */
function fullPalette(palette: readonly number[], type: StoredType): number[] {
  const size = type === 'UInt8' ? 256 : 65536;
  const given = Math.floor(palette.length / 3);
  return Array.from({ length: 3 * size }, (_, n) =>
    n % size < given ? palette[Math.floor(n / size) * given + (n % size)]! : 0,
  );
}

function nodataText({ nodata, exactNodata }: Band, type: StoredType): string | undefined {
  if (nodata === undefined) return undefined;
  if (type === 'Int64' || type === 'UInt64') return String(exactNodata ?? BigInt(nodata));
  const value = type === 'Float32' ? Math.fround(nodata) : nodata;
  return Number.isFinite(value) ? String(value) : String(value).toLowerCase().replace('infinity', 'inf');
}
