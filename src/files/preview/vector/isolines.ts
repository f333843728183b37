import { Contouring, leastDistance } from '../../geo/contour/contour-geometries.ts';
import { GridContours } from '../../geo/contour/grid-contours.ts';
import { HALF_WORLD, type Lattice, MERCATOR_TILE } from '../../tiles/matrices.ts';
import type { TileNumber } from '../../tiles/vector/vector-tile.ts';
import type { Raster, RasterSlice } from '../raster/raster.ts';
import { placed, type Shape, type ShapeLayer } from './draw-layer.ts';

/** Pixels around a tile, so that lines go on in its buffer and meet those of the next tile. */
const margin = 6;
/** Lines that would be a dot. */
const leastPixels = 1;

/**
 * Isolines of the values at the pixels of a tile: linear between the centres of pixels. Neighbouring tiles have the
 * same values at the same pixels, so their lines meet.
 */
export async function isolines(
  raster: Raster,
  tile: TileNumber,
  slice: RasterSlice,
  levels: readonly number[],
  check: () => void,
): Promise<ShapeLayer> {
  const lattice = latticeAround(tile);
  const { size, width, column, row } = lattice;
  const affine = [column * size, size, 0, row * size, 0, size] as const;
  const apart = leastDistance(1, width);
  const contouring = new Contouring({ levels }, false, 1, apart, affine);
  const contours = new GridContours(contouring.builder, width, apart);
  const [rows] = await raster.planes(lattice, { ...slice, smooth: true }, check);
  for await (const { rowCount, values } of rows!) {
    check();
    for (let n = 0; n < rowCount; n++) contours.add(values.subarray(n * width, (n + 1) * width));
  }
  contours.end();
  const shapes = contouring.take().flatMap(({ number, geometry: { coordinates } }, id): Shape[] => {
    const geometry = placed(2, coordinates);
    const [west, north, east, south] = geometry.bounds;
    const side = Math.max(east - west, south - north) / size;
    const value = contouring.builder.levels.at(number);
    return side < leastPixels ? [] : [{ id: id + 1, geometry, values: [value], side, size: side, coalesced: false }];
  });
  return { name: 'isolines', keys: ['level'], lines: true, shapes };
}

function latticeAround({ level, column, row }: TileNumber): Lattice {
  const side = MERCATOR_TILE + 2 * margin;
  return {
    left: -HALF_WORLD,
    top: HALF_WORLD,
    size: (2 * HALF_WORLD) / (MERCATOR_TILE * 2 ** level),
    column: column * MERCATOR_TILE - margin,
    row: row * MERCATOR_TILE - margin,
    width: side,
    height: side,
  };
}
