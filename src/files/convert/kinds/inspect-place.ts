import type { Crs } from '../../data/crs-reference.ts';
import { FormatError } from '../../errors.ts';
import { describeCrs, sridOf } from '../../geo/crs/crs.ts';
import { type Outline, outlineInDegrees, outlineOf } from '../../geo/vector/outline.ts';
import type { GridGeometry } from '../../geo/warp/image-transformer.ts';
import type { Extent, Inspection } from '../inspection.ts';

/** Adds the name of the CRS, and the extent in it and in degrees. `geometry` is absent for data without coordinates. */
export async function inspectPlace(
  inspection: Inspection,
  crs: Crs | undefined,
  geometry: GridGeometry | undefined,
): Promise<void> {
  const { x, y } = geometry === undefined ? nowhere : outlineOf(geometry);
  const extent = extentOf(x, y);
  if (extent !== undefined) inspection.extent = extent;
  if (crs === undefined) return;
  try {
    const known = await describeCrs(crs);
    const srid = sridOf(known);
    inspection.crs = { ...(srid === undefined ? {} : { srid }), name: known.name, kind: known.kind };
    const outline = extent && geometry && (await outlineInDegrees(geometry, known));
    if (outline !== undefined) inspection.extentWgs84 = extentOf(outline.x, outline.y)!;
  } catch (error) {
    // PROJ does not know the CRS; the rest of the inspection is still useful
    if (!(error instanceof FormatError)) throw error;
    inspection.crs ??= { name: 'unknown', kind: 'other' };
  }
}

const nowhere: Outline = { x: new Float64Array(), y: new Float64Array() };

function extentOf(x: Float64Array, y: Float64Array): Extent | undefined {
  if (x.length === 0 || !x.every(Number.isFinite) || !y.every(Number.isFinite)) return undefined;
  return { west: Math.min(...x), south: Math.min(...y), east: Math.max(...x), north: Math.max(...y) };
}
