import type { Mesh, MeshItem } from './mesh.ts';
import { nodeCoordinates, nodeMeans } from './mesh-cells.ts';

/** The item of a mesh that has no values but the heights of its nodes. */
export const bathymetry: MeshItem = {
  name: 'Bathymetry',
  unit: 'm',
  eum: { item: 100_079, unit: 1000 },
  type: 'Float32',
  nodata: Math.fround(1e-35),
  location: 'cell',
};

/** Replaces the items by the bathymetry: the mean height of the nodes of each cell. */
export const withBathymetry = (mesh: Mesh): Mesh => ({
  ...mesh,
  items: [bathymetry],
  values: async () => nodeMeans(mesh, Float32Array.from(nodeCoordinates(mesh.nodes, 2)), bathymetry),
});
