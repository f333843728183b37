import type { Indices } from 'hydrofiles/data';
import { invalidMember } from '../errors.ts';
import type { Bounds, CellGrid, CellSpans } from './cell-grid.ts';
import { mostRead, tooManyRead } from './limits.ts';
import { composite, layers, numbers, type OutputAxis, other, single } from './output-axis.ts';
import { all, type Choice, type Selection } from './selection.ts';
import type { Dimension, Variable } from './variables.ts';

/** Values of an item over the cells of a grid or array, or over coordinates that lie nowhere. */
export function selectCells(variable: Variable, cells: CellGrid | undefined, choice: Choice): Selection {
  if (choice.elements !== undefined)
    throw invalidMember('element', 'Only meshes have elements. Ask for the cells of a grid with point or bbox.');
  const placed = variable.dimensions.some(({ role }) => role === 'x') ? cells : undefined;
  if (placed === undefined && (choice.point ?? choice.box) !== undefined)
    throw invalidMember(
      'item',
      `The values of '${variable.id}' have no coordinates on a map. Leave out point and bbox.`,
    );
  const before = besides(variable, choice);
  if (placed === undefined) return { ...before, shape: 'none' };
  if (choice.point !== undefined) return atPoint(before, placed, choice.point);
  const window = choice.box === undefined ? whole(placed) : placed.window(choice.box);
  return placed.aligned ? inGrid(before, placed, window) : asPoints(before, placed, window, choice.box);
}

type Before = Pick<Selection, 'indices' | 'axes' | 'shared'>;

/** The dimensions besides x and y. */
function besides({ id, dimensions, array, timed }: Variable, { layer }: Choice): Before {
  const lengths = timed ? array.metadata.shape.slice(1) : array.metadata.shape;
  const indices: Indices[] = [];
  const axes: OutputAxis[] = [];
  const shared: OutputAxis[] = [];
  const keys = keysOf(dimensions);
  for (const [d, dimension] of dimensions.entries()) {
    if (dimension.role === 'layer') {
      const count = lengths[d]!;
      checkLayer(layer, count);
      const chosen = layer === undefined ? Array.from({ length: count }, (_, n) => n) : [layer];
      indices.push(layer === undefined ? all(count) : { first: layer, length: 1 });
      (layer === undefined && count > 1 ? axes : shared).push(layers(chosen, dimension.axis));
    } else if (dimension.role === 'other') {
      indices.push(all(lengths[d]!));
      axes.push(other(dimension.axis, keys[d]!));
    }
  }
  if (layer !== undefined && !dimensions.some(({ role }) => role === 'layer'))
    throw invalidMember('layer', `The item '${id}' has no layers.`);
  return { indices, axes, shared };
}

/** Keys of further coordinates, none twice. */
export function keysOf(dimensions: readonly Dimension[]): string[] {
  const usedNames = new Set(['t', 'x', 'y', 'z', 'composite', 'time', 'layer', 'place', 'element', 'node']);
  return dimensions.map((dimension) => {
    if (dimension.role !== 'other') return dimension.role;
    let key = dimension.axis.name;
    for (let n = 2; usedNames.has(key); n++) key = `${dimension.axis.name}_${n}`;
    usedNames.add(key);
    return key;
  });
}

export function checkLayer(layer: number | undefined, count: number): void {
  if (layer !== undefined && layer >= count)
    throw invalidMember('layer', `There is no layer ${layer}: the data have layers 0 to ${count - 1}.`);
}

function atPoint(before: Before, cells: CellGrid, { x, y }: { x: number; y: number }): Selection {
  const found = cells.find(x, y);
  if (found === undefined) throw outside(x, y);
  const { column, row } = found;
  const point = { length: 1, x: () => cells.x(column, row), y: () => cells.y(column, row) };
  return {
    indices: [...before.indices, { first: row, length: 1 }, { first: column, length: 1 }],
    axes: before.axes,
    shared: [...single(point), ...before.shared],
    shape: 'place',
  };
}

export const outside = (x: number, y: number) =>
  invalidMember(
    'point',
    `The point ${x},${y} lies in no cell of the data. The description of the dataset says where they lie.`,
  );

const whole = ({ width, height }: CellGrid): CellSpans => [
  { first: 0, length: height },
  { first: 0, length: width },
];

function isIn(cells: CellGrid, column: number, row: number, { west, south, east, north }: Bounds): boolean {
  const [x, y] = [cells.x(column, row), cells.y(column, row)];
  return x >= west && x <= east && y >= south && y <= north;
}

function inGrid(before: Before, cells: CellGrid, [rows, columns]: CellSpans): Selection {
  const along = (of: (index: number) => number, { first, length }: { first: number; length: number }) =>
    Float64Array.from({ length }, (_, n) => of(first + n));
  return {
    indices: [...before.indices, rows, columns],
    axes: [
      ...before.axes,
      numbers(
        'y',
        along((row) => cells.y(0, row), rows),
        true,
      ),
      numbers(
        'x',
        along((column) => cells.x(column, 0), columns),
        true,
      ),
    ],
    shared: before.shared,
    shape: 'grid',
  };
}

/** The cells of a rotated or curvilinear grid, whose coordinates are pairs. */
function asPoints(before: Before, cells: CellGrid, [rows, columns]: CellSpans, box: Bounds | undefined): Selection {
  // before the coordinates of each cell are listed
  if (rows.length * columns.length > mostRead) throw tooManyRead(rows.length * columns.length);
  const kept: number[] = [];
  for (let n = 0; n < rows.length * columns.length; n++) {
    const [column, row] = [columns.first + (n % columns.length), rows.first + Math.floor(n / columns.length)];
    if (box === undefined || isIn(cells, column, row, box)) kept.push(n);
  }
  const of = (along: (column: number, row: number) => number) => (index: number) => {
    const n = kept[index]!;
    return along(columns.first + (n % columns.length), rows.first + Math.floor(n / columns.length));
  };
  const points = { length: kept.length, x: of(cells.x), y: of(cells.y) };
  return {
    indices: [...before.indices, rows, columns],
    axes: [...before.axes, composite(points)],
    shared: before.shared,
    kept: Uint32Array.from(kept),
    shape: 'points',
  };
}
