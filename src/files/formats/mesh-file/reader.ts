import { symbolOf } from '../../data/eum/eum.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { Read } from '../define.ts';
import { crsOfProjection } from '../io/dfs/projection.ts';
import { readHeader } from './header.ts';
import type { readParameters } from './parameters.ts';
import { type Geometry, MeshParser } from './parse.ts';

export const read: Read<typeof readParameters> = async (source, { SRID }, context): Promise<Mesh> => {
  const header = await readHeader(source);
  const geometry = await new MeshParser(source, header).read(context.signal);
  const crs = SRID === undefined ? crsOfProjection({ text: header.projection }) : undefined;
  const { nodeIds, cellIds, ...rest } = geometry;
  return {
    kind: 'mesh',
    ...(crs === undefined ? {} : { crs }),
    ...rest,
    ...(isCount(nodeIds) ? {} : { nodeIds }),
    ...(isCount(cellIds) ? {} : { cellIds }),
    items: [
      {
        name: 'Bathymetry',
        location: 'cell',
        type: 'Float32',
        eum: header.quantity,
        ...symbolOf(header.quantity),
      },
    ],
    values: async () => meanHeights(geometry),
  };
};

const isCount = (ids: Int32Array): boolean => ids.every((id, n) => id === n + 1);

/** The mean z of the nodes of each element. */
function meanHeights({ nodes, connectivity, offsets, shapes }: Geometry): Float32Array {
  return Float32Array.from(shapes, (_, cell) => {
    let sum = 0;
    for (let n = offsets[cell]!; n < offsets[cell + 1]!; n++) sum += nodes[3 * connectivity[n]! + 2]!;
    return sum / (offsets[cell + 1]! - offsets[cell]!);
  });
}
