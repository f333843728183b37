import { type Grid, slicesOfBand, type TypedGrid } from '../../data/grid.ts';
import { GridTally, watched } from '../../data/grid-statistics.ts';
import { isFloat } from '../../data/samples.ts';
import type { Context } from '../../formats/define.ts';
import { roundedIntegers, spill } from '../../formats/io/spill.ts';
import { parseSrid, sameCrs } from '../../geo/crs/crs.ts';
import { operationSentence } from '../../geo/crs/operation.ts';
import { warpGrid } from '../../geo/warp/warp.ts';
import { joinGrids } from '../append/append-grids.ts';
import { openStepAppend } from '../append/append-steps.ts';
import { convertStream } from '../pipeline.ts';
import { spatialInformation } from '../spatial-information.ts';
import { knownInputCrs } from '../steps/input-crs.ts';
import { chosenBands } from '../steps/item-filter.ts';
import { gridWithin } from '../steps/spatial-filter.ts';
import { gridAtSteps } from '../steps/temporal-filter.ts';
import { withChosenLayers } from '../steps/vertical-filter.ts';
import type { KindHandler, StepContext, StepsOf, StreamOperations } from './handler.ts';
import { inspectGrid } from './inspect-grid.ts';

const steps: StepsOf<Grid> = {
  CrsTransformation: (grid, { outputSrid }, shared) => reproject(grid, outputSrid, shared),
  CalculateStatisticsTransformation: (grid) => grid,
  ItemFilterTransformation: (grid, filter, { context }) => chosenBands(grid, filter, context),
  SpatialFilterTransformation: (grid, filter, { context }) => gridWithin(grid, filter, context),
  TemporalFilterTransformation: (grid, filter, { context }) => gridAtSteps(grid, filter, context),
  VerticalFilterTransformation: (grid, filter) => withChosenLayers(grid, filter),
};

const stream: StreamOperations<Grid> = {
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
  pass: (grid, work, write, context) => convertStream(stream, grid, work, write, context),
  append: (work, context) => openStepAppend(work, context, stream, joinGrids),
  inspect: inspectGrid,
};

/** Resamples a grid to the target CRS. A north-up grid with square cells that is in it already stays unchanged. */
async function reproject(grid: Grid, outputSrid: string, shared: StepContext): Promise<Grid> {
  const known = knownInputCrs(grid, outputSrid);
  const target = parseSrid(outputSrid);
  if (isNorthUp(grid) && (await sameCrs(known, target))) return grid;
  const { context, resources, operations } = shared;
  const { read: _, ...rounded } = roundedIntegers(grid, context);
  const randomAccess = async () => {
    return resources.use(await spill(rounded, context.scratch)).grid;
  };
  shared.readFirst ||= !canStream(rounded);
  const source = canStream(rounded) ? rounded : await randomAccess();
  const warped = await warpGrid(source, target, { threads: context.threads ?? 1, randomAccess });
  resources.defer(() => warped.close());
  if (source !== rounded) await reportNodataClashes(source, warped.grid, context);
  operations.push(() => operationSentence(warped.operation()));
  context.reportLoss('The raster was resampled: bilinear interpolation for floats, nearest neighbour for integers.');
  shared.to = target;
  return warped.grid;
}

/**
 * Whether one pass over the rows is enough: sample types are known, and each band has a nodata value or can use NaN.
 */
const canStream = (grid: Grid): grid is TypedGrid =>
  grid.bands.every(
    ({ type, nodata, integer64 }) =>
      type !== undefined && (nodata !== undefined || (isFloat(type) && integer64 === undefined)),
  );

/** Counts and reports source cells with the nodata value that the target got because the source declares none. */
async function reportNodataClashes(source: TypedGrid, target: Grid, { reportLoss, signal }: Context): Promise<void> {
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
      reportLoss(
        `Band ${band + 1} had no nodata value and got ${nodata}. ${cells} of its cells have this value and became nodata.`,
      );
  }
}

/** North-up, with square cells. */
const isNorthUp = ({ affine: [, a, b, , c, d] }: Grid): boolean =>
  b === 0 && c === 0 && a > 0 && d < 0 && Math.abs(a + d) <= 1e-9 * a;
