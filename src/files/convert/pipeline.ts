import type { Data } from '../data/data.ts';
import { ConversionError } from '../errors.ts';
import type { Context } from '../formats/define.ts';
import { crsName, sridOf } from '../geo/crs/crs.ts';
import type { PipelineResult } from './conversion.ts';
import { inSystem, withName } from './in-system.ts';
import type { KindHandler, Steps, StreamOperations, Work } from './kinds/handler.ts';
import { loadHandler } from './kinds/kinds.ts';
import { listedStatistics } from './listed-statistics.ts';
import { openSideInput } from './steps/side-input.ts';
import type { StepContext } from './steps/step-context.ts';
import type { Transformation } from './steps/transformation-shapes.ts';
import { findRule } from './steps/transformations.ts';
import { temporalInformation } from './temporal-information.ts';

const handlerOf = async ({ kind }: Data): Promise<KindHandler> => (await loadHandler(kind)) as unknown as KindHandler;

/** Applies the transformations, writes the result, and counts records and statistics before and after. */
export async function convertData(
  given: Data,
  work: Work,
  write: (data: Data) => Promise<void>,
  context: Context,
): Promise<PipelineResult> {
  const { stream } = await handlerOf(given);
  if (given.kind !== 'bytes' && stream !== undefined) return convertStream(stream, given, work, write, context);
  await write(given);
  return { recordsRead: 1, recordsWritten: 1, recordsSkipped: 0, statistics: {} };
}

async function convertStream(
  stream: StreamOperations,
  given: Exclude<Data, { kind: 'bytes' }>,
  work: Work,
  write: (data: Data) => Promise<void>,
  context: Context,
): Promise<PipelineResult> {
  const { steps, srid, stem } = work;
  const data = inSystem(withName(given, stem), srid);
  if (given.crs !== undefined && data.crs !== undefined && srid !== undefined && sridOf(given.crs) !== srid)
    context.log('info', `The request gives ${srid}; the coordinate system in the file is ignored.`);
  const whole = steps.some(({ type }) => type === 'CalculateStatisticsTransformation');
  const before = stream.tally(data, whole);
  await using resources = new AsyncDisposableStack();
  const shared: StepContext = {
    context,
    resources,
    operations: [],
    stem,
    makes: data.kind,
    applied: [],
    open: (input) => openSideInput(input, work.sideInputs, context),
  };
  let read = (fraction: number) => context.progress(fraction / 2, 'Reading');
  const source = before.watch(data, context.signal, (fraction) => read(fraction));
  const result = await applySteps(source, work, shared);
  // The kinds differ where a transformation makes other data: contours of a grid are features.
  const last = result.kind === data.kind ? stream : (await handlerOf(result)).stream!;
  const changed = last !== stream || !stream.pullsSame(result, source);
  const after = changed ? last.tally(result, whole) : before;
  const phase = shared.to === undefined ? 'Converting' : 'Reprojecting';
  const written = (fraction: number) => context.progress(shared.readFirst ? 0.5 + fraction / 2 : fraction, phase);
  const byOutput = last.progress === 'output';
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
  const spatialInformation = await last.place(result, statistics, context);
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
 * Applies the steps in the order of the request, each by the code for the kind of data that the step before has made.
 */
async function applySteps(data: Data, { steps, kinds, stem }: Work, shared: StepContext): Promise<Data> {
  let changed = data;
  for (const [n, step] of steps.entries()) {
    shared.makes = kinds[n]!;
    shared.applied = steps.slice(0, n).map(({ type }) => type);
    const made = await applyStep(changed, step, shared);
    changed = made.kind === changed.kind ? made : withName(made, stem);
  }
  if (changed === data || !('origin' in changed) || changed.origin === undefined) return changed;
  return { ...changed, origin: { ...changed.origin, changed: true } };
}

async function applyStep(data: Data, step: Transformation, shared: StepContext): Promise<Data> {
  const own = (await handlerOf(data)).steps[step.type as keyof Steps<Data>];
  if (own !== undefined) return own(data, step as never, shared);
  const rule = findRule(step.type);
  if (rule?.makes[data.kind] !== undefined) return (await rule.load()).apply(data, step, shared);
  throw new ConversionError(`${step.type} does not apply to data of the kind '${data.kind}'.`);
}
