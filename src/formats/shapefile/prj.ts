import type { Crs } from '../../data/crs-reference.ts';
import { FormatError } from '../../errors.ts';
import { crsFromWkt, crsText, wgs84 } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';

/** What ESRI's and GDAL's programs write for WGS 84: known without asking PROJ, whose loading takes longer than a small file. */
const wgs84Text =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';

export async function crsOfPrj(text: string, { log }: Context): Promise<Crs | undefined> {
  if (text.trim() === '') return undefined;
  if (text.replace(/\s/g, '') === wgs84Text) return wgs84;
  try {
    return await crsFromWkt(text);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    log('warning', `The .prj file is not used: ${error.message}`);
    return undefined;
  }
}

/** The content of a .prj file; undefined when its dialect cannot say it. */
export async function prjOfCrs(crs: Crs, { lost }: Context): Promise<string | undefined> {
  if (crs.code === wgs84.code && crs.authority === wgs84.authority) return wgs84Text;
  try {
    return await crsText(crs, 'WKT1_ESRI');
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    lost(`The coordinate system cannot be written into a .prj file: ${error.message}`);
    return undefined;
  }
}
