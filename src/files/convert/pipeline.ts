import type { Crs } from '../data/crs-reference.ts';
import type { Data } from '../data/data.ts';
import type { Origin } from '../data/origin.ts';
import type { Figures } from '../data/value-tally.ts';
import { ConversionError } from '../errors.ts';
import type { Context } from '../formats/define.ts';
import { crsName, parseSrid, sridOf } from '../geo/crs/crs.ts';
import type { PipelineResult, Statistics } from './conversion.ts';
import type { StepContext, Steps, StreamOperations, Work } from './kinds/handler.ts';
import type { Transformation } from './steps/transformation-shapes.ts';
import { temporalInformation } from './temporal-information.ts';

interface Located {
  readonly crs?: Crs;
  readonly origin?: Origin;
}

/**
 * The data in the coordinate system that the request gives. A mesh without a place, such as a point spectrum, has none:
 * its nodes would become places on the earth.
 */
function inSystem<D extends Located & Data>(given: D, srid: string | undefined): D {
  if (given.kind !== 'mesh' || given.located !== false)
    return srid === undefined ? given : { ...given, crs: parseSrid(srid) };
  const { crs, ...placeless } = given;
  return crs === undefined ? given : (placeless as D);
}

/** Applies the transformations, writes the result, and counts records and statistics before and after. */
export async function convertStream<D extends Located & Data>(
  stream: StreamOperations<D>,
  given: D,
  { steps, srid }: Pick<Work, 'steps' | 'srid'>,
  write: (data: Data) => Promise<void>,
  context: Context,
): Promise<PipelineResult> {
  const data = inSystem(given, srid);
  if (given.crs !== undefined && data.crs !== undefined && srid !== undefined && sridOf(given.crs) !== srid)
    context.log('info', `The request gives ${srid}; the coordinate system in the file is ignored.`);
  const whole = steps.some(({ type }) => type === 'CalculateStatisticsTransformation');
  const before = stream.tally(data, whole);
  await using resources = new AsyncDisposableStack();
  const shared: StepContext = { context, resources, operations: [] };
  let read = (fraction: number) => context.progress(fraction / 2, 'Reading');
  const source = before.watch(data, context.signal, (fraction) => read(fraction));
  const result = await applySteps(source, stream.steps, steps, shared);
  const changed = !stream.pullsSame(result, source);
  const after = changed ? stream.tally(result, whole) : before;
  const phase = shared.to === undefined ? 'Converting' : 'Reprojecting';
  const written = (fraction: number) => context.progress(shared.readFirst ? 0.5 + fraction / 2 : fraction, phase);
  const byOutput = stream.progress === 'output';
  if (!byOutput) read = (fraction) => context.progress(0.9 * fraction, phase);
  else read = changed ? () => {} : written;
  await write(changed ? after.watch(result, context.signal, byOutput ? written : () => {}) : result);
  const crs = {
    ...(data.crs === undefined ? {} : { from: crsName(data.crs) }),
    ...(shared.to === undefined
      ? {}
      : { to: crsName(shared.to), operation: shared.operations.map((sentence) => sentence()).join(' ') }),
  };
  const statistics = after.result(result);
  const temporal = temporalInformation('time' in result ? result.time : undefined);
  const spatialInformation = await stream.place(result, statistics, context);
  return {
    recordsRead: before.records,
    recordsWritten: after.records,
    recordsSkipped: 0,
    ...(Object.keys(crs).length === 0 ? {} : { crs }),
    ...(data.crs === undefined ? {} : { inputCrs: data.crs }),
    statistics: { before: before.result(data), after: statistics },
    ...(whole
      ? { properties: { statistics: listedStatistics(statistics, 'time' in result && result.time !== undefined) } }
      : {}),
    ...(spatialInformation === undefined ? {} : { spatialInformation }),
    ...(temporal === undefined ? {} : { temporalInformation: temporal }),
  };
}

/**
 * The statistics of data with items over time are a list of their items; a single raster and features keep their own
 * form.
 */
export function listedStatistics(statistics: Statistics, overTime: boolean): Statistics | readonly Figures[] {
  if (statistics.kind === 'features') return statistics;
  if (statistics.kind !== 'grid') return statistics.items;
  if (!overTime) return statistics;
  return statistics.bands.map(({ band: _, ...figures }) => figures);
}

/**
 * Applies the steps in the order of the request. `parseTransformations` has refused those that the kind of data does
 * not support.
 */
async function applySteps<D extends Located & Data>(
  data: D,
  steps: Steps<D>,
  requested: readonly Transformation[],
  shared: StepContext,
): Promise<D> {
  let changed = data;
  for (const step of requested) {
    const apply = steps[step.type] as
      | ((data: D, step: Transformation, shared: StepContext) => D | Promise<D>)
      | undefined;
    // The step is offered for the reader's usual kind of data, but this file has another kind.
    if (apply === undefined)
      throw new ConversionError(`${step.type} does not apply to data of the kind '${data.kind}'.`);
    changed = await apply(changed, step, shared);
  }
  if (changed === data || changed.origin === undefined) return changed;
  return { ...changed, origin: { ...changed.origin, changed: true } };
}
