import { withCells } from '../../convert/steps/mesh-part.ts';
import type { Grid } from '../../data/grid.ts';
import { product } from '../../data/hyperslab.ts';
import type { Item } from '../../data/item.ts';
import type { Mesh } from '../../data/mesh.ts';
import { cellCentres, cellCount, nodeMeans } from '../../data/mesh-cells.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import { sameNumbers } from '../../data/number-arrays.ts';
import { realValues } from '../../data/real-values.ts';
import { sliceSamples } from '../../data/slice-samples.ts';
import { partsOf } from './array-parts.ts';
import { type Cell, shortener } from './cells.ts';
import { itemName, itemsOf, layersOfMesh } from './choose.ts';
import type { Column } from './row-source.ts';

/** Cells of data as rows of a table. */
export interface CellRows {
  readonly columns: readonly Column[];
  readonly count: number;
  /** For each column the cell of a row, counted from `first`. */
  cells(first: number, count: number, throwIfCancelled: () => void): Promise<((row: number) => Cell)[]>;
}

const number = (name: string, unit?: string): Column => ({ name, ...(unit ? { unit } : {}), type: 'number' });

const itemColumn = (items: readonly Pick<Item, 'name' | 'unit'>[], n: number): Column => {
  const { name, unit } = itemName(items, n);
  return number(name, unit);
};

function cellsOf(values: Float64Array, item: Item): (row: number) => Cell {
  const shorten = shortener(item);
  return (row) => (Number.isNaN(values[row]!) ? null : shorten(values[row]!));
}

/** Cells row by row: the centre of each, and the values of all bands. */
export function rowsOfGrid(grid: Grid, step: number, layer: number): CellRows {
  const { width, height, bands, affine } = grid;
  const [x, a, b, y, c, d] = affine;
  return {
    columns: [number('x'), number('y'), ...bands.map((_, n) => itemColumn(itemsOf(grid), n))],
    count: width * height,
    async cells(first, count, throwIfCancelled) {
      const range = { first: Math.floor(first / width), end: Math.floor((first + count - 1) / width) + 1 };
      const at = (row: number) => [((first + row) % width) + 0.5, Math.floor((first + row) / width) + 0.5] as const;
      const columns: ((row: number) => Cell)[] = [
        (row) => x + at(row)[0] * a + at(row)[1] * b,
        (row) => y + at(row)[0] * c + at(row)[1] * d,
      ];
      const before = first - range.first * width;
      for (const [band, described] of bands.entries()) {
        throwIfCancelled();
        const samples = await sliceSamples(grid, { band, step, layer }, range);
        columns.push(cellsOf(realValues(samples.subarray(before, before + count), described), described));
      }
      return columns;
    },
  };
}

/** Elements of a layer: their id, centre and values; of items with values at nodes the mean of the nodes. */
export function rowsOfMesh(mesh: Mesh, step: number, layer: number): CellRows {
  const cells =
    mesh.section === undefined
      ? layersOfMesh(mesh).layerOf(layer).cells
      : Uint32Array.from({ length: cellCount(mesh) }, (_, cell) => cell);
  const shown = mesh.items.flatMap(({ components }, n) => (components === undefined ? [n] : []));
  return {
    columns: [number('element'), number('x'), number('y'), ...shown.map((n) => itemColumn(mesh.items, n))],
    count: cells.length,
    async cells(first, count, throwIfCancelled) {
      const page = cells.subarray(first, first + count);
      const { layers: _, ...whole } = mesh;
      const part = withCells(whole, page);
      const centres = cellCentres(part);
      const columns: ((row: number) => Cell)[] = [
        (row) => mesh.cellIds?.[page[row]!] ?? page[row]! + 1,
        (row) => centres[3 * row]!,
        (row) => centres[3 * row + 1]!,
      ];
      for (const n of shown) {
        throwIfCancelled();
        const described = mesh.items[n]!;
        const values = await part.values(n, step);
        const own = described.location === 'cell' ? values : nodeMeans(part, values, described);
        columns.push(cellsOf(realValues(own, described), described));
      }
      return columns;
    },
  };
}

/** Values of the items that have the dimensions of the first one, with a coordinate of each dimension. */
export function rowsOfArray(array: MultiArray, step: number): CellRows {
  const axes = (array.items[0]?.axes ?? []).map((n) => array.axes[n]!);
  const shown = array.items.flatMap((item, n) => (sameNumbers(item.axes, array.items[0]!.axes) ? [n] : []));
  const shape = axes.map(({ values }) => values.length);
  return {
    columns: [...axes.map(({ name, unit }) => number(name, unit)), ...shown.map((n) => itemColumn(array.items, n))],
    count: array.items.length === 0 ? 0 : product(shape),
    async cells(first, count, throwIfCancelled) {
      const columns = axes.map(({ values }, d) => {
        const inner = product(shape.slice(d + 1));
        return (row: number): Cell => values[Math.floor((first + row) / inner) % values.length]!;
      });
      for (const n of shown) {
        const page = new Float64Array(count);
        let before = 0;
        for (const [start, size] of partsOf(shape)) {
          const length = product(size);
          if (before < first + count && before + length > first) {
            throwIfCancelled();
            const values = realValues(await array.read(n, step, start, size), array.items[n]!);
            const part = values.subarray(Math.max(0, first - before), first + count - before);
            page.set(part, Math.max(0, before - first));
          }
          before += length;
        }
        columns.push(cellsOf(page, array.items[n]!));
      }
      return columns;
    },
  };
}
