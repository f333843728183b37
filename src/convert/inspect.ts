import type { Crs } from '../data/crs-reference.ts';
import type { Data } from '../data/data.ts';
import type { FeatureCollection, Field } from '../data/feature-collection.ts';
import type { FeatureStatistics } from '../data/feature-statistics.ts';
import { FeatureTally } from '../data/feature-statistics.ts';
import type { Band, Grid } from '../data/grid.ts';
import { slicesOfBand } from '../data/grid.ts';
import type { BandStatistics } from '../data/grid-statistics.ts';
import { GridTally, watched } from '../data/grid-statistics.ts';
import { sampleTypeOf } from '../data/samples.ts';
import { FormatError } from '../errors.ts';
import type { Context } from '../formats/define.ts';
import { detect } from '../formats/detect.ts';
import { FileSource } from '../formats/io/bytes.ts';
import { completeParameters } from '../formats/parameters.ts';
import { readers } from '../formats/registry.ts';
import { describeCrs, sridOf, wgs84 } from '../geo/crs/crs.ts';
import { transformer } from '../geo/crs/transform.ts';
import { previewPng } from '../geo/draw/preview.ts';
import { sketchPng } from '../geo/draw/sketch.ts';

export interface Extent {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** What is in a file, as JSON. */
export interface Inspection {
  size: number;
  /** What the content looks like, in words. */
  looksLike?: string;
  /** `datasetFormat`, and the reader that takes it. */
  format?: string;
  reader?: string;
  kind?: Data['kind'];
  crs?: { srid?: string; name: string; kind: string };
  /** In the file's own coordinates, and in degrees. */
  extent?: Extent;
  extentWgs84?: Extent;
  /** Of a grid. */
  width?: number;
  height?: number;
  /** GDAL's order, corner based. */
  affine?: readonly number[];
  bands?: (Pick<Band, 'name' | 'unit' | 'scale' | 'offset' | 'role'> & {
    type: string;
    nodata?: number | string;
  } & BandStatistics)[];
  /** Of features. */
  layer?: string;
  fields?: readonly Field[];
  statistics?: FeatureStatistics;
  /** What a conversion would leave out already when reading, and other remarks. */
  remarks: string[];
}

export interface InspectOptions {
  path: string;
  /** A folder for temporary files. */
  scratch: string;
  picture: boolean;
  signal: AbortSignal;
}

/**
 * Looks into a file, recognised by its content: reads all of it once, and features that are to be drawn twice.
 * @throws FormatError or AppError with a reader's own sentence when the file is broken
 */
export async function inspect({ path, scratch, picture, signal }: InspectOptions): Promise<{
  inspection: Inspection;
  png?: Uint8Array;
}> {
  await using open = new AsyncDisposableStack();
  const source = open.adopt(await FileSource.open(path, { checksum: false }), (one) => one.close());
  const found = await detect(source);
  const reader = readers.find((one) => found?.format !== undefined && one.format === found.format);
  const remarks = new Set<string>();
  const inspection: Inspection = {
    size: source.size,
    ...(found === undefined ? {} : { looksLike: found.name.replace(/^an? /, '') }),
    ...(reader === undefined ? {} : { format: reader.format, reader: reader.name }),
    remarks: [],
  };
  if (reader === undefined) return { inspection };
  const context: Context = {
    signal,
    scratch,
    log: (level, message) => void (level === 'warning' && remarks.add(message)),
    progress: () => {},
    lost: (sentence) => void remarks.add(sentence),
    badRecord: ({ number, reason }) => void (remarks.size < 20 && remarks.add(`Record ${number}: ${reason.message}`)),
    atEnd: (close) => open.defer(close),
  };
  const data = await reader.read(source, completeParameters(reader, {}), context);
  const png = await look(data, inspection, picture, signal);
  inspection.remarks = [...remarks];
  return { inspection, ...(png === undefined ? {} : { png }) };
}

async function look(
  data: Data,
  inspection: Inspection,
  picture: boolean,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  inspection.kind = data.kind;
  if (data.kind === 'grid') return lookAtGrid(data, inspection, picture, signal);
  return data.kind === 'features' ? lookAtFeatures(data, inspection, picture, signal) : undefined;
}

async function lookAtGrid(
  grid: Grid,
  inspection: Inspection,
  picture: boolean,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const { width, height, affine } = grid;
  await lookAtPlace(inspection, grid.crs, grid.located === false ? [] : outlineOf(grid));
  const types = new Map<number, Band['type']>();
  const tally = new GridTally();
  const counted = watched(grid, tally, signal, () => {});
  const pulled: Grid = {
    ...counted,
    async *rows(slice) {
      for await (const block of counted.rows(slice)) {
        types.set(slice.band, sampleTypeOf(block.samples));
        yield block;
      }
    },
  };
  let png: Uint8Array | undefined;
  for (let band = 0; band < grid.bands.length; band++) {
    for (const slice of slicesOfBand(grid, band)) {
      if (picture && png === undefined) png = await previewPng(pulled, slice);
      else for await (const _ of pulled.rows(slice));
    }
  }
  const { bands: statistics } = tally.of(grid);
  const bands = grid.bands.map(({ name, unit, scale, offset, role, integer64, exactNodata, nodata }, n) => ({
    ...given({ name, unit, scale, offset, role }),
    type: integer64 ?? types.get(n)!,
    ...(nodata === undefined ? {} : { nodata: jsonNumber(exactNodata ?? nodata) }),
    ...statistics[n]!,
  }));
  Object.assign(inspection, { width, height, affine, bands });
  return png;
}

const given = <T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

/** JSON has no word for numbers that are not finite or have more than 53 bits. */
const jsonNumber = (value: number | bigint): number | string =>
  typeof value === 'bigint'
    ? Number.isSafeInteger(Number(value))
      ? Number(value)
      : String(value)
    : finiteOrWord(value);

const finiteOrWord = (value: number): number | string => (Number.isFinite(value) ? value : String(value).toLowerCase());

async function lookAtFeatures(
  layer: FeatureCollection,
  inspection: Inspection,
  picture: boolean,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const stride = 2 + (layer.hasZ ? 1 : 0) + (layer.hasM ? 1 : 0);
  const tally = new FeatureTally();
  for await (const chunk of layer.chunks()) {
    signal.throwIfAborted();
    tally.add(chunk, stride, layer.hasZ);
  }
  const statistics = tally.result();
  const [west, south] = statistics.minimum ?? [];
  const [east, north] = statistics.maximum ?? [];
  const boxed = west !== undefined && south !== undefined && east !== undefined && north !== undefined;
  await lookAtPlace(inspection, layer.crs, boxed ? cornersOf({ west, south, east, north }) : []);
  Object.assign(inspection, {
    ...(layer.name === undefined ? {} : { layer: layer.name }),
    fields: layer.fields,
    statistics,
  });
  return picture && boxed ? sketchPng(layer, [west, south, east, north]) : undefined;
}

type Points = readonly (readonly [x: number, y: number])[];

/** Points on each side of an outline: straight lines of one system are curves in another. */
const perSide = 16;

const ring = (corner: (u: number, v: number) => readonly [number, number]): Points =>
  Array.from({ length: perSide }, (_, n) => n / perSide).flatMap((share) => [
    corner(share, 0),
    corner(1, share),
    corner(1 - share, 1),
    corner(0, 1 - share),
  ]);

const outlineOf = ({ width, height, affine: [x, a, b, y, c, d] }: Grid): Points =>
  ring((u, v) => [x + u * width * a + v * height * b, y + u * width * c + v * height * d]);

const cornersOf = ({ west, south, east, north }: Extent): Points =>
  ring((u, v) => [west + u * (east - west), south + v * (north - south)]);

/** What the coordinate system is called, and what the outline covers in it and in degrees. */
async function lookAtPlace(inspection: Inspection, crs: Crs | undefined, outline: Points): Promise<void> {
  const x = Float64Array.from(outline, ([value]) => value);
  const y = Float64Array.from(outline, ([, value]) => value);
  const extent = extentOf(x, y);
  if (extent !== undefined) inspection.extent = extent;
  if (crs === undefined) return;
  try {
    const known = await describeCrs(crs);
    const srid = sridOf(known);
    inspection.crs = { ...(srid === undefined ? {} : { srid }), name: known.name, kind: known.kind };
    using change = await transformer(known, wgs84);
    const lost = change.forward(x, y);
    const degrees = extentOf(x, y);
    if (lost === 0 && degrees !== undefined) inspection.extentWgs84 = degrees;
  } catch (error) {
    // The rest can be told all the same.
    if (!(error instanceof FormatError)) throw error;
    inspection.crs ??= { name: 'unknown', kind: 'other' };
  }
}

function extentOf(x: Float64Array, y: Float64Array): Extent | undefined {
  if (x.length === 0 || !x.every(Number.isFinite) || !y.every(Number.isFinite)) return undefined;
  return { west: Math.min(...x), south: Math.min(...y), east: Math.max(...x), north: Math.max(...y) };
}
