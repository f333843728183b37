import type { Crs } from '../../data/crs-reference.ts';
import { ConversionError } from '../../errors.ts';
import { parseSrid, sameCrs } from '../../geo/crs/crs.ts';
import { type Operation, operationSentence } from '../../geo/crs/operation.ts';
import type { StepContext } from './step-context.ts';

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

/** Data in another coordinate system; `operation` is complete when all of them were read. */
export interface Reprojected<D> {
  readonly data: D;
  operation(): Operation;
}

/** Reprojects data, unless they are in the coordinate system already, and notes the operation for the receipt. */
export async function reprojectedBy<D extends { readonly crs?: Crs; readonly located?: false }>(
  data: D,
  outputSrid: string,
  shared: StepContext,
  change: (known: Crs, target: Crs) => Promise<Reprojected<D>>,
): Promise<D> {
  const known = knownInputCrs(data, outputSrid);
  const target = parseSrid(outputSrid);
  if (await sameCrs(known, target)) return { ...data, crs: target };
  const changed = await change(known, target);
  shared.operations.push(() => operationSentence(changed.operation()));
  shared.to = target;
  return changed.data;
}
