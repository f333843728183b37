import { CELL_SHAPES, type Mesh } from '../../../data/mesh.ts';
import { FormatError } from '../../../errors.ts';
import { realNumbers } from '../../io/cf/numbers.ts';
import { type CfContext, type CfFile, type CfVariable, textOf } from '../../io/cf/variable.ts';
import type { Topology } from './topology.ts';

/** The layers of a mesh. */
export interface Layering {
  readonly count: number;
  /** The first layer of the file is the highest. */
  readonly reversed: boolean;
  /** Shares of the depth from the bed (0) to the surface (1), or heights; from the lowest, one more than layers. */
  readonly interfaces: Float64Array;
  readonly sigma: boolean;
}

const mostCells = 1 << 27;

/** The layers by a coordinate of sigma or of heights; without one they are evenly thick. */
export async function layeringOf(
  file: CfFile,
  topology: Topology,
  { variable, layerAt }: { variable: CfVariable; layerAt: number },
  { remark }: CfContext,
): Promise<Layering> {
  const count = variable.metadata.shape[layerAt]!;
  const dimension = variable.metadata.dimensions[layerAt];
  const coordinates = [...file.variables.values()].filter(
    ({ metadata: { shape } }) => shape.length === 1 && (shape[0] === count || shape[0] === count + 1),
  );
  const isVertical = ({ metadata: { attributes } }: CfVariable) =>
    /^ocean_(?:sigma|z)|^(?:altitude|height|depth)$/.test(textOf(attributes.standard_name) ?? '') ||
    attributes.formula_terms !== undefined;
  const named = coordinates
    .filter(isVertical)
    .filter(
      ({ metadata: { name, dimensions, shape } }) =>
        name.startsWith(topology.name) || dimensions[0] === dimension || shape[0] === count + 1,
    );
  const found = named.find(({ metadata }) => metadata.shape[0] === count + 1) ?? named[0];
  remark('The layers of the mesh follow its bed at a still water level of 0; a moving surface was not applied.');
  if (found === undefined)
    return {
      count,
      reversed: false,
      sigma: true,
      interfaces: Float64Array.from({ length: count + 1 }, (_, n) => n / count),
    };
  const sigma =
    /sigma/.test(textOf(found.metadata.attributes.standard_name) ?? '') ||
    found.metadata.attributes.formula_terms !== undefined;
  const down = textOf(found.metadata.attributes.positive) === 'down' && !sigma;
  const values = (await realNumbers(found)).map((value) => (down ? -value : value));
  const reversed = values.length > 1 && values[0]! > values.at(-1)!;
  const rising = reversed ? values.toReversed() : values;
  const edges = rising.length === count + 1 ? rising : edgesOf(rising, sigma);
  // Sigma runs from −1 at the bed to 0 at the surface, or from 0 to 1.
  const shift = sigma && edges[0]! < 0 ? 1 : 0;
  return { count, reversed, sigma, interfaces: edges.map((value) => value + shift) };
}

/** Middles between the centres; the outermost are symmetric, those of sigma the bed and the surface. */
function edgesOf(centres: Float64Array, sigma: boolean): Float64Array {
  const last = centres.length - 1;
  const half = (n: number) => (last === 0 ? 0.5 : (centres[n + 1]! - centres[n]!) / 2);
  const low = centres[0]! < 0 ? -1 : 0;
  return Float64Array.from({ length: centres.length + 1 }, (_, n) => {
    if (n === 0) return sigma ? low : centres[0]! - half(0);
    if (n > last) return sigma ? low + 1 : centres[last]! + half(last - 1);
    return (centres[n - 1]! + centres[n]!) / 2;
  });
}

/** Wedges and hexahedra above each face, a column of layers from the bottom up. */
export function layeredCells(
  flat: Float64Array,
  faces: Pick<Mesh, 'shapes' | 'connectivity' | 'offsets'>,
  { count, interfaces, sigma }: Layering,
): Pick<Mesh, 'nodes' | 'shapes' | 'connectivity' | 'offsets' | 'layers'> {
  const nodes = flat.length / 3;
  const cells = faces.shapes.length * count;
  if (cells > mostCells) throw new FormatError(`The mesh has ${cells} cells. The maximum is ${mostCells}.`);
  if (faces.shapes.includes(CELL_SHAPES.polygon))
    throw new FormatError('The mesh has layers and faces of more than four corners, which no cells have.');
  const space = new Float64Array(flat.length * (count + 1));
  for (let level = 0; level <= count; level++)
    for (let n = 0; n < nodes; n++) {
      const bed = flat[3 * n + 2]!;
      const share = interfaces[level]!;
      // Without a bed, sigma is a share of one metre.
      const z = sigma ? (bed < 0 ? bed * (1 - share) : bed === 0 ? share - 1 : bed) : Math.max(share, bed);
      space.set([flat[3 * n]!, flat[3 * n + 1]!, z], 3 * (level * nodes + n));
    }
  const shapes = new Uint8Array(cells);
  const offsets = new Uint32Array(cells + 1);
  const connectivity = new Uint32Array(2 * count * faces.connectivity.length);
  const columns = new Uint32Array(faces.shapes.length + 1);
  let at = 0;
  for (let face = 0; face < faces.shapes.length; face++) {
    const corners = faces.connectivity.subarray(faces.offsets[face]!, faces.offsets[face + 1]!);
    for (let layer = 0; layer < count; layer++) {
      const cell = face * count + layer;
      shapes[cell] = corners.length === 3 ? CELL_SHAPES.wedge : CELL_SHAPES.hexahedron;
      for (const level of [layer, layer + 1]) for (const corner of corners) connectivity[at++] = level * nodes + corner;
      offsets[cell + 1] = at;
    }
    columns[face + 1] = (face + 1) * count;
  }
  return { nodes: space, shapes, offsets, connectivity, layers: { maximum: count, sigma: sigma ? count : 0, columns } };
}
