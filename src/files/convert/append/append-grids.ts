import type { Grid } from '../../data/grid.ts';
import { joinTimes } from '../../data/join-times.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { flipRows, isSouthUp } from '../../formats/io/flip-rows.ts';
import { checkSameCrs } from './join-crs.ts';
import { convertValues, keptExact, matchItems } from './join-items.ts';

/** Maximum offset between the two grids, as a share of a cell. */
const tolerance = 1e-3;

/**
 * Appends the steps of the input to the grid of a dataset. Both must have the same cells, items and coordinate system.
 */
export async function joinGrids(present: Grid, given: Grid, context: Context): Promise<Grid> {
  const added = await turned(present, given, context);
  await checkPlace(present, added);
  const bands = matchItems(present.bands, added.bands);
  const time = joinTimes(present.time, added.time);
  const count = stepsOf(present);
  const { read: _, ...rest } = present;
  return {
    ...rest,
    time,
    ...(present.origin === undefined ? {} : { origin: { ...present.origin, changed: true } }),
    async *rows(slice, range) {
      if (slice.step < count) {
        yield* present.rows(slice, range);
        return;
      }
      const band = bands[slice.band]!;
      const [from, to] = [added.bands[band]!, present.bands[slice.band]!];
      for await (const block of added.rows({ ...slice, band, step: slice.step - count }, range))
        yield {
          firstRow: block.firstRow,
          rowCount: block.rowCount,
          samples: convertValues(block.exact ?? block.samples, from, to),
          ...keptExact(block.exact, from, to),
        };
    },
  };
}

/** Rows in the order of the dataset. */
async function turned(present: Grid, added: Grid, context: Context): Promise<Grid> {
  if (isSouthUp(present) === isSouthUp(added)) return added;
  const flipped = await flipRows(added, context);
  context.onEnd(flipped[Symbol.asyncDispose]);
  return flipped.grid;
}

async function checkPlace(present: Grid, added: Grid): Promise<void> {
  const shapes = [present, added].map(({ width, height, layers }) => `${width} × ${height} × ${layers?.count ?? 1}`);
  if (shapes[0] !== shapes[1])
    throw new ConversionError(`The dataset has ${shapes[0]} cells, and the input ${shapes[1]}.`);
  await checkSameCrs(present, added, 'Grids');
  const [dx, dy] = [Math.hypot(present.affine[1], present.affine[4]), Math.hypot(present.affine[2], present.affine[5])];
  const slack = tolerance * Math.min(dx, dy);
  // A difference of the cell sizes adds up over the grid.
  const length = [1, present.width, present.height, 1, present.width, present.height];
  const apart = present.affine.some((value, n) => Math.abs(value - added.affine[n]!) * length[n]! > slack);
  const levels =
    present.layers !== undefined &&
    added.layers !== undefined &&
    (Math.abs(present.layers.first - added.layers.first) > slack || present.layers.spacing !== added.layers.spacing);
  if (apart || levels)
    throw new ConversionError('The cells of the input lie at other coordinates than those of the dataset.');
}
