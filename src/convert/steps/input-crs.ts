import type { Crs } from '../../data/crs-reference.ts';
import { AppError } from '../../errors.ts';

/**
 * The coordinate system of data that are to be reprojected.
 * @throws AppError when it is not known
 */
export function knownInputCrs({ crs }: { readonly crs?: Crs }, outputSrid: string): Crs {
  if (crs !== undefined) return crs;
  throw new AppError(
    'unprocessable',
    `The coordinate system of the input is not known, so it cannot be reprojected to ${outputSrid}. Give inputSrid, or SRID to the reader.`,
  );
}
