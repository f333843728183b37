import type { Grid, LayerAxis } from '../../data/grid.ts';
import type { Axis } from '../../data/item.ts';
import type { ArrayItem, MultiArray, Placement } from '../../data/multi-array.ts';
import { sameNumbers } from '../../data/number-arrays.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { levelName } from './cf/coordinates.ts';

/** Values that are read at a time, unless a row has more. */
const blockValues = 1 << 18;

type Placed = MultiArray & { readonly placement: Extract<Placement, { by: 'affine' }> };

/** Whether some items of the array have values in evenly spaced cells. */
export const isPlaced = (array: MultiArray): array is Placed =>
  array.placement?.by === 'affine' && array.items.some((item) => coversCells(array as Placed, item));

function coversCells({ placement: { x, y }, axes: all }: Placed, { axes }: ArrayItem): boolean {
  if (axes.at(-1) !== x || axes.at(-2) !== y) return false;
  return axes.length === 2 || (axes.length === 3 && levelName.test(all[axes[0]!]!.name));
}

/**
 * The grid of the items that have values in all cells, with the layers of the first of them; items that are constant
 * over time have the same values at each step. Reports the others.
 * @param layered whether to prefer items with layers
 * @throws ConversionError for layers that are not evenly spaced
 */
export function gridOfArray(
  array: Placed,
  layered: boolean,
  { reportLoss, remark }: Pick<Context, 'reportLoss' | 'remark'>,
): Grid {
  const { placement, axes, items, time, crs } = array;
  const covering = items.filter((item) => coversCells(array, item));
  const first = covering.find((item) => item.axes.length === (layered ? 3 : 2)) ?? covering[0]!;
  const chosen = items.flatMap((item, n) => (sameNumbers(item.axes, first.axes) ? [n] : []));
  for (const [n, { name = '' }] of items.entries())
    if (!chosen.includes(n)) reportLoss(`The item '${name}' was left out: its dimensions are not those of the grid.`);
  const steps = stepsOf(array);
  for (const n of chosen)
    if (!items[n]!.overTime && steps > 1)
      remark(`The item '${items[n]!.name ?? ''}' is constant over time; its values were written at each step.`);
  const [width, height] = [axes[placement.x]!.values.length, axes[placement.y]!.values.length];
  const level = first.axes.length === 3 ? axes[first.axes[0]!]! : undefined;
  const at = (band: number, step: number, layer: number, row: number, rows: number) => {
    const before = level === undefined ? [] : [layer];
    return array.read(chosen[band]!, step, [...before, row, 0], [...before.map(() => 1), rows, width]);
  };
  return {
    kind: 'grid',
    width,
    height,
    affine: placement.affine,
    ...(crs === undefined ? {} : { crs }),
    ...(time === undefined ? {} : { time }),
    ...(level === undefined ? {} : { layers: layersOf(level) }),
    bands: chosen.map((n) => {
      const { axes: _axes, overTime: _overTime, ...band } = items[n]!;
      return band;
    }),
    async *rows({ band, step, layer }, { first: from, end } = { first: 0, end: height }) {
      const most = Math.max(1, Math.floor(blockValues / width));
      for (let firstRow = from; firstRow < end; firstRow += most) {
        const rowCount = Math.min(most, end - firstRow);
        yield { firstRow, rowCount, samples: await at(band, step, layer, firstRow, rowCount) };
      }
    },
  };
}

function layersOf({ name, unit, values }: Axis): LayerAxis {
  const count = values.length;
  const first = values[0]!;
  const spacing = count < 2 ? 1 : (values[count - 1]! - first) / (count - 1);
  const even = values.every((value, n) => Math.abs(value - first - n * spacing) <= 1e-2 * Math.abs(spacing));
  if (!even || spacing <= 0)
    throw new ConversionError(
      `The levels '${name}' are not evenly spaced heights, so they are no layers of a grid. Choose one with a verticalFilter (--layers).`,
    );
  return { count, first, spacing, ...(unit === undefined ? {} : { unit }) };
}
