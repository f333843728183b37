import { AppError } from '../../../errors.ts';
import type { Crs } from '../../data/crs-reference.ts';

/**
 * The coordinate system of the data that a step reprojects.
 * @throws AppError if it is unknown
 */
export function knownInputCrs(
  { crs, located }: { readonly crs?: Crs; readonly located?: false },
  outputSrid: string,
): Crs {
  if (located === false)
    throw new AppError(
      'unprocessable',
      `The input is not georeferenced, so it cannot be reprojected to ${outputSrid}.`,
    );
  if (crs !== undefined) return crs;
  throw new AppError(
    'unprocessable',
    `The coordinate system of the input is not known, so it cannot be reprojected to ${outputSrid}. Give inputSrid, or SRID to the reader.`,
  );
}
