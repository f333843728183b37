import type { Axis } from '../../data/item.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { ArrayItem, MultiArray } from '../../data/multi-array.ts';
import { sameNumbers } from '../../data/number-arrays.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { type Corner, latticeCells, lineCells } from './lattice-cells.ts';

/**
 * Converts an array to a mesh. Two dimensions become quads, three become hexahedra, one becomes lines between the
 * values. Curvilinear cells keep their corners. A spectrum lies in the plane of its frequencies and directions.
 */
export function arrayToMesh(array: MultiArray, { context }: { context: Pick<Context, 'reportLoss'> }): Mesh {
  const { crs, time, axes, items } = array;
  const [first] = items;
  const numbers = first?.axes ?? [];
  const shown = items.flatMap((item, n) => (sameNumbers(item.axes, numbers) ? [n] : []));
  if (numbers.length < 1 || numbers.length > 3)
    throw new ConversionError(`Values over ${numbers.length} dimensions have no cells; they need one to three.`);
  if (shown.length < items.length)
    context.reportLoss(
      `Items whose dimensions differ from those of '${first!.name ?? 'the first item'}' were left out. Choose them by an item filter.`,
    );
  const own = numbers.map((n) => axes[n]!);
  const [upright] = own;
  if (numbers.length === 3 && upright!.edges === undefined)
    context.reportLoss(`Cells have heights (z) halfway between the coordinates of '${upright!.name}'.`);
  const shape = own.map(({ values }) => values.length);
  const start = shape.map(() => 0);
  const location = numbers.length === 1 ? 'node' : 'cell';
  return {
    kind: 'mesh',
    ...(crs === undefined ? {} : { crs }),
    ...(time === undefined ? {} : { time }),
    ...cellsOf(array, numbers, own),
    items: shown.map((n) => {
      const { axes: _axes, overTime: _overTime, ...item } = items[n] as ArrayItem;
      return { ...item, location };
    }),
    values: (item, step) => array.read(shown[item]!, step, start, shape),
  };
}

function cellsOf({ placement }: MultiArray, numbers: readonly number[], own: readonly Axis[]) {
  const [x, y, z] = own.toReversed() as [Axis, Axis?, Axis?];
  if (y === undefined) return lineCells(Array.from(x.values, (value) => [value, 0] as const));
  const [width, height] = [x.values.length, y.values.length];
  const levels = z === undefined ? {} : { levels: Array.from(boundariesOf(z)) };
  const [yNumber, xNumber] = numbers.slice(-2);
  const placed = placement !== undefined && placement.x === xNumber && placement.y === yNumber;
  const cells = latticeCells({
    width,
    height,
    corner: placed ? georeferencedCorner(placement, width) : rectangularCorner(x, y),
    ...levels,
  });
  const inSpace = placed && placement.by === 'nodes' && placement.space !== undefined && numbers.length === 3;
  return inSpace ? { ...cells, nodes: cornersInSpace(placement, placement.space) } : cells;
}

/** x, y and z of all corners of curvilinear cells, in the order of a lattice with layers. */
function cornersInSpace(
  { nodeX, nodeY }: { readonly nodeX: Float64Array; readonly nodeY: Float64Array },
  { nodeZ }: { readonly nodeZ: Float64Array },
): Float64Array {
  const nodes = new Float64Array(3 * nodeZ.length);
  for (let n = 0; n < nodeZ.length; n++) nodes.set([nodeX[n]!, nodeY[n]!, nodeZ[n]!], 3 * n);
  return nodes;
}

function georeferencedCorner(placement: NonNullable<MultiArray['placement']>, width: number): Corner {
  if (placement.by === 'affine') {
    const [x, a, b, y, c, d] = placement.affine;
    return (column, row) => [x + column * a + row * b, y + column * c + row * d];
  }
  const { nodeX, nodeY } = placement;
  return (column, row) => {
    const node = row * (width + 1) + column;
    return [nodeX[node]!, nodeY[node]!];
  };
}

function rectangularCorner(x: Axis, y: Axis): Corner {
  const [columns, rows] = [boundariesOf(x), boundariesOf(y)];
  return (column, row) => [columns[column]!, rows[row]!];
}

/**
 * Boundaries of the cells of an axis: the middle between two values; the outermost cells are symmetric around their
 * value.
 */
function boundariesOf({ values, edges }: Axis): Float64Array {
  if (edges !== undefined) return edges;
  const last = values.length - 1;
  const half = (n: number) => (last === 0 ? 0.5 : (values[n + 1]! - values[n]!) / 2);
  return Float64Array.from({ length: values.length + 1 }, (_, n) => {
    if (n === 0) return values[0]! - half(0);
    if (n > last) return values[last]! + half(last - 1);
    return (values[n - 1]! + values[n]!) / 2;
  });
}
