import type { KnownCrs } from './crs.ts';
import { parseWkt, type WktNode } from './wkt.ts';

/** Whether the registry writes northing or latitude before easting or longitude. */
export function isNorthFirst({ wkt }: Pick<KnownCrs, 'wkt'>): boolean {
  const axis = firstAxis(parseWkt(wkt));
  return axis !== undefined && /^(?:north|south)$/i.test(String(axis.values[1])) && !isPolar(axis);
}

/** The first axis of the horizontal part. */
function firstAxis(node: WktNode): WktNode | undefined {
  for (const value of node.values) {
    if (typeof value !== 'object' || /^(?:BASE|CONVERSION|DATUM|ENSEMBLE)/.test(value.keyword)) continue;
    const found = value.keyword === 'AXIS' ? value : firstAxis(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Both axes of a polar projection point to the north or south, along two meridians: their names show the easting. */
const isPolar = (axis: WktNode): boolean =>
  axis.values.some((value) => typeof value === 'object' && value.keyword === 'MERIDIAN') &&
  /^(?:easting|x\b|e\b)/i.test(String(axis.values[0]));
