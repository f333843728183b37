import { areaShapes, type Mesh } from '../../data/mesh.ts';
import { cellCount } from '../../data/mesh-cells.ts';
import { cellLayers, footprints } from '../../data/mesh-columns.ts';
import { ConversionError } from '../../errors.ts';
import { type Triangles, trianglesOf } from '../../geo/contour/mesh-triangles.ts';

/** The cells of one layer, flat, with the number of each in the mesh. */
export interface MeshLayer {
  readonly cells: Uint32Array;
  readonly flat: Mesh;
  readonly triangles: Triangles;
}

/**
 * The layers of a mesh that covers an area.
 * @param what they are for, for messages
 * @throws ConversionError for a mesh that stands upright, or items with several values per element
 */
export function meshLayers(mesh: Mesh, what: string): { count: number; layerOf(layer: number): MeshLayer } {
  if (mesh.section !== undefined)
    throw new ConversionError(`The mesh is a vertical ${mesh.section}, which has no ${what} on the map.`);
  if (mesh.items.some(({ components }) => components !== undefined))
    throw new ConversionError(
      `An item has several values per element, such as a spectrum, so it has no ${what}. Choose others with an item filter.`,
    );
  const { count, of } = cellLayers(mesh);
  const flat: Mesh = { ...mesh, ...footprints(mesh) };
  const made: MeshLayer[] = [];
  return { count, layerOf: (layer) => (made[layer] ??= cellsOf(flat, of, layer)) };
}

function cellsOf(flat: Mesh, of: Int32Array | undefined, layer: number): MeshLayer {
  const cells: number[] = [];
  for (let cell = 0; cell < cellCount(flat); cell++)
    if (areaShapes.has(flat.shapes[cell]!) && (of === undefined || of[cell] === layer)) cells.push(cell);
  const around = cells.map((cell) => flat.connectivity.subarray(flat.offsets[cell]!, flat.offsets[cell + 1]!));
  const offsets = new Uint32Array(cells.length + 1);
  for (const [n, { length }] of around.entries()) offsets[n + 1] = offsets[n]! + length;
  const connectivity = new Uint32Array(offsets.at(-1)!);
  for (const [n, nodes] of around.entries()) connectivity.set(nodes, offsets[n]);
  const own = { ...flat, shapes: Uint8Array.from(cells, (cell) => flat.shapes[cell]!), connectivity, offsets };
  return { cells: Uint32Array.from(cells), flat: own, triangles: trianglesOf(own) };
}
