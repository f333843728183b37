import type { Affine } from '../../data/grid.ts';
import type { Axis, Samples } from '../../data/item.ts';
import type { ArrayItem, MultiArray, Placement } from '../../data/multi-array.ts';
import { nodataOf } from '../../data/samples.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { PreparedGeometry } from '../../geo/vector/prepared-geometry.ts';
import { chainsFor } from './spatial-filter.ts';
import type { SpatialFilter } from './transformation-shapes.ts';

/** Columns and rows of cells, ends excluded. */
interface CellWindow {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * Crops the two located dimensions of an array to the cells whose centre lies inside the filter's geometry. Other cells
 * of the window get nodata. Items over other dimensions stay.
 */
export async function arrayWithin(array: MultiArray, filter: SpatialFilter, context: Context): Promise<MultiArray> {
  const { placement, axes } = array;
  if (placement === undefined)
    throw new ConversionError(
      'The values have no coordinates on a map (such as a spectrum), so a spatial filter cannot select them.',
    );
  const prepared = new PreparedGeometry((await chainsFor(array.crs, filter)).flat());
  const [width, height] = [axes[placement.x]!.values.length, axes[placement.y]!.values.length];
  const space = placement.by === 'nodes' ? placement.space : undefined;
  const layers = space === undefined ? 1 : axes[space.z]!.values.length;
  const inside = cellsInside(placement, { width, height, layers }, prepared);
  const window = windowOf(inside, width, height);
  if (window === undefined)
    throw new ConversionError(
      `The geometry of the spatial filter holds the centre of none of the ${inside.length} cells.`,
    );
  const { left, right, top, bottom } = window;
  const items = array.items.map((item) => (isPlaced(item, placement) ? withNodata(item) : item));
  context.log('info', `${right - left} columns and ${bottom - top} rows are left of ${width} and ${height}.`);
  return {
    ...array,
    axes: axes.map((axis, n) => {
      if (n === placement.x) return part(axis, left, right);
      return n === placement.y ? part(axis, top, bottom) : axis;
    }),
    placement: cropped(placement, window, width, height),
    items,
    async read(item, step, start, shape) {
      const { axes: numbers, nodata } = items[item]!;
      const [xAt, yAt] = [numbers.indexOf(placement.x), numbers.indexOf(placement.y)];
      if (xAt < 0 || yAt < 0) return array.read(item, step, start, shape);
      const from = start.map((first, d) => first + (d === xAt ? left : d === yAt ? top : 0));
      const values = await array.read(item, step, from, shape);
      const strides = shape.map((_, d) => shape.slice(d + 1).reduce((product, one) => product * one, 1));
      const indexIn = (d: number, n: number) => from[d]! + (Math.floor(n / strides[d]!) % shape[d]!);
      const zAt = space === undefined ? -1 : numbers.indexOf(space.z);
      const keeps = (n: number) => {
        const layer = zAt < 0 ? 0 : indexIn(zAt, n);
        return inside[(layer * height + indexIn(yAt, n)) * width + indexIn(xAt, n)] === 1;
      };
      return masked(values, keeps, nodata!);
    },
  };
}

const isPlaced = ({ axes }: ArrayItem, { x, y }: Placement): boolean => axes.includes(x) && axes.includes(y);

const withNodata = (item: ArrayItem): ArrayItem => ({
  ...item,
  nodata: item.nodata ?? nodataOf(item.integer64 ?? item.type ?? 'Float64', undefined),
});

function masked(values: Samples, keeps: (n: number) => boolean, nodata: number): Samples {
  const kept = values.slice() as Samples;
  for (let n = 0; n < kept.length; n++) if (!keeps(n)) kept[n] = nodata;
  return kept;
}

interface Size {
  readonly width: number;
  readonly height: number;
  readonly layers: number;
}

/** 1 for each cell, layer by layer and row by row, whose centre lies inside. */
function cellsInside(placement: Placement, size: Size, prepared: PreparedGeometry): Uint8Array {
  const { width, height, layers } = size;
  const centre = centresOf(placement, size);
  return Uint8Array.from({ length: width * height * layers }, (_, n) => {
    const line = Math.floor(n / width);
    const [x, y] = centre(n % width, line % height, Math.floor(line / height));
    return Number(prepared.covers(x, y));
  });
}

type CentreOf = (column: number, row: number, layer: number) => [x: number, y: number];

/** The centre of a curvilinear cell is the mean of its corners: four, or eight in space. */
function centresOf(placement: Placement, { width, height }: Size): CentreOf {
  if (placement.by === 'affine') {
    const [x, a, b, y, c, d] = placement.affine;
    return (column, row) => [x + (column + 0.5) * a + (row + 0.5) * b, y + (column + 0.5) * c + (row + 0.5) * d];
  }
  const { nodeX, nodeY, space } = placement;
  const face = [0, 1, width + 1, width + 2];
  const perLevel = (width + 1) * (height + 1);
  const corners = space === undefined ? face : [...face, ...face.map((corner) => corner + perLevel)];
  return (column, row, layer) => {
    const first = layer * perLevel + row * (width + 1) + column;
    const mean = (of: Float64Array) => corners.reduce((sum, corner) => sum + of[first + corner]!, 0) / corners.length;
    return [mean(nodeX), mean(nodeY)];
  };
}

function windowOf(inside: Uint8Array, width: number, height: number): CellWindow | undefined {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let n = 0; n < inside.length; n++) {
    if (inside[n] === 0) continue;
    const [column, row] = [n % width, Math.floor(n / width) % height];
    left = Math.min(left, column);
    right = Math.max(right, column + 1);
    top = Math.min(top, row);
    bottom = Math.max(bottom, row + 1);
  }
  return left < right ? { left, right, top, bottom } : undefined;
}

const part = ({ values, edges, ...axis }: Axis, first: number, end: number): Axis => ({
  ...axis,
  values: values.slice(first, end),
  ...(edges === undefined ? {} : { edges: edges.slice(first, end + 1) }),
});

function cropped(
  placement: Placement,
  { left, right, top, bottom }: CellWindow,
  width: number,
  height: number,
): Placement {
  if (placement.by === 'affine') {
    const [x, a, b, y, c, d] = placement.affine;
    const affine: Affine = [x + left * a + top * b, a, b, y + left * c + top * d, c, d];
    return { ...placement, affine };
  }
  const [columns, rows, whole] = [right - left + 1, bottom - top + 1, (width + 1) * (height + 1)];
  const corners = (of: Float64Array) =>
    Float64Array.from({ length: (of.length / whole) * columns * rows }, (_, n) => {
      const line = Math.floor(n / columns);
      return of[Math.floor(line / rows) * whole + (top + (line % rows)) * (width + 1) + left + (n % columns)]!;
    });
  const { nodeX, nodeY, space } = placement;
  return {
    ...placement,
    nodeX: corners(nodeX),
    nodeY: corners(nodeY),
    ...(space === undefined ? {} : { space: { ...space, nodeZ: corners(space.nodeZ) } }),
  };
}
