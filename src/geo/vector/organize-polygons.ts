import type { Geometry } from '../../data/feature-collection.ts';
import { ownersByNesting, ownersByWinding } from './ring-nesting.ts';
import { copyRing, Rings } from './rings.ts';

/**
 * Rings in any order, as a shapefile has them, made into a polygon or several. Outer rings run clockwise; a ring that runs the other way
 * is a hole of the smallest outer ring around it. Where that does not work out (no clockwise ring, or a hole that lies in none), the
 * winding is not trusted and rings are outer or hole by turns, from the outside in.
 */
export function polygonOf(coordinates: Float64Array, stride: number, parts: Uint32Array): Geometry {
  if (parts.length === 1) return { type: 'Polygon', coordinates, parts };
  const rings = new Rings(coordinates, stride, parts);
  const outer = rings.area.reduce((sum, area) => sum + Number(area < 0), 0);
  // One outer ring, in front: GDAL, too, takes all others for its holes without looking.
  if (outer === 1 && rings.isOuter(0)) return { type: 'Polygon', coordinates, parts };
  if (outer < parts.length && !ownersByWinding(rings)) ownersByNesting(rings);
  return ordered(rings);
}

/** Each outer ring, in the order of the file, followed by its holes. */
function ordered(rings: Rings): Geometry {
  const { coordinates, stride, owner } = rings;
  // Of each ring the first of its holes, and of each hole the next of the same ring.
  const holes = new Int32Array(owner.length).fill(-1);
  const next = new Int32Array(owner.length);
  for (let n = owner.length - 1; n >= 0; n--) {
    const around = owner[n]!;
    if (around < 0) continue;
    next[n] = holes[around]!;
    holes[around] = n;
  }
  const sorted = new Float64Array(coordinates.length);
  const parts = new Uint32Array(owner.length);
  const polygons: number[] = [];
  let at = 0;
  let count = 0;
  const put = (n: number) => {
    parts[count++] = at;
    at = copyRing(coordinates, stride, rings.first(n), rings.end(n), sorted, at, false);
  };
  for (let n = 0; n < owner.length; n++) {
    if (owner[n]! >= 0) continue;
    polygons.push(count);
    put(n);
    for (let hole = holes[n]!; hole >= 0; hole = next[hole]!) put(hole);
  }
  if (polygons.length === 1) return { type: 'Polygon', coordinates: sorted, parts };
  return { type: 'MultiPolygon', coordinates: sorted, parts, polygons: Uint32Array.from(polygons) };
}
