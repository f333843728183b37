import { withDimensions } from '../../../data/dimensions.ts';
import type { FeatureCollection, Geometry } from '../../../data/feature-collection.ts';

const flat = { hasZ: false, hasM: false };

/** Whether all vertices of a geometry with heights are at the height 0. */
export const isFlat = ({ coordinates, members = [] }: Geometry): boolean =>
  coordinates.every((value, n) => n % 3 !== 2 || value === 0) && members.every(isFlat);

/** Whether a vertex of features with heights is not at the height 0. */
export async function hasHeights({ chunks }: FeatureCollection): Promise<boolean> {
  for await (const chunk of chunks())
    if (chunk.some(({ geometry }) => geometry !== undefined && !isFlat(geometry))) return true;
  return false;
}

export const withoutHeights = (features: FeatureCollection): FeatureCollection => ({
  ...features,
  ...flat,
  async *chunks() {
    for await (const chunk of features.chunks())
      yield chunk.map(({ geometry, ...rest }) =>
        geometry === undefined ? rest : { ...rest, geometry: withDimensions(geometry, features, flat) },
      );
  },
});
