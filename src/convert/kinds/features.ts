import type { Crs } from '../../data/crs-reference.ts';
import type { Data } from '../../data/data.ts';
import type { FeatureCollection } from '../../data/feature-collection.ts';
import { FeatureTally, watchedFeatures } from '../../data/feature-statistics.ts';
import { AppError, FormatError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { crsName, describeCrs, parseSrid, sameCrs, sridOf } from '../../geo/crs/crs.ts';
import { operationSentence } from '../../geo/crs/operation.ts';
import { outlineWkt } from '../../geo/vector/outline.ts';
import type { Passed } from '../conversion.ts';
import type { SpatialInformation } from '../spatial-information.ts';
import { chosenFields } from '../steps/item-filter.ts';
import { reprojected } from '../steps/reproject.ts';
import { featuresWithin } from '../steps/spatial-filter.ts';
import type { Steps } from '../steps/steps.ts';
import { taken } from '../steps/steps.ts';
import type { Transformation } from '../steps/transformation-shapes.ts';

/** What the steps of one conversion tell. */
interface Way {
  readonly context: Context;
  /** Of each reprojection; complete when all features were pulled. */
  readonly operations: (() => string)[];
}

export const featureSteps: Steps<FeatureCollection, Way> = {
  CrsTransformation: (data, { outputSrid }, way) => changedCrs(data, outputSrid, way),
  CalculateStatisticsTransformation: (data) => data,
  ItemFilterTransformation: (data, filter, { context }) => chosenFields(data, filter, context),
  SpatialFilterTransformation: (data, filter, { context }) => featuresWithin(data, filter, context),
};

/** Leads features through their transformations to the writer, and counts what passes before and after. */
export async function passFeatures(
  data: FeatureCollection,
  steps: readonly Transformation[],
  srid: string | undefined,
  write: (data: Data) => Promise<void>,
  context: Context,
): Promise<Passed> {
  const source: FeatureCollection = srid === undefined ? data : { ...data, crs: parseSrid(srid) };
  if (data.crs !== undefined && srid !== undefined && sridOf(data.crs) !== srid)
    context.log('info', `The request says ${srid}; what the file says of its coordinate system is not used.`);
  const whole = steps.some(({ type }) => type === 'CalculateStatisticsTransformation');
  const before = new FeatureTally(whole ? source.fields : []);
  const share = (features: number) =>
    context.progress(data.count === undefined ? 0 : (0.9 * features) / Math.max(1, data.count), 'Converting');
  const read = watchedFeatures(source, before, context.signal, share);
  const way: Way = { context, operations: [] };
  const passing = await taken(read, featureSteps, steps, way);
  const changed = passing.chunks !== read.chunks;
  const after = changed ? new FeatureTally(whole ? passing.fields : []) : before;
  await write(changed ? watchedFeatures(passing, after, context.signal, () => {}) : passing);
  const statistics = after.result();
  const crs = {
    ...(source.crs === undefined ? {} : { from: crsName(source.crs) }),
    ...(way.operations.length > 0
      ? { to: crsName(passing.crs!), operation: way.operations.map((tell) => tell()).join(' ') }
      : {}),
  };
  const spatial = await placeOf(passing.crs, statistics.minimum, statistics.maximum, context);
  return {
    recordsRead: before.features,
    recordsWritten: after.features,
    recordsSkipped: 0,
    crs,
    statistics: { before: before.result(), after: statistics },
    ...(whole ? { properties: { statistics } } : {}),
    ...(source.crs === undefined ? {} : { inputCrs: source.crs }),
    ...(spatial === undefined ? {} : { spatialInformation: spatial }),
  };
}

async function changedCrs(
  data: FeatureCollection,
  outputSrid: string,
  { context, operations }: Way,
): Promise<FeatureCollection> {
  if (data.crs === undefined)
    throw new AppError(
      'unprocessable',
      `The coordinate system of the input is not known, so it cannot be changed to ${outputSrid}; give inputSrid, or SRID to the reader.`,
    );
  const target = parseSrid(outputSrid);
  if (await sameCrs(data.crs, target)) return { ...data, crs: target };
  const changed = await reprojected(data, target, context);
  operations.push(() => operationSentence(changed.operation()));
  return changed.features;
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
