import type { Grid } from '../../data/grid.ts';
import { GridTally, watched } from '../../data/grid-statistics.ts';
import { roundedIntegers, spill } from '../../formats/io/spill.ts';
import { parseSrid, sameCrs } from '../../geo/crs/crs.ts';
import { operationSentence } from '../../geo/crs/operation.ts';
import { warpGrid } from '../../geo/warp/warp.ts';
import { joinGrids } from '../append/append-grids.ts';
import { openStepAppend } from '../append/append-steps.ts';
import { spatialInformation } from '../spatial-information.ts';
import { knownInputCrs } from '../steps/input-crs.ts';
import { chosenBands } from '../steps/item-filter.ts';
import { canStream, reportNodataClashes } from '../steps/nodata-clashes.ts';
import { gridWithin } from '../steps/spatial-filter.ts';
import type { StepContext } from '../steps/step-context.ts';
import { gridAtSteps } from '../steps/temporal-filter.ts';
import { withChosenLayers } from '../steps/vertical-filter.ts';
import type { KindHandler, StepsOf, StreamOperations } from './handler.ts';
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
  stream,
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

/** North-up, with square cells. */
const isNorthUp = ({ affine: [, a, b, , c, d] }: Grid): boolean =>
  b === 0 && c === 0 && a > 0 && d < 0 && Math.abs(a + d) <= 1e-9 * a;
