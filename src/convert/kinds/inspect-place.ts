import type { Crs } from '../../data/crs-reference.ts';
import { FormatError } from '../../errors.ts';
import { describeCrs, sridOf, wgs84 } from '../../geo/crs/crs.ts';
import { transformer } from '../../geo/crs/transform.ts';
import type { Extent, Inspection } from '../inspection.ts';

type Points = readonly (readonly [x: number, y: number])[];

/** Points on each side of an outline: straight lines of one system are curves in another. */
const perSide = 16;

export const ring = (corner: (u: number, v: number) => readonly [number, number]): Points =>
  Array.from({ length: perSide }, (_, n) => n / perSide).flatMap((share) => [
    corner(share, 0),
    corner(1, share),
    corner(1 - share, 1),
    corner(0, 1 - share),
  ]);

export const cornersOf = ({ west, south, east, north }: Extent): Points =>
  ring((u, v) => [west + u * (east - west), south + v * (north - south)]);

/** What the coordinate system is called, and what the outline covers in it and in degrees. */
export async function inspectPlace(inspection: Inspection, crs: Crs | undefined, outline: Points): Promise<void> {
  const x = Float64Array.from(outline, ([value]) => value);
  const y = Float64Array.from(outline, ([, value]) => value);
  const extent = extentOf(x, y);
  if (extent !== undefined) inspection.extent = extent;
  if (crs === undefined) return;
  try {
    const known = await describeCrs(crs);
    const srid = sridOf(known);
    inspection.crs = { ...(srid === undefined ? {} : { srid }), name: known.name, kind: known.kind };
    using change = await transformer(known, wgs84);
    const lost = change.forward(x, y);
    const degrees = extentOf(x, y);
    if (lost === 0 && degrees !== undefined) inspection.extentWgs84 = degrees;
  } catch (error) {
    // The rest can be told all the same.
    if (!(error instanceof FormatError)) throw error;
    inspection.crs ??= { name: 'unknown', kind: 'other' };
  }
}

function extentOf(x: Float64Array, y: Float64Array): Extent | undefined {
  if (x.length === 0 || !x.every(Number.isFinite) || !y.every(Number.isFinite)) return undefined;
  return { west: Math.min(...x), south: Math.min(...y), east: Math.max(...x), north: Math.max(...y) };
}
