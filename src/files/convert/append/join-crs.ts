import type { Crs } from '../../data/crs-reference.ts';
import { ConversionError } from '../../errors.ts';
import { crsName, sameCrs } from '../../geo/crs/crs.ts';

interface Placed {
  readonly crs?: Crs;
}

/** @throws ConversionError if input and dataset have different coordinate systems */
export async function checkSameCrs({ crs: present }: Placed, { crs: added }: Placed, what: string): Promise<void> {
  const same = present === undefined || added === undefined ? present === added : await isSame(present, added);
  if (same) return;
  const [one, other] = [present, added].map((crs) => (crs === undefined ? 'unknown' : crsName(crs)));
  throw new ConversionError(
    `The coordinate system of the dataset is ${one}, and that of the input ${other}. ${what} are not reprojected when they are appended; add a crsTransformation.`,
  );
}

/** Texts that PROJ cannot parse are compared literally. */
const isSame = async (one: Crs, other: Crs): Promise<boolean> =>
  (one.code === undefined && one.wkt === other.wkt) || sameCrs(one, other);
