import type { Crs } from '../../data/crs-reference.ts';
import { FormatError } from '../../errors.ts';
import { crsFromWkt, crsText, wgs84 } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';

/**
 * The .prj file of WGS 84 as written by Esri software and GDAL. Loading PROJ would take longer than converting a small
 * file.
 */
const wgs84Text =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';

export async function crsOfPrj(text: string, { remark }: Context): Promise<Crs | undefined> {
  if (text.trim() === '') return undefined;
  if (text.replace(/\s/g, '') === wgs84Text) return wgs84;
  try {
    return await crsFromWkt(text);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    remark(`The .prj file was ignored: ${error.message}`);
    return undefined;
  }
}

/** The content of a .prj file; undefined if Esri's WKT cannot express the CRS. */
export async function prjOfCrs(crs: Crs, { reportLoss }: Context): Promise<string | undefined> {
  if (crs.code === wgs84.code && crs.authority === wgs84.authority) return wgs84Text;
  try {
    return await crsText(crs, 'WKT1_ESRI');
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    reportLoss(`The .prj file was left out, because it cannot store the coordinate system: ${error.message}`, 'crs');
    return undefined;
  }
}
