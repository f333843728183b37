import type { Crs } from '../../data/crs-reference.ts';
import { ConversionError } from '../../errors.ts';
import { parseSrid } from '../../geo/crs/crs.ts';
import type { Header } from './header-reader.ts';

/**
 * The coordinate system that a header names. Its text has not been parsed.
 * @param refused told why a file without a text has none
 */
export function headerCrs({ crs }: Pick<Header, 'crs'>, refused?: (why: string) => void): Crs | undefined {
  const { org = 'EPSG', code, wkt } = crs ?? {};
  try {
    if (code !== undefined && /^(EPSG|ESRI)$/i.test(org)) return parseSrid(`${org}:${code}`);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    if (wkt === undefined) refused?.(error.message);
  }
  return wkt === undefined ? undefined : { wkt };
}
