import type { Crs } from '../../data/crs-reference.ts';
import { AppError } from '../../errors.ts';

/**
 * The coordinate system of data that are to be reprojected.
 * @throws AppError when it is not known
 */
export function knownInputCrs(
  { crs, located }: { readonly crs?: Crs; readonly located?: false },
  outputSrid: string,
): Crs {
  if (located === false)
    throw new AppError(
      'unprocessable',
      `The input does not say where its cells lie, so they cannot be brought to ${outputSrid}.`,
    );
  if (crs !== undefined) return crs;
  throw new AppError(
    'unprocessable',
    `The coordinate system of the input is not known, so it cannot be reprojected to ${outputSrid}. Give inputSrid, or SRID to the reader.`,
  );
}
