import { AppError, FormatError } from '../errors.ts';
import type { Crs } from '../geo/crs.ts';
import { crsName, describeCrs, parseSrid, sameCrs, sridOf } from '../geo/crs.ts';
import { operationSentence } from '../geo/operation.ts';
import { outlineWkt } from '../geo/outline.ts';
import type { Passed } from './convert.ts';
import type { Context } from './define.ts';
import { FeatureTally, watchedFeatures } from './feature-statistics.ts';
import { reprojected } from './reproject.ts';
import type { SpatialInformation } from './spatial-information.ts';
import type { Transformation } from './transformations.ts';
import type { Data, Features } from './types.ts';

/** Leads features through their transformations to the writer, and counts what passes before and after. */
export async function passFeatures(
  data: Features,
  steps: readonly Transformation[],
  srid: string | undefined,
  write: (data: Data) => Promise<void>,
  context: Context,
): Promise<Passed> {
  const source: Features = srid === undefined ? data : { ...data, crs: parseSrid(srid) };
  if (data.crs !== undefined && srid !== undefined && sridOf(data.crs) !== srid)
    context.log('info', `The request says ${srid}; what the file says of its coordinate system is not used.`);
  const before = new FeatureTally();
  const after = new FeatureTally();
  const share = (features: number) =>
    context.progress(data.count === undefined ? 0 : (0.9 * features) / Math.max(1, data.count), 'Converting');
  let passing = watchedFeatures(source, before, context.signal, share);
  const operations: (() => string)[] = [];
  for (const { outputSrid } of steps) {
    if (passing.crs === undefined)
      throw new AppError(
        'unprocessable',
        `The coordinate system of the input is not known, so it cannot be changed to ${outputSrid}; give inputSrid, or SRID to the reader.`,
      );
    const target = parseSrid(outputSrid);
    const same = await sameCrs(passing.crs, target);
    if (same) passing = { ...passing, crs: target };
    else {
      const changed = await reprojected(passing, target, context);
      operations.push(() => operationSentence(changed.operation()));
      passing = changed.features;
    }
  }
  const changed = operations.length > 0;
  await write(changed ? watchedFeatures(passing, after, context.signal, () => {}) : passing);
  const result = (changed ? after : before).result();
  const crs = {
    ...(source.crs === undefined ? {} : { from: crsName(source.crs) }),
    ...(changed ? { to: crsName(passing.crs!), operation: operations.map((tell) => tell()).join(' ') } : {}),
  };
  const spatial = await placeOf(passing.crs, result.minimum, result.maximum, context);
  return {
    recordsRead: before.features,
    recordsWritten: result.features,
    recordsSkipped: 0,
    crs,
    statistics: { before: before.result(), after: result },
    ...(source.crs === undefined ? {} : { inputCrs: source.crs }),
    ...(spatial === undefined ? {} : { spatialInformation: spatial }),
  };
}

/** The box as the record of a dataset states it. */
export async function placeOf(
  crs: Crs | undefined,
  minimum: number[] | undefined,
  maximum: number[] | undefined,
  { log }: Context,
): Promise<SpatialInformation | undefined> {
  if (crs === undefined || minimum === undefined || maximum === undefined) return undefined;
  const [west, south] = minimum as [number, number];
  const [east, north] = maximum as [number, number];
  try {
    const known = await describeCrs(crs);
    // In WGS 84 the box is the outline, and PROJ need not be loaded.
    const location =
      sridOf(crs) === 'EPSG:4326'
        ? boxWkt(west, south, east, north)
        : await outlineWkt({ width: 1, height: 1, affine: [west, east - west, 0, north, 0, south - north] }, known);
    return {
      ...(location === undefined ? {} : { location }),
      primarySpatialReference: known.wkt,
      ...(known.code === undefined ? {} : { srid: known.code }),
    };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    log('warning', `The place of the data is not known: ${error.message}`);
    return undefined;
  }
}

function boxWkt(west: number, south: number, east: number, north: number): string {
  const corners = [
    [west, north],
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ];
  return `POLYGON ((${corners.map((corner) => corner.map((degrees) => Number(degrees.toFixed(7))).join(' ')).join(', ')}))`;
}
