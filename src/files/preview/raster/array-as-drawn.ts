import { arrayToMesh } from '../../convert/bridges/array-to-mesh.ts';
import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { ArrayItem, MultiArray } from '../../data/multi-array.ts';
import { sameNumbers } from '../../data/number-arrays.ts';

/** Values that are read at a time, unless a row has more. */
const blockValues = 1 << 18;

/**
 * The grid or mesh that an array with a placement is drawn as: of the items that have a value in each cell, of one
 * layer or several. Undefined for one that has none.
 */
export function arrayAsDrawn(array: MultiArray): Grid | Mesh | undefined {
  const { placement } = array;
  if (placement === undefined || array.crs === undefined) return undefined;
  const covering = array.items.flatMap((item, n) => (coversCells(array, item) ? [n] : []));
  const [first] = covering;
  if (first === undefined) return undefined;
  if (placement.by === 'affine') return layeredGrid(array, placement.affine, covering);
  const alike = covering.filter((n) => sameNumbers(array.items[n]!.axes, array.items[first]!.axes));
  const chosen: MultiArray = {
    ...array,
    items: alike.map((n) => array.items[n]!),
    read: (item, ...of) => array.read(alike[item]!, ...of),
  };
  return arrayToMesh(chosen, { context: { reportLoss() {} } });
}

/** Whether the last dimensions of an item are those of the cells, after at most one of layers. */
const coversCells = ({ placement }: MultiArray, { axes }: ArrayItem): boolean =>
  axes.at(-1) === placement!.x && axes.at(-2) === placement!.y && axes.length <= 3;

/** Layers are numbered: their heights may be uneven. Items without layers have the same values in all. */
function layeredGrid(array: MultiArray, affine: Grid['affine'], covering: readonly number[]): Grid {
  const { placement, axes, items, time, crs } = array;
  const [width, height] = [axes[placement!.x]!.values.length, axes[placement!.y]!.values.length];
  const levels = (n: number) => (items[n]!.axes.length === 3 ? axes[items[n]!.axes[0]!]!.values.length : 1);
  const most = Math.max(...covering.map(levels));
  // Items with fewer layers than others have no value in each of them.
  const chosen = covering.filter((n) => [1, most].includes(levels(n)));
  return {
    kind: 'grid',
    width,
    height,
    affine,
    ...(crs && { crs }),
    ...(time && { time }),
    ...(most > 1 && { layers: { count: most, first: 0, spacing: 1 } }),
    bands: chosen.map((n) => {
      const { axes: _axes, overTime: _overTime, ...band } = items[n]!;
      return band;
    }),
    async *rows({ band, step, layer }, { first, end } = { first: 0, end: height }) {
      const n = chosen[band]!;
      const before = items[n]!.axes.length === 3 ? [layer] : [];
      const rows = Math.max(1, Math.floor(blockValues / width));
      for (let firstRow = first; firstRow < end; firstRow += rows) {
        const rowCount = Math.min(rows, end - firstRow);
        const samples = await array.read(n, step, [...before, firstRow, 0], [...before.map(() => 1), rowCount, width]);
        yield { firstRow, rowCount, samples };
      }
    },
  };
}
