import { type Dimensions, strideOf } from '../../data/dimensions.ts';
import type { Feature, Geometry } from '../../data/feature-collection.ts';
import type { Transformer } from '../../geo/crs/transform.ts';

/** Transforms the features of a chunk in place; a vertex that cannot be transformed gets NaN. */
export function inDegrees(chunk: readonly Feature[], dimensions: Dimensions, change: Transformer): void {
  const stride = strideOf(dimensions);
  const arrays: Float64Array[] = [];
  const gather = ({ coordinates, members = [] }: Geometry) => {
    arrays.push(coordinates);
    for (const member of members) gather(member);
  };
  for (const { geometry } of chunk) if (geometry !== undefined) gather(geometry);
  const vertices = arrays.reduce((sum, { length }) => sum + length / stride, 0);
  const [x, y, z] = [0, 1, 2].map(() => new Float64Array(vertices)) as [Float64Array, Float64Array, Float64Array];
  let n = 0;
  for (const array of arrays)
    for (let i = 0; i < array.length; i += stride, n++) {
      x[n] = array[i]!;
      y[n] = array[i + 1]!;
      if (dimensions.hasZ && !Number.isNaN(array[i + 2]!)) z[n] = array[i + 2]!;
    }
  change.forward(x, y, dimensions.hasZ ? z : undefined);
  n = 0;
  for (const array of arrays)
    for (let i = 0; i < array.length; i += stride, n++) {
      array[i] = x[n]!;
      array[i + 1] = y[n]!;
      if (dimensions.hasZ && !Number.isNaN(array[i + 2]!)) array[i + 2] = z[n]!;
    }
}

/** The first vertex whose x or y is not finite. */
export function firstWrong({ coordinates, members = [] }: Geometry, stride: number): number[] | undefined {
  for (let i = 0; i < coordinates.length; i += stride)
    if (!Number.isFinite(coordinates[i]!) || !Number.isFinite(coordinates[i + 1]!))
      return [coordinates[i]!, coordinates[i + 1]!];
  for (const member of members) {
    const wrong = firstWrong(member, stride);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
