import type { Grid, TypedGrid } from '../../data/grid.ts';
import { slicesOfBand } from '../../data/grid.ts';
import { GridTally, watched } from '../../data/grid-statistics.ts';
import { isFloat } from '../../data/samples.ts';
import type { Context } from '../../formats/define.ts';
import { roundedIntegers, spill } from '../../formats/io/spill.ts';
import { parseSrid, sameCrs } from '../../geo/crs/crs.ts';
import { operationSentence } from '../../geo/crs/operation.ts';
import { warpGrid } from '../../geo/warp/warp.ts';
import { joinGrids } from '../append/append-grids.ts';
import { openStepAppend } from '../append/append-steps.ts';
import { passThrough } from '../pipeline.ts';
import { spatialInformation } from '../spatial-information.ts';
import { knownInputCrs } from '../steps/input-crs.ts';
import { chosenBands } from '../steps/item-filter.ts';
import { gridWithin } from '../steps/spatial-filter.ts';
import { withChosenSteps } from '../steps/temporal-filter.ts';
import { withChosenLayers } from '../steps/vertical-filter.ts';
import type { KindHandler, Pulled, StepContext, Steps } from './handler.ts';
import { inspectGrid } from './inspect-grid.ts';

const steps: Steps<Grid> = {
  CrsTransformation: (grid, { outputSrid }, shared) => reprojected(grid, outputSrid, shared),
  CalculateStatisticsTransformation: (grid) => grid,
  ItemFilterTransformation: (grid, filter, { context }) => chosenBands(grid, filter, context),
  SpatialFilterTransformation: (grid, filter, { context }) => gridWithin(grid, filter, context),
  TemporalFilterTransformation: (grid, filter, { context }) => withChosenSteps(grid, filter, context),
  VerticalFilterTransformation: (grid, filter) => withChosenLayers(grid, filter),
};

const pulled: Pulled<Grid> = {
  steps,
  progress: 'output',
  tally(_grid, whole) {
    const tally = new GridTally({ whole });
    return {
      get records() {
        return tally.cells;
      },
      watch: (grid, signal, passed) => watched(grid, tally, signal, passed),
      result: (grid) => tally.of(grid),
    };
  },
  pullsSame: (one, other) => one.rows === other.rows,
  place: (grid, _statistics, context) => spatialInformation(grid, context),
};

export const gridHandler: KindHandler<Grid> = {
  steps,
  pass: (grid, work, write, context) => passThrough(pulled, grid, work, write, context),
  append: (work, context) => openStepAppend(work, context, pulled, joinGrids),
  inspect: inspectGrid,
};

/** A grid that is where it should be, upright and with square cells, stays as it is. */
async function reprojected(grid: Grid, outputSrid: string, shared: StepContext): Promise<Grid> {
  const known = knownInputCrs(grid, outputSrid);
  const target = parseSrid(outputSrid);
  if (isUpright(grid) && (await sameCrs(known, target))) return grid;
  const { context, held, operations } = shared;
  const { read: _, ...rounded } = roundedIntegers(grid, context);
  const randomAccess = async () => {
    const kept = await spill(rounded, context.scratch);
    held.defer(() => kept.close());
    return kept.grid;
  };
  shared.readFirst ||= !canPass(rounded);
  const source = canPass(rounded) ? rounded : await randomAccess();
  const warped = await warpGrid(source, target, { threads: context.threads ?? 1, randomAccess });
  held.defer(() => warped.close());
  if (source !== rounded) await tellClashes(source, warped.grid, context);
  operations.push(() => operationSentence(warped.operation()));
  context.lost(
    'The cells were laid out anew: floating point values are interpolated bilinearly, integers are those of the nearest cell.',
  );
  shared.to = target;
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

const isUpright = ({ affine: [, a, b, , c, d] }: Grid): boolean =>
  b === 0 && c === 0 && a > 0 && d < 0 && Math.abs(a + d) <= 1e-9 * a;
