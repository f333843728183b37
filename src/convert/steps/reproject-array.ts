import type { MultiArray } from '../../data/multi-array.ts';
import { AppError, FormatError } from '../../errors.ts';
import { crsName, parseSrid, sameCrs } from '../../geo/crs/crs.ts';
import { operationSentence } from '../../geo/crs/operation.ts';
import { transformer } from '../../geo/crs/transform.ts';
import type { StepContext } from '../kinds/handler.ts';
import { knownInputCrs } from './input-crs.ts';

/** The same array with the corners of its curvilinear cells in another coordinate system. */
export async function reprojectedArray(
  array: MultiArray,
  outputSrid: string,
  shared: StepContext,
): Promise<MultiArray> {
  const { placement } = array;
  if (placement?.by !== 'nodes')
    throw new AppError(
      'unprocessable',
      'The cells of the array do not say where they lie, so they cannot be reprojected.',
    );
  const known = knownInputCrs(array, outputSrid);
  const target = parseSrid(outputSrid);
  if (await sameCrs(known, target)) return { ...array, crs: target };
  using change = await transformer(known, target);
  const [nodeX, nodeY] = [placement.nodeX.slice(), placement.nodeY.slice()];
  const failed = change.forward(nodeX, nodeY);
  if (failed > 0) throw new FormatError(`${failed} corners of cells have no place in ${crsName(target)}.`);
  const sentence = operationSentence(change.operation());
  shared.operations.push(() => sentence);
  shared.to = target;
  // Axes of their own: a file's axis has the corners in the old coordinate system.
  return { ...array, crs: target, axes: [...array.axes], placement: { ...placement, nodeX, nodeY } };
}
