import type { Crs } from '../../data/crs-reference.ts';
import { FormatError } from '../../errors.ts';
import { describeCrs } from './crs.ts';
import { type Transformer, transformer } from './transform.ts';
import { parseWkt, type WktNode, writeWkt } from './wkt.ts';

/**
 * The geographic CRS that a projected one is based on: same datum and prime meridian, longitude and latitude in
 * degrees. A geographic CRS is its own base.
 * @throws FormatError for a CRS of another kind
 */
async function geographicBase(crs: Crs): Promise<Crs> {
  const known = await describeCrs(crs);
  if (known.geographic) return known;
  const base = find(parseWkt(known.wkt), ['BASEGEOGCRS', 'BASEGEODCRS']);
  if (base === undefined) throw new FormatError(`The coordinate system ${known.name} has no longitude and latitude.`);
  const kept = base.values.filter(
    (value) =>
      typeof value === 'string' ||
      (typeof value === 'object' && /^(DATUM|ENSEMBLE|DYNAMIC|PRIMEM)$/.test(value.keyword)),
  );
  const text = writeWkt({ keyword: 'GEOGCRS', values: kept });
  return {
    wkt: `${text.slice(0, -1)},CS[ellipsoidal,2],AXIS["longitude",east],AXIS["latitude",north],ANGLEUNIT["degree",0.0174532925199433]]`,
  };
}

function find(node: WktNode, keywords: readonly string[]): WktNode | undefined {
  if (keywords.includes(node.keyword)) return node;
  for (const value of node.values) {
    const found = typeof value === 'object' ? find(value, keywords) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** From longitude and latitude on the CRS's own datum, so that no datum shift is involved, to the CRS. */
export const projecting = async (crs: Crs): Promise<Transformer> => transformer(await geographicBase(crs), crs);

/** Back from the CRS to longitude and latitude on its own datum. */
export const unprojecting = async (crs: Crs): Promise<Transformer> => transformer(crs, await geographicBase(crs));

/** Half the length, in degrees, of the piece of a meridian that shows its direction: about ten metres. */
const piece = 1e-4;

/**
 * Meridian convergence at a place: degrees from true north clockwise to grid north. Measured on a short piece of the
 * meridian.
 * @param project from `projecting`
 */
export function meridianConvergence(project: Transformer, longitude: number, latitude: number): number {
  const x = Float64Array.of(longitude, longitude);
  const y = Float64Array.of(Math.max(-90, latitude - piece), Math.min(90, latitude + piece));
  project.forward(x, y);
  return (Math.atan2(x[0]! - x[1]!, y[1]! - y[0]!) * 180) / Math.PI;
}
