import { HALF_WORLD, MERCATOR_TILE } from '../../tiles/matrices.ts';
import type { SourceSlice } from '../../tiles/raster/values/item-values.ts';
import { FeatureChooser, type Stored } from '../../tiles/vector/choose-features.ts';
import type { TileNumber } from '../../tiles/vector/vector-tile.ts';
import type { PlacedCells, Raster } from '../raster/raster.ts';
import { placed, type ShapeLayer } from './draw-layer.ts';

/** Pixels of a usual cell that is drawn. */
const leastPixels = 4;

/**
 * The cells of a grid, or the elements of a mesh, with their values; those without one have no attribute. Undefined on
 * levels where a usual cell has less than 4 pixels.
 */
export async function elements(
  raster: Raster,
  tile: TileNumber,
  slice: SourceSlice & { readonly item: number | undefined },
  check: () => void,
): Promise<ShapeLayer | undefined> {
  const pixel = (2 * HALF_WORLD) / (MERCATOR_TILE * 2 ** tile.level);
  if (raster.cell < leastPixels * pixel) return undefined;
  const cells = await raster.cellsWithin(tile, slice, check);
  check();
  const chooser = new FeatureChooser({ x: pixel, y: pixel }, false);
  chooser.add(boxesOf(cells));
  const { features, side } = chooser.chosen();
  return {
    name: 'elements',
    keys: ['value'],
    lines: false,
    side,
    shapes: features.map(({ number, ...sized }) => ({
      ...sized,
      id: cells.ids[number]!,
      geometry: placed(3, ringOf(cells, number)),
      values: [Number.isNaN(cells.values[number]!) ? null : cells.values[number]!],
    })),
  };
}

/** The corners of a cell from the upper left corner of the map. */
function ringOf({ x, y, starts, corners }: PlacedCells, cell: number): Float64Array {
  const [first, end] = [starts[cell]!, starts[cell + 1]!];
  const ring = new Float64Array(2 * (end - first + 1));
  for (let n = first; n <= end; n++) {
    const node = corners[n === end ? first : n]!;
    ring[2 * (n - first)] = x[node]! + HALF_WORLD;
    ring[2 * (n - first) + 1] = HALF_WORLD - y[node]!;
  }
  return ring;
}

function boxesOf(cells: PlacedCells) {
  const count = cells.starts.length - 1;
  const boxes = new Float64Array(4 * count);
  for (let cell = 0; cell < count; cell++) boxes.set(placed(3, ringOf(cells, cell)).bounds, 4 * cell);
  return {
    touched: Array.from({ length: count }, (_, cell) => 4 * cell),
    boxes,
    found: (at: number): Stored => ({ number: at / 4, offset: 0, end: 0 }),
  };
}
