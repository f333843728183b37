import type { Crs } from '../../../data/crs-reference.ts';
import { ConversionError, FormatError } from '../../../errors.ts';
import { crsFromWkt, crsName, crsText, resolveCrs, sridOf, wgs84 } from '../../../geo/crs/crs.ts';
import type { DfsProjection } from './header.ts';

export const LONG_LAT = 'LONG/LAT';
/** Local coordinates. */
export const LOCAL = 'NON-UTM';

const utm = /^UTM-([1-9]|[1-5]\d|60)([NS])?$/i;
/** The projection text that MIKE programs write for UTM zones, which are on WGS 84. */
const mikeUtm = /^PROJCS\["UTM-(\d+)[NS]?",GEOGCS\["Unused",DATUM\["UTM Projections",SPHEROID\["WGS 1984",6378137,/;
const falseNorthing = /PARAMETER\["False_Northing",(\d+)/;

const utmZone = (zone: string, south: boolean): Crs => ({
  authority: 'EPSG',
  code: (south ? 32700 : 32600) + Number(zone),
});

/** The coordinate system of a projection text; undefined for local coordinates. An unknown text is kept as it is. */
export function crsOfProjection(projection: Pick<DfsProjection, 'text'> | undefined): Crs | undefined {
  const text = projection?.text.trim() ?? '';
  if (text === '' || text.toUpperCase() === LOCAL) return undefined;
  if (text.toUpperCase() === LONG_LAT) return wgs84;
  const named = utm.exec(text);
  if (named !== null) return { ...utmZone(named[1]!, named[2]?.toUpperCase() === 'S'), wkt: text };
  const mike = mikeUtm.exec(text);
  if (mike !== null) {
    const south = Number(falseNorthing.exec(text)?.[1] ?? 0) > 0;
    return { ...utmZone(mike[1]!, south), wkt: text };
  }
  return { wkt: text };
}

/** Like `crsOfProjection`, with the registry code that PROJ finds for the WKT, if any. */
export async function identifiedCrs(projection: Pick<DfsProjection, 'text'> | undefined): Promise<Crs | undefined> {
  const crs = crsOfProjection(projection);
  if (crs?.wkt === undefined || crs.code !== undefined) return crs;
  try {
    const { authority, code } = await crsFromWkt(crs.wkt);
    return authority === undefined || code === undefined ? crs : { authority, code, wkt: crs.wkt };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return crs;
  }
}

/**
 * The projection text for a coordinate system: `NON-UTM`, `LONG/LAT`, Esri's WKT 1, or the unknown text of the source
 * file.
 * @throws ConversionError for a system that WKT 1 cannot express, such as a rotated pole
 */
export async function projectionText(crs: Crs | undefined): Promise<string> {
  if (crs === undefined) return LOCAL;
  if (sridOf(crs) === 'EPSG:4326') return LONG_LAT;
  try {
    return await crsText(crs, 'WKT1_ESRI');
  } catch (error) {
    if (!(error instanceof FormatError) || crs.code !== undefined || crs.wkt === undefined) throw error;
    if ((await resolveCrs(crs)) === undefined) return crs.wkt;
    throw new ConversionError(
      `Programs that read DFS do not know the coordinate system '${crsName(crs).slice(0, 80)}'. Add a crsTransformation.`,
    );
  }
}
