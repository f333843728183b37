import type { Geometry } from '../../data/feature-collection.ts';
import { ownersByNesting, ownersByWinding } from './ring-nesting.ts';
import { copyRing, Rings } from './rings.ts';

/**
 * Assembles rings in any order, as in a shapefile, into a Polygon or MultiPolygon, like GDAL's organizePolygons.
 * Clockwise rings are outer rings; a counter-clockwise ring is a hole of the smallest outer ring around it. If that
 * fails (no clockwise ring, or a hole outside of every outer ring), winding is ignored: rings at even nesting depth are
 * outer rings, those at odd depth are holes.
 */
export function organizePolygons(coordinates: Float64Array, stride: number, parts: Uint32Array): Geometry {
  if (parts.length === 1) return { type: 'Polygon', coordinates, parts };
  const rings = new Rings(coordinates, stride, parts);
  const outer = rings.doubleArea.reduce((sum, area) => sum + Number(area < 0), 0);
  // A single outer ring that comes first: like GDAL, take all others as its holes without a test.
  if (outer === 1 && rings.isOuter(0)) return { type: 'Polygon', coordinates, parts };
  if (outer < parts.length && !ownersByWinding(rings)) ownersByNesting(rings);
  return ordered(rings);
}

/** Sorts the rings: each outer ring in the order of the file, followed by its holes. */
function ordered(rings: Rings): Geometry {
  const { coordinates, stride, owner } = rings;
  // Linked lists: the first hole of each outer ring, and the next hole of the same ring.
  const holes = new Int32Array(owner.length).fill(-1);
  const next = new Int32Array(owner.length);
  for (let n = owner.length - 1; n >= 0; n--) {
    const outer = owner[n]!;
    if (outer < 0) continue;
    next[n] = holes[outer]!;
    holes[outer] = n;
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
