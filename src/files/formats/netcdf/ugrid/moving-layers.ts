import type { Mesh } from '../../../data/mesh.ts';
import { nodeCount } from '../../../data/mesh-cells.ts';
import type { MeshCells } from '../../../data/mesh-columns.ts';
import { packingOf } from '../../io/cf/packing.ts';
import { type CfContext, type CfVariable, numberOf, shortened } from '../../io/cf/variable.ts';
import type { ValueArray } from '../../io/value-array.ts';
import { checkLayered, type Layering, layeredCells, layeredHeights } from './layers.ts';
import type { Nodes } from './topology.ts';

/** Bed of a mesh of which the file tells none: sigma is then a share of one metre. */
const unknownBed = -1;

interface Plane {
  readonly flat: Nodes;
  readonly faces: MeshCells;
  readonly layering: Layering;
  /** A variable over time, if it is, and faces or nodes. */
  valuesOn(variable: CfVariable): ValueArray | undefined;
}

type Layered = Pick<Mesh, 'nodes' | 'shapes' | 'connectivity' | 'offsets' | 'layers' | 'heights'>;

/**
 * The cells of the layers. Their nodes move with the surface that the layers refer to; a surface and bed on faces are
 * the means of the faces around a node.
 */
export async function layeredGeometry(plane: Plane, { remark }: Pick<CfContext, 'remark'>): Promise<Layered> {
  const { flat, faces, layering } = plane;
  const { surface, count } = layering;
  checkLayered(faces, nodeCount(flat), count);
  const beds = await bedsOf(plane);
  const view = surface && plane.valuesOn(surface);
  if (surface === undefined || view === undefined) {
    remark('The layers of the mesh lie between its bed and a still water level of 0: the file names no surface.');
    return layeredCells(flat.nodes, faces, layering, layeredHeights(layering, beds, undefined));
  }
  const isStill = view.metadata.shape.length === 1;
  const surfacesAt = async (step: number) => {
    const heights = await heightsOf(view, surface, step);
    return atNodes(plane, heights, isOnFaces(view)).map((height, node) =>
      Number.isNaN(height) ? beds[node]! : height,
    );
  };
  remark(
    `The layers of the mesh lie between its bed and the surface '${shortened(surface.metadata.name)}'${isOnFaces(view) ? ', at nodes the mean of the faces around them' : ''}.`,
  );
  const still = isStill ? await surfacesAt(0) : undefined;
  return {
    ...layeredCells(flat.nodes, faces, layering, layeredHeights(layering, beds, still)),
    ...(isStill ? {} : { heights: async (step: number) => layeredHeights(layering, beds, await surfacesAt(step)) }),
  };
}

/** The bed at nodes: their heights, else the depth that the layers refer to. */
async function bedsOf(plane: Plane): Promise<Float64Array> {
  const { flat, layering } = plane;
  if (flat.heights !== undefined)
    return Float64Array.from({ length: nodeCount(flat) }, (_, n) => flat.nodes[3 * n + 2]!);
  const view = layering.depth && plane.valuesOn(layering.depth);
  if (view === undefined) return new Float64Array(nodeCount(flat)).fill(unknownBed);
  const depths = atNodes(plane, await heightsOf(view, layering.depth!, 0), isOnFaces(view));
  return depths.map((depth) => (Number.isNaN(depth) ? 0 : -depth));
}

/** Values of a step, or those of all times; NaN where there are none. */
async function heightsOf(view: ValueArray, { metadata }: CfVariable, step: number): Promise<Float64Array> {
  const { shape } = view.metadata;
  const length = shape.at(-1)!;
  const values = shape.length === 1 ? await view.read([0], [length]) : await view.read([step, 0], [1, length]);
  const { nodata } = packingOf(metadata);
  const [scale, offset] = [
    numberOf(metadata.attributes.scale_factor) ?? 1,
    numberOf(metadata.attributes.add_offset) ?? 0,
  ];
  return Float64Array.from(values as Iterable<number | bigint>, (value) =>
    value === nodata ? Number.NaN : Number(value) * scale + offset,
  );
}

/** Values of nodes as they are; of faces their mean around each node, NaN where no face has a value. */
function atNodes({ flat, faces }: Plane, values: Float64Array, onFaces: boolean): Float64Array {
  if (!onFaces) return values;
  const sums = new Float64Array(nodeCount(flat));
  const counts = new Uint32Array(sums.length);
  for (const [face, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    for (let n = faces.offsets[face]!; n < faces.offsets[face + 1]!; n++) {
      sums[faces.connectivity[n]!]! += value;
      counts[faces.connectivity[n]!]!++;
    }
  }
  return sums.map((sum, node) => (counts[node] === 0 ? Number.NaN : sum / counts[node]!));
}

const isOnFaces = (view: ValueArray): boolean => view.metadata.dimensions.at(-1) === 'cell';
