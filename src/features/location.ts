import { describeCrs, kindOf, wgs84 } from 'hydrofiles/crs';
import type { Crs } from 'hydrofiles/data';
import { FormatError } from 'hydrofiles/errors';
import type { Area } from 'hydrofiles/features';
import { extentIn } from './spatial-filter.ts';

/** Where the features of a file lie. */
export interface Location {
  /** Coordinate system with PROJ's name and WKT; absent: unknown, or not on the earth. */
  readonly crs?: Crs & { readonly name: string; readonly wkt: string };
  /** West, south, east, north in degrees; west > east if the data cross the antimeridian. */
  readonly extent?: readonly [number, number, number, number];
}

/** Decimals of degrees, about a decimetre. */
const decimals = 6;

export async function locateFeatures(crs: Crs | undefined, box: Area | undefined): Promise<Location> {
  if (crs === undefined) return {};
  try {
    const known = await describeCrs(crs);
    if (!/^(geographic|projected|compound)/.test(kindOf(known))) return {};
    const { authority, code, name, wkt } = known;
    const described = { name, wkt, ...(code === undefined ? {} : { authority: authority ?? 'EPSG', code }) };
    return { crs: described, ...(box && { extent: await geographicExtent(box, described) }) };
  } catch (error) {
    // a system that PROJ cannot read, or from which there is no way to WGS 84
    if (!(error instanceof FormatError)) throw error;
    return {};
  }
}

async function geographicExtent(box: Area, crs: Crs): Promise<readonly [number, number, number, number]> {
  const { west, south, east, north } = await extentIn(box, crs, wgs84);
  // outwards, so that the extent contains its features
  const down = (value: number) => Math.floor(value * 10 ** decimals) / 10 ** decimals;
  const up = (value: number) => Math.ceil(value * 10 ** decimals) / 10 ** decimals;
  const wide = east - west >= 360;
  const turned = (longitude: number) =>
    longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude;
  return [
    wide ? -180 : turned(down(west)),
    Math.max(-90, down(south)),
    wide ? 180 : turned(up(east)),
    Math.min(90, up(north)),
  ];
}
