import type { DatabaseSync } from 'node:sqlite';
import type { Crs } from '../../data/crs-reference.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { crsFromWkt, parseSrid } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';
import { guarded } from './sql.ts';

/** The coordinate system of a layer by its definition. One that cannot be read is ignored with a remark. */
export async function readCrs(database: DatabaseSync, srs: number, { remark }: Context): Promise<Crs | undefined> {
  if (srs === 0 || srs === -1) return undefined;
  const row = guarded(() => database.prepare('select * from gpkg_spatial_ref_sys where srs_id = ?').get(srs));
  if (row === undefined) {
    remark(`The coordinate system ${srs} of the layer is not defined in the file, so it is not known.`);
    return undefined;
  }
  const organization = String(row.organization ?? '');
  const texts = [row.definition_12_063, row.definition].map((text) => String(text ?? ''));
  const wkt = texts.find((text) => text !== '' && text.toLowerCase() !== 'undefined');
  try {
    if (/^(?:EPSG|ESRI)$/i.test(organization))
      return parseSrid(`${organization}:${String(row.organization_coordsys_id)}`);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    if (wkt === undefined) remark(`The coordinate system of the file was ignored: ${error.message}`);
  }
  if (wkt === undefined) return undefined;
  try {
    return await crsFromWkt(wkt);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    remark(`The coordinate system of the file was ignored: ${error.message}`);
    return undefined;
  }
}
