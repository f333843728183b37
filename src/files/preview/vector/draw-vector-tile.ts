import type { Crs } from '../../data/crs-reference.ts';
import type { Affine } from '../../data/grid.ts';
import type { Item } from '../../data/item.ts';
import { RequestError } from '../../errors.ts';
import type { PlaneAxes } from '../../geo/crs/axis-directions.ts';
import { mercatorMatrices } from '../../tiles/matrices.ts';
import { rangesOf } from '../../tiles/raster/drawing.ts';
import type { SourceSlice } from '../../tiles/raster/values/item-values.ts';
import { type TileNumber, zippedTile } from '../../tiles/vector/vector-tile.ts';
import { type PreviewVectorTile, VECTOR_LAYERS, type VectorLayer } from '../preview.ts';
import type { Raster } from '../raster/raster.ts';
import { pointsEast, vectorPairs } from '../vector-pairs.ts';
import { arrows, type VectorItems } from './arrows.ts';
import { drawLayer, type ShapeLayer } from './draw-layer.ts';
import { elements } from './elements.ts';
import { isolines } from './isolines.ts';
import { isolineLevels } from './levels.ts';

/** Data on the map. */
export interface VectorSource {
  readonly raster: Raster;
  readonly crs: Crs;
  readonly items: readonly Item[];
  /** Of a grid. */
  readonly affine?: Affine;
}

/**
 * The gzipped layers of a tile in the order in which they are drawn. Undefined for one in which nothing lies.
 * Without an item, elements have no values and there are no isolines.
 */
export async function drawVectorTile(
  { raster, crs, items, affine }: VectorSource,
  { z, x, y, layers, levels, scheme }: PreviewVectorTile,
  { item, ...slice }: SourceSlice & { readonly item: number | undefined },
  check: () => void,
): Promise<Uint8Array | undefined> {
  const tile: TileNumber = { level: z, column: x, row: y };
  const draw: Record<VectorLayer, () => Promise<ShapeLayer | undefined>> = {
    elements: () => elements(raster, tile, { ...slice, item }, check),
    isolines: async () =>
      item === undefined ? undefined : isolines(raster, tile, { ...slice, item }, isolineLevels(levels, scheme), check),
    arrows: () => arrows(raster, crs, tile, vectorOf(items, item, affine), slice, check),
  };
  if (!touches(raster, tile)) return undefined;
  const parts: Uint8Array[] = [];
  const hasVector = vectorPairs(items).size > 0;
  for (const name of VECTOR_LAYERS) {
    if (layers === undefined ? name === 'arrows' && !hasVector : !layers.includes(name)) continue;
    const layer = await draw[name]();
    const bytes = layer && drawLayer(tile, layer);
    if (bytes !== undefined) parts.push(bytes);
  }
  // The layers of a tile follow each other.
  return parts.length === 0 ? undefined : zippedTile(Buffer.concat(parts));
}

function touches({ boxes }: Raster, { level, column, row }: TileNumber): boolean {
  return rangesOf(mercatorMatrices, level, boxes).some(
    ({ firstColumn, endColumn, firstRow, endRow }) =>
      column >= firstColumn && column < endColumn && row >= firstRow && row < endRow,
  );
}

/** The vector of which an item is a component, or else the first one. @throws RequestError if there is none */
function vectorOf(items: readonly Item[], item: number | undefined, affine: Affine | undefined): VectorItems {
  const pairs = [...vectorPairs(items)].map(([x, y]) => ({ x, y }));
  const found = pairs.find(({ x, y }) => x === item || y === item) ?? pairs[0];
  if (found !== undefined) return pointsEast(items[found.x]!) ? found : { ...found, axes: axesOf(affine) };
  throw new RequestError('No two items are the components of a vector, so there are no arrows.');
}

/** The axes of a grid that is turned; else those of the coordinate system, however rows and columns run. */
function axesOf(affine: Affine | undefined): PlaneAxes {
  const [, a, b, , c, d] = affine ?? [0, 1, 0, 0, 0, 1];
  if (b === 0 && c === 0) return { x: [1, 0], y: [0, 1] };
  // y lies to the left of x
  return { x: [a, c], y: a * d - b * c > 0 ? [b, d] : [-b, -d] };
}
