import { parseSrid, sridOf, wgs84 } from 'hydrofiles/crs';
import type { Crs } from 'hydrofiles/data';
import { ConversionError } from 'hydrofiles/errors';
import { invalidMember } from '../errors.ts';

/** A coordinate system as OGC API Features names it, which decides the order of coordinates. */
export interface NamedCrs {
  readonly uri: string;
  readonly crs: Crs;
  /** Longitude comes first, although the registry says latitude. */
  readonly lonLat?: true;
}

const OGC = 'http://www.opengis.net/def/crs';
export const CRS84: NamedCrs = { uri: `${OGC}/OGC/1.3/CRS84`, crs: wgs84, lonLat: true };

const URI = /^https?:\/\/www\.opengis\.net\/def\/crs\/(EPSG|ESRI)\/[\w.]+\/(\d{1,9})$/i;
const URN = /^urn:(?:x-)?ogc:def:crs:(EPSG|ESRI):[\w.]*:(\d{1,9})$/i;
const SHORT = /^\[?(?:(EPSG|ESRI):)?(\d{1,9})\]?$/i;
const IS_CRS84 =
  /^(?:https?:\/\/www\.opengis\.net\/def\/crs\/OGC\/(?:1\.3\/CRS84|0\/CRS84h)|urn:ogc:def:crs:OGC:(?:1\.3)?:CRS84|\[?(?:OGC:)?CRS84\]?)$/i;

/** URI of a system with a code. */
export const crsUri = (crs: Crs): string | undefined =>
  crs.code === undefined ? undefined : `${OGC}/${crs.authority ?? 'EPSG'}/0/${crs.code}`;

/** @param member name of the parameter, for the error */
export function crsNamed(member: string, text: string): NamedCrs {
  if (IS_CRS84.test(text)) return CRS84;
  const [, authority, code] = URI.exec(text) ?? URN.exec(text) ?? SHORT.exec(text) ?? [];
  try {
    if (code !== undefined) {
      const crs = parseSrid(authority === undefined ? code : `${authority}:${code}`);
      return { uri: crsUri(crs)!, crs };
    }
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
  }
  throw invalidMember(
    member,
    `${member} must name a coordinate system, such as ${OGC}/EPSG/0/25832, EPSG:25832 or CRS84, not '${text.slice(0, 100)}'.`,
  );
}

/** Name of a stored system: longitude and latitude on WGS 84 are CRS84, because data have longitude first. */
export function storedName(crs: Crs): NamedCrs | undefined {
  if (sridOf(crs) === 'EPSG:4326') return CRS84;
  const uri = crsUri(crs);
  return uri === undefined ? undefined : { uri, crs };
}
