import type { Crs } from '../../data/crs-reference.ts';
import { ConversionError } from '../../errors.ts';

/**
 * The coordinate system of the data that a step reprojects.
 * @throws ConversionError if it is unknown
 */
export function knownInputCrs(
  { crs, located }: { readonly crs?: Crs; readonly located?: false },
  outputSrid: string,
): Crs {
  if (located === false)
    throw new ConversionError(`The input is not georeferenced, so it cannot be reprojected to ${outputSrid}.`);
  if (crs !== undefined) return crs;
  throw new ConversionError(
    `The coordinate system of the input is not known, so it cannot be reprojected to ${outputSrid}. Give inputSrid, or SRID to the reader.`,
  );
}
