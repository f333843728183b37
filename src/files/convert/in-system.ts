import type { Crs } from '../data/crs-reference.ts';
import type { Data } from '../data/data.ts';
import { parseSrid } from '../geo/crs/crs.ts';

/**
 * The data in the coordinate system that the request gives. A mesh without a place, such as a point spectrum, has none:
 * its nodes would become places on the earth.
 */
export function inSystem<D extends Data & { readonly crs?: Crs }>(given: D, srid: string | undefined): D {
  if (given.kind !== 'mesh' || given.located !== false)
    return srid === undefined ? given : { ...given, crs: parseSrid(srid) };
  const { crs, ...placeless } = given;
  return crs === undefined ? given : (placeless as D);
}

/** Data whose names writers use have the name of the file, unless they have one. */
export const withName = <D extends Data>(data: D, name: string): D =>
  data.kind === 'features' || data.kind === 'mesh' ? { name, ...data } : data;
