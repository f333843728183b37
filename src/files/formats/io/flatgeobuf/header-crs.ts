import type { Crs } from '../../../data/crs-reference.ts';
import { ConversionError, FormatError } from '../../../errors.ts';
import { crsFromWkt, parseSrid } from '../../../geo/crs/crs.ts';
import type { Context } from '../../define.ts';
import type { Header } from './header-reader.ts';

/**
 * The coordinate system that a header names. Its text has not been parsed.
 * @param refused called with the reason if the file gets no WKT
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

/** The coordinate system of a file; its text is parsed by PROJ. One that cannot be read is ignored with a remark. */
export async function crsOf(
  header: Pick<Header, 'crs'>,
  { remark }: Pick<Context, 'remark'>,
): Promise<Crs | undefined> {
  const ignored = (why: string) => remark(`The coordinate system of the file was ignored: ${why}`);
  const named = headerCrs(header, ignored);
  if (named?.wkt === undefined) return named;
  try {
    return await crsFromWkt(named.wkt);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    ignored(error.message);
    return undefined;
  }
}
