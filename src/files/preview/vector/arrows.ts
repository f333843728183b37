import type { Crs } from '../../data/crs-reference.ts';
import { type AxisDirections, axisDirections, type PlaneAxes } from '../../geo/crs/axis-directions.ts';
import { HALF_WORLD, type Lattice } from '../../tiles/matrices.ts';
import type { SourceSlice } from '../../tiles/raster/values/item-values.ts';
import type { TileNumber } from '../../tiles/vector/vector-tile.ts';
import type { Raster } from '../raster/raster.ts';
import { placed, type Shape, type ShapeLayer } from './draw-layer.ts';

/** Arrows on a side of a tile, evenly over all tiles of a level: about 23 pixels apart. */
const perSide = 11;

/** Components of a vector. */
export interface VectorItems {
  readonly x: number;
  readonly y: number;
  /** The axes along which they are, in the plane of the coordinate system. Absent: true east and north. */
  readonly axes?: PlaneAxes;
}

/**
 * Points of a vector field: its components, length, and direction to which it points, in degrees clockwise from true
 * north.
 */
export async function arrows(
  raster: Raster,
  crs: Crs,
  tile: TileNumber,
  { x, y, axes }: VectorItems,
  slice: SourceSlice,
  check: () => void,
): Promise<ShapeLayer> {
  const lattice = latticeOver(tile);
  const [across, up] = [
    await valuesAt(raster, lattice, { ...slice, item: x }, check),
    await valuesAt(raster, lattice, { ...slice, item: y }, check),
  ];
  const found = [...across.keys()].filter((n) => !Number.isNaN(across[n]! + up[n]!));
  const places = found.map((n) => {
    const column = lattice.column + (n % perSide) + 0.5;
    const row = lattice.row + Math.floor(n / perSide) + 0.5;
    return Float64Array.of(column * lattice.size, row * lattice.size);
  });
  const degrees = places.map(degreesOf);
  const turned =
    axes &&
    (await axisDirections(
      crs,
      axes,
      Float64Array.from(degrees, ([longitude]) => longitude),
      Float64Array.from(degrees, ([, latitude]) => latitude),
    ));
  const shapes: Shape[] = [];
  for (const [k, n] of found.entries()) {
    const [u, v] = [across[n]!, up[n]!];
    const place = places[k]!;
    const [east, north] = turned === undefined ? [u, v] : onEarth(turned, k, u, v);
    const direction = (Math.atan2(east, north) * 180) / Math.PI;
    shapes.push({
      id: n + 1,
      geometry: placed(1, place),
      values: [short(u), short(v), short(Math.hypot(u, v)), Number((((direction % 360) + 360) % 360).toFixed(1)) % 360],
      side: 0,
      size: 0,
      coalesced: false,
    });
  }
  return { name: 'arrows', keys: ['u', 'v', 'speed', 'direction'], lines: false, shapes };
}

/** East and north components of a vector along axes; as it is where the axes have no direction. */
function onEarth({ x, y }: AxisDirections, n: number, u: number, v: number): [east: number, north: number] {
  const [east, north] = [u * x.east[n]! + v * y.east[n]!, u * x.north[n]! + v * y.north[n]!];
  return Number.isNaN(east + north) ? [u, v] : [east, north];
}

/** Seven digits, those of a single. */
const short = (value: number): number => Number(value.toPrecision(7));

function degreesOf([x, y]: Float64Array): [longitude: number, latitude: number] {
  const northing = (HALF_WORLD - y!) / HALF_WORLD;
  return [(x! / HALF_WORLD - 1) * 180, (Math.atan(Math.sinh(northing * Math.PI)) * 180) / Math.PI];
}

async function valuesAt(
  raster: Raster,
  lattice: Lattice,
  slice: SourceSlice & { readonly item: number },
  check: () => void,
): Promise<Float64Array> {
  const all = new Float64Array(perSide * perSide).fill(Number.NaN);
  const [rows] = await raster.planes(lattice, slice, check);
  for await (const { firstRow, values } of rows!) {
    check();
    all.set(values.subarray(0, all.length - firstRow * perSide), firstRow * perSide);
  }
  return all;
}

const latticeOver = ({ level, column, row }: TileNumber): Lattice => ({
  left: -HALF_WORLD,
  top: HALF_WORLD,
  size: (2 * HALF_WORLD) / (perSide * 2 ** level),
  column: column * perSide,
  row: row * perSide,
  width: perSide,
  height: perSide,
});
