import type { Crs } from '../../data/crs-reference.ts';
import type { Data } from '../../data/data.ts';
import type { Grid, TypedGrid } from '../../data/grid.ts';
import { slicesOfBand } from '../../data/grid.ts';
import { GridTally, watched } from '../../data/grid-statistics.ts';
import { isFloat } from '../../data/samples.ts';
import { AppError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { roundedIntegers, spill } from '../../formats/io/spill.ts';
import { crsName, parseSrid, sameCrs, sridOf } from '../../geo/crs/crs.ts';
import { operationSentence } from '../../geo/crs/operation.ts';
import { warpGrid } from '../../geo/warp/warp.ts';
import type { Passed } from '../conversion.ts';
import { spatialInformation } from '../spatial-information.ts';
import { chosenBands } from '../steps/item-filter.ts';
import { gridWithin } from '../steps/spatial-filter.ts';
import type { Steps } from '../steps/steps.ts';
import { taken } from '../steps/steps.ts';
import type { Transformation } from '../steps/transformation-shapes.ts';

/** What the steps of one conversion tell. */
interface Way {
  readonly context: Context;
  /** Closed when the grid was written. */
  readonly held: AsyncDisposableStack;
  /** Of each reprojection; complete when all rows were pulled. */
  readonly operations: (() => string)[];
  /** The last of them. */
  to?: Crs;
  /** The whole input is read before the first row is written. */
  readFirst?: boolean;
}

export const gridSteps: Steps<Grid, Way> = {
  CrsTransformation: (grid, { outputSrid }, way) => reprojected(grid, outputSrid, way),
  CalculateStatisticsTransformation: (grid) => grid,
  ItemFilterTransformation: (grid, filter, { context }) => chosenBands(grid, filter, context),
  SpatialFilterTransformation: (grid, filter, { context }) => gridWithin(grid, filter, context),
};

/**
 * Leads a grid through its transformations to the writer, and counts what passes before and after. `srid` is what the request says of
 * the grid's coordinate system.
 */
export async function passGrid(
  data: Grid,
  steps: readonly Transformation[],
  srid: string | undefined,
  write: (data: Data) => Promise<void>,
  context: Context,
): Promise<Passed> {
  const source = srid === undefined ? data : { ...data, crs: parseSrid(srid) };
  if (data.crs !== undefined && srid !== undefined && sridOf(data.crs) !== srid)
    context.log('info', `The request says ${srid}; what the file says of its coordinate system is not used.`);
  const whole = steps.some(({ type }) => type === 'CalculateStatisticsTransformation');
  const before = new GridTally({ whole });
  await using held = new AsyncDisposableStack();
  const way: Way = { context, held, operations: [] };
  let told = (fraction: number) => context.progress(fraction / 2, 'Reading');
  const read = watched(source, before, context.signal, (fraction) => told(fraction));
  const grid = await taken(read, gridSteps, steps, way);
  const changed = grid !== read;
  const after = changed ? new GridTally({ whole }) : before;
  const phase = way.to === undefined ? 'Converting' : 'Reprojecting';
  const written = (fraction: number) => context.progress(way.readFirst ? 0.5 + fraction / 2 : fraction, phase);
  told = changed ? () => {} : written;
  await write(changed ? watched(grid, after, context.signal, written) : grid);
  const crs = {
    ...(source.crs === undefined ? {} : { from: crsName(source.crs) }),
    ...(way.to === undefined ? {} : { to: crsName(way.to), operation: way.operations.map((tell) => tell()).join(' ') }),
  };
  const statistics = after.of(grid);
  return {
    recordsRead: before.cells,
    recordsWritten: after.cells,
    recordsSkipped: 0,
    ...(Object.keys(crs).length === 0 ? {} : { crs }),
    ...(source.crs === undefined ? {} : { inputCrs: source.crs }),
    statistics: { before: before.of(source), after: statistics },
    ...(whole ? { properties: { statistics } } : {}),
    ...(await placeOf(grid, context)),
  };
}

/** A grid that is where it should be, upright and with square cells, stays as it is. */
async function reprojected(grid: Grid, outputSrid: string, way: Way): Promise<Grid> {
  if (grid.crs === undefined)
    throw new AppError(
      'unprocessable',
      `The coordinate system of the input is not known, so it cannot be changed to ${outputSrid}; give inputSrid, or SRID to the reader.`,
    );
  const target = parseSrid(outputSrid);
  if (isUpright(grid) && (await sameCrs(grid.crs, target))) return grid;
  const { context, held, operations } = way;
  const { read: _, ...rounded } = roundedIntegers(grid, context);
  const keep = async () => {
    const kept = await spill(rounded, context.scratch);
    held.defer(() => kept.close());
    return kept.grid;
  };
  way.readFirst ||= !canPass(rounded);
  const source = canPass(rounded) ? rounded : await keep();
  const warped = await warpGrid(source, target, { threads: context.threads ?? 1, keep });
  held.defer(() => warped.close());
  if (source !== rounded) await tellClashes(source, warped.grid, context);
  operations.push(() => operationSentence(warped.operation()));
  context.lost(
    'The cells were laid out anew: floating point values are interpolated bilinearly, integers are those of the nearest cell.',
  );
  way.to = target;
  return warped.grid;
}

/** Whether its rows may go by once, from front to back: their types are known, and what means "nothing here" need not be looked for. */
const canPass = (grid: Grid): grid is TypedGrid =>
  grid.bands.every(
    ({ type, nodata, integer64 }) =>
      type !== undefined && (nodata !== undefined || (isFloat(type) && integer64 === undefined)),
  );

/** Says when cells of the source hold what means "nothing here" only now, because the source had no value for that. */
async function tellClashes(source: TypedGrid, target: Grid, { lost, signal }: Context): Promise<void> {
  for (const [band, { nodata: declared }] of source.bands.entries()) {
    const nodata = target.bands[band]?.nodata;
    if (declared !== undefined || nodata === undefined || Number.isNaN(nodata)) continue;
    let cells = 0;
    for (const slice of slicesOfBand(source, band))
      for await (const { samples } of source.rows(slice)) {
        signal.throwIfAborted();
        for (let i = 0; i < samples.length; i++) if (samples[i] === nodata) cells++;
      }
    if (cells > 0)
      lost(
        `Band ${band + 1} had no value for cells without data and got ${nodata}, which ${cells} of its cells hold themselves: they count as cells without data now.`,
      );
  }
}

async function placeOf(grid: Grid, context: Context): Promise<Pick<Passed, 'spatialInformation'>> {
  const spatial = await spatialInformation(grid, context);
  return spatial === undefined ? {} : { spatialInformation: spatial };
}

const isUpright = ({ affine: [, a, b, , c, d] }: Grid): boolean =>
  b === 0 && c === 0 && a > 0 && d < 0 && Math.abs(a + d) <= 1e-9 * a;
