import { cellSize, type Grid } from '../../data/grid.ts';
import { joinTimes } from '../../data/join-times.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { inRowOrder, isNear } from '../../formats/io/flip-rows.ts';
import { checkSameCrs } from './join-crs.ts';
import { convertValues, keptExact, matchItems } from './join-items.ts';

/** Maximum offset between the layers of the two grids, as a share of a cell. */
const tolerance = 1e-3;

/**
 * Appends the steps of the input to the grid of a dataset. Both must have the same cells, items and coordinate system.
 */
export async function joinGrids(present: Grid, given: Grid, context: Context): Promise<Grid> {
  const added = await inRowOrder(given, present, context);
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

async function checkPlace(present: Grid, added: Grid): Promise<void> {
  const shapes = [present, added].map(({ width, height, layers }) => `${width} × ${height} × ${layers?.count ?? 1}`);
  if (shapes[0] !== shapes[1])
    throw new ConversionError(`The dataset has ${shapes[0]} cells, and the input ${shapes[1]}.`);
  await checkSameCrs(present, added, 'Grids');
  const [levels, others] = [present.layers, added.layers];
  const sameLevels =
    levels === undefined ||
    others === undefined ||
    (Math.abs(levels.first - others.first) <= tolerance * cellSize(present) && levels.spacing === others.spacing);
  if (!isNear(present, added.affine) || !sameLevels)
    throw new ConversionError('The cells of the input lie at other coordinates than those of the dataset.');
}
