import { AppError } from '../errors.ts';
import type { Crs } from '../geo/crs.ts';
import { crsName, parseSrid, sameCrs, sridOf } from '../geo/crs.ts';
import { operationSentence } from '../geo/operation.ts';
import { warpGrid } from '../geo/warp.ts';
import type { Passed } from './convert.ts';
import type { Context } from './define.ts';
import { spatialInformation } from './spatial-information.ts';
import { roundedIntegers, spill } from './spill.ts';
import { GridTally, watched } from './statistics.ts';
import type { Transformation } from './transformations.ts';
import type { Data, Grid, RandomGrid } from './types.ts';

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
  const targets = await changes(source, steps);
  const before = new GridTally();
  const from = source.crs === undefined ? {} : { from: crsName(source.crs) };
  if (targets.length === 0) {
    await write(watched(source, before, context.signal, (fraction) => context.progress(fraction, 'Converting')));
    const statistics = before.of(source);
    return {
      ...records(before, before),
      ...(from.from === undefined ? {} : { crs: from }),
      ...(source.crs === undefined ? {} : { inputCrs: source.crs }),
      statistics: { before: statistics, after: statistics },
      ...(await placeOf(source, context)),
    };
  }

  await using held = new AsyncDisposableStack();
  const after = new GridTally();
  const operations: string[] = [];
  let grid = watched(source, before, context.signal, (fraction) => context.progress(fraction / 2, 'Reading'));
  const done: (() => void)[] = [];
  for (const target of targets) {
    const kept = await spill(roundedIntegers(grid, context), context.scratch);
    held.defer(() => kept.close());
    const warped = await warpGrid(kept.grid, target);
    held.defer(() => warped.close());
    await tellClashes(kept.grid, warped.grid, context);
    done.push(() => operations.push(operationSentence(warped.operation())));
    grid = warped.grid;
  }
  await write(watched(grid, after, context.signal, (fraction) => context.progress(0.5 + fraction / 2, 'Reprojecting')));
  for (const tell of done) tell();
  context.lost(
    'The cells were laid out anew: floating point values are interpolated bilinearly, integers are those of the nearest cell.',
  );
  return {
    ...records(before, after),
    ...(source.crs === undefined ? {} : { inputCrs: source.crs }),
    crs: { ...from, to: crsName(targets.at(-1)!), operation: operations.join(' ') },
    statistics: { before: before.of(source), after: after.of(grid) },
    ...(await placeOf(grid, context)),
  };
}

/** Says when cells of the source hold what means "nothing here" only now, because the source had no value for that. */
async function tellClashes(source: RandomGrid, target: Grid, { lost, signal }: Context): Promise<void> {
  for (const [band, { nodata: declared }] of source.bands.entries()) {
    const nodata = target.bands[band]?.nodata;
    if (declared !== undefined || nodata === undefined || Number.isNaN(nodata)) continue;
    let cells = 0;
    for await (const { samples } of source.rows(band)) {
      signal.throwIfAborted();
      for (let i = 0; i < samples.length; i++) if (samples[i] === nodata) cells++;
    }
    if (cells > 0)
      lost(
        `Band ${band + 1} had no value for cells without data and got ${nodata}, which ${cells} of its cells hold themselves: they count as cells without data now.`,
      );
  }
}

const records = (before: GridTally, after: GridTally) => ({
  recordsRead: before.cells,
  recordsWritten: after.cells,
  recordsSkipped: 0,
});

async function placeOf(grid: Grid, context: Context): Promise<Pick<Passed, 'spatialInformation'>> {
  const spatial = await spatialInformation(grid, context);
  return spatial === undefined ? {} : { spatialInformation: spatial };
}

/** The coordinate systems to go through; a grid that is where it should be, upright and with square cells, stays as it is. */
async function changes(grid: Grid, steps: readonly Transformation[]): Promise<Crs[]> {
  const targets: Crs[] = [];
  let crs = grid.crs;
  for (const { outputSrid } of steps) {
    if (crs === undefined)
      throw new AppError(
        'unprocessable',
        `The coordinate system of the input is not known, so it cannot be changed to ${outputSrid}; give inputSrid, or SRID to the reader.`,
      );
    const target = parseSrid(outputSrid);
    if ((targets.length === 0 && !isUpright(grid)) || !(await sameCrs(crs, target))) targets.push(target);
    crs = target;
  }
  return targets;
}

const isUpright = ({ affine: [, a, b, , c, d] }: Grid): boolean =>
  b === 0 && c === 0 && a > 0 && d < 0 && Math.abs(a + d) <= 1e-9 * a;
