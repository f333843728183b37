import { arrayToMesh } from '../../convert/bridges/array-to-mesh.ts';
import { planeOfArray } from '../../convert/kinds/array-picture.ts';
import { gridLine, type LineValues, meshLine } from '../../convert/steps/profile/line-values.ts';
import { Box } from '../../data/box.ts';
import type { Crs } from '../../data/crs-reference.ts';
import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import { ConversionError } from '../../errors.ts';
import { gridOfArray, isPlaced } from '../../formats/io/grid-of-array.ts';
import { describeCrs, sridOf, wgs84 } from '../../geo/crs/crs.ts';
import { transformer } from '../../geo/crs/transform.ts';
import type { LinePoints } from '../../geo/profile/points-along.ts';
import type { ProfileMethod } from '../../geo/profile/weights.ts';
import { checkSingle, layersOfMesh, nameOf, type PreviewData, refused } from './choose.ts';

/** An item and a layer of a grid or a mesh. */
export interface Plane {
  readonly data: Grid | Mesh;
  readonly item: number;
  readonly layer: number;
}

const silent = { reportLoss() {}, remark() {} };

/**
 * The grid or mesh on which an item has its values; of an array the cells of one layer.
 * @param what is asked for, for messages
 */
export function planeOf(data: PreviewData, item: number, layer: number, what: string): Plane {
  if (data.kind === 'grid') return { data, item, layer };
  if (data.kind === 'mesh') {
    checkSingle(data.items, item);
    return { data, item, layer };
  }
  if (data.kind !== 'array') throw refused(data, what);
  const described = data.items[item]!;
  checkSingle(data.items, item);
  const plane = planeOfArray(data, item, layer);
  if (described.axes.length < 2 || described.axes.length > 3 || plane.placement === undefined)
    throw new ConversionError(`The item '${nameOf(described, item)}' has no cells on the map, so it has no ${what}.`);
  return {
    data: isPlaced(plane) ? gridOfArray(plane, false, silent) : arrayToMesh(plane, { context: silent }),
    item: 0,
    layer: 0,
  };
}

/** Values of a plane at points of the map. */
export interface PointValues {
  /** 1 for points outside of the data. */
  readonly outside: Uint8Array;
  /** One value per point, NaN without one. */
  at(item: number, step: number): Promise<Float64Array>;
}

/** @param points longitudes and latitudes */
export async function pointValues(
  { data, layer }: Plane,
  points: LinePoints,
  method: { readonly grid: ProfileMethod; readonly mesh: ProfileMethod },
): Promise<PointValues> {
  const places = await placesIn(data, points);
  const count = points.x.length;
  // A point that cannot be transformed lies outside.
  const placed = Array.from({ length: count }, (_, n) => n).filter((n) => Number.isFinite(places.x[n]! + places.y[n]!));
  const there = {
    x: Float64Array.from(placed, (n) => places.x[n]!),
    y: Float64Array.from(placed, (n) => places.y[n]!),
  };
  const line = placed.length === 0 ? nowhere : lineOf(data, layer, there, method);
  const outside = new Uint8Array(count).fill(1);
  for (const [k, n] of placed.entries()) outside[n] = line.outside[k]!;
  const isOutside = outside.every((one) => one === 1);
  return {
    outside,
    async at(item, step) {
      const values = new Float64Array(count).fill(Number.NaN);
      if (isOutside) return values;
      const found = await line.values(item, step, layer);
      for (const [k, n] of placed.entries()) values[n] = found[k]!;
      return values;
    },
  };
}

const nowhere = { values: async () => new Float64Array(), outside: new Uint8Array() };

function lineOf(
  data: Grid | Mesh,
  layer: number,
  points: LinePoints,
  method: { readonly grid: ProfileMethod; readonly mesh: ProfileMethod },
): { values: LineValues; outside: Uint8Array } {
  if (data.kind === 'grid') return gridLine(data, points, method.grid);
  const { values, outsideOf } = meshLine(data, layersOfMesh(data).layerOf, points, method.mesh);
  return { values, outside: outsideOf(layer) };
}

/**
 * Longitudes and latitudes in the coordinate system of the data, NaN where it has no place for them.
 * @throws ConversionError for data without a place on the map
 */
export async function placesIn(data: Grid | Mesh, points: LinePoints): Promise<LinePoints> {
  const crs = crsOnMap(data);
  const [x, y] = [points.x.slice(), points.y.slice()];
  await project(crs, x, y);
  const { geographic, unit } = await describeCrs(crs);
  if (!geographic) return { x, y };
  // Longitudes of data may begin at 0.
  const turn = (2 * Math.PI) / unit.factor;
  const middle = middleOf(data);
  for (let n = 0; n < x.length; n++) x[n] = x[n]! - turn * Math.round((x[n]! - middle) / turn);
  return { x, y };
}

/** Replaces longitudes and latitudes by coordinates in another system; NaN where it has none. */
export async function project(crs: Crs, x: Float64Array, y: Float64Array): Promise<void> {
  if (sridOf(crs) === sridOf(wgs84)) return;
  using change = await transformer(wgs84, crs);
  change.forward(x, y);
}

/** @throws ConversionError for data without a place on the map */
export function crsOnMap({ crs, located }: { readonly crs?: Crs; readonly located?: false }): Crs {
  if (crs !== undefined && located !== false) return crs;
  throw new ConversionError('The data have no coordinate system, so they have no place on the map.');
}

function middleOf(data: Grid | Mesh): number {
  if (data.kind === 'grid') {
    const [x, a, b] = data.affine;
    return x + (a * data.width + b * data.height) / 2;
  }
  const { west, east } = Box.of(data.nodes, 3);
  return (west + east) / 2;
}
