import type { Mesh } from '../../../../data/mesh.ts';
import { type ItemArray, itemShape, type WholeArray, wholeArray } from '../../../io/store/content.ts';
import { stackNames as names, netCdfNaming } from '../../../io/store/naming.ts';
import { extremeNodes, type Stack } from './stack.ts';

const { topology, cell } = netCdfNaming.mesh;
const ofFaces = { mesh: topology, location: 'face', units: 'm' };

/** The height of the surface of each face, which sigma coordinates refer to: the mean of the uppermost nodes. */
export function surfaceArray(mesh: Mesh, stack: Stack): ItemArray {
  const { heights, time } = mesh;
  const highest = extremeNodes(stack, 'highest');
  const moving = heights !== undefined && time !== undefined;
  return {
    spec: {
      name: names.surface,
      ...itemShape(moving ? time : undefined, 'Float64', [cell], [stack.faces.shapes.length]),
      fill: Number.NaN,
      attributes: { long_name: 'height of the surface', ...ofFaces },
    },
    timed: moving,
    async *values(step) {
      const z = heights === undefined ? undefined : await heights(step);
      yield faceMeans(stack, (column) => z?.[highest[column]!] ?? mesh.nodes[3 * highest[column]! + 2]!);
    },
  };
}

/** The depth of the bed of each face below the height 0: the mean of the lowest nodes. */
export function depthArray(mesh: Mesh, stack: Stack): WholeArray {
  const lowest = extremeNodes(stack, 'lowest');
  const values = faceMeans(stack, (column) => -mesh.nodes[3 * lowest[column]! + 2]!);
  return wholeArray(names.depth, 'Float64', values, {
    dimensions: [cell],
    shape: [values.length],
    attributes: { long_name: 'depth of the bed', positive: 'down', ...ofFaces },
  });
}

/** Means over the corners of each face. */
function faceMeans({ faces: { shapes, connectivity, offsets } }: Stack, at: (column: number) => number): Float64Array {
  return Float64Array.from({ length: shapes.length }, (_, face) => {
    const corners = connectivity.subarray(offsets[face]!, offsets[face + 1]!);
    return corners.reduce((sum, column) => sum + at(column), 0) / corners.length;
  });
}
