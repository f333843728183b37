import type { Geometry } from '../../data/feature-collection.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { parseSrid, sridOf } from '../../geo/crs/crs.ts';
import { parseGeometry } from '../../geo/vector/wkt-geometry.ts';
import { isText, type Members } from './request-members.ts';
import { readSrid } from './srid-member.ts';

/** Reads the required member `geometry`, and its coordinate system from the member `SRID` or its EWKT prefix. */
export function readGeometry(members: Members): { geometry: Geometry; srid?: string } | undefined {
  const text = members.need('geometry', isText, 'well-known text such as POLYGON ((0 0, 1 0, 0 1, 0 0))');
  const given = members.has('SRID') ? readSrid(members, 'SRID') : undefined;
  if (text === undefined) return undefined;
  try {
    const { geometry, srid: own } = parseGeometry(text);
    const srid = given ?? (own === undefined ? undefined : sridOf(parseSrid(own)));
    if (own !== undefined && srid !== sridOf(parseSrid(own)))
      members.refuse('SRID', `${members.pathOf('SRID')} is ${srid}, but the geometry's own SRID is ${own}.`);
    return { geometry, ...(srid === undefined ? {} : { srid }) };
  } catch (error) {
    if (!(error instanceof FormatError || error instanceof ConversionError)) throw error;
    return members.refuse('geometry', error.message);
  }
}
