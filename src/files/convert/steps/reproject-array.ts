import type { MultiArray } from '../../data/multi-array.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { crsName, describeCrs } from '../../geo/crs/crs.ts';
import { transformer } from '../../geo/crs/transform.ts';
import { crossingQuads, crossingSentence } from './antimeridian.ts';
import { reprojectedBy } from './input-crs.ts';
import type { StepContext } from './step-context.ts';

/** Reprojects an array: transforms the corners of its curvilinear cells. */
export async function reprojectedArray(
  array: MultiArray,
  outputSrid: string,
  shared: StepContext,
): Promise<MultiArray> {
  const { placement } = array;
  if (placement?.by !== 'nodes')
    throw new ConversionError('The array is not georeferenced, so it cannot be reprojected.');
  return reprojectedBy(array, outputSrid, shared, async (known, target) => {
    using change = await transformer(known, target);
    const [nodeX, nodeY] = [placement.nodeX.slice(), placement.nodeY.slice()];
    const [from, to] = await Promise.all([describeCrs(known), describeCrs(target)]);
    // Corners of higher levels lie above those of the lowest.
    const [columns, rows] = [array.axes[placement.x]!.values.length, array.axes[placement.y]!.values.length];
    let crossing = from.geographic && !to.geographic ? crossingQuads(nodeX, columns, rows) : 0;
    const failed = change.forward(nodeX, nodeY);
    if (failed > 0) throw new FormatError(`${failed} corners of cells cannot be transformed to ${crsName(target)}.`);
    if (to.geographic) crossing = crossingQuads(nodeX, columns, rows);
    if (crossing > 0) shared.context.reportLoss(crossingSentence(`${crossing} cells`));
    const operation = change.operation();
    // New axes, because a file's axis has the corners in the old coordinate system.
    const data = { ...array, crs: target, axes: [...array.axes], placement: { ...placement, nodeX, nodeY } };
    return { data, operation: () => operation };
  });
}
