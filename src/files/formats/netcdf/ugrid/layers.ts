import { CELL_SHAPES, type Mesh } from '../../../data/mesh.ts';
import { FormatError } from '../../../errors.ts';
import { realNumbers } from '../../io/cf/numbers.ts';
import { type CfFile, type CfVariable, textOf } from '../../io/cf/variable.ts';
import type { Topology } from './topology.ts';

/** The layers of a mesh. */
export interface Layering {
  readonly count: number;
  /** The first layer of the file is the highest. */
  readonly reversed: boolean;
  /** Number of layers at the top that follow the surface and the bed. */
  readonly sigma: number;
  /** Height of an interface, from the lowest, above a bed and below a surface. */
  heightOf(level: number, bed: number, surface: number): number;
  /** Variables of the surface and of the depth of the bed that the coordinate of the layers refers to. */
  readonly surface?: CfVariable;
  readonly depth?: CfVariable;
}

const mostCells = 1 << 27;

/** The layers by a coordinate of sigma or of heights (CF appendix D); without one they are evenly thick. */
export async function layeringOf(
  file: CfFile,
  topology: Topology,
  { variable, layerAt }: { variable: CfVariable; layerAt: number },
): Promise<Layering> {
  const count = variable.metadata.shape[layerAt]!;
  const found = coordinateOf(file, topology, count, variable.metadata.dimensions[layerAt]);
  if (found === undefined)
    return {
      count,
      reversed: false,
      sigma: count,
      heightOf: sigmaHeights(Float64Array.from({ length: count + 1 }, (_, n) => n / count)),
    };
  const { attributes } = found.metadata;
  const terms = termsOf(attributes.formula_terms);
  const named = (term: string) => file.variables.get(terms.get(term) ?? '');
  const [surface, depth] = [named('eta'), named('depth')];
  const base = { count, ...(surface === undefined ? {} : { surface }), ...(depth === undefined ? {} : { depth }) };
  const standard = textOf(attributes.standard_name) ?? '';
  const levels = named('zlev');
  if (standard === 'ocean_sigma_z_coordinate' && levels !== undefined) {
    const [shares, heights] = [await realNumbers(found), await realNumbers(levels)];
    const [deepest = Number.NaN] = named('depth_c') === undefined ? [] : await realNumbers(named('depth_c')!);
    const reversed = Number.isFinite(shares[0]) && !Number.isFinite(shares.at(-1));
    const upward = (values: Float64Array) => (reversed ? values.toReversed() : values);
    return {
      ...base,
      reversed,
      sigma: shares.reduce((all, share) => all + Number(Number.isFinite(share)), 0),
      heightOf: mixedHeights(upward(shares), upward(heights), deepest),
    };
  }
  const sigma = /sigma/.test(standard) || attributes.formula_terms !== undefined;
  const down = textOf(attributes.positive) === 'down' && !sigma;
  const values = (await realNumbers(found)).map((value) => (down ? -value : value));
  const reversed = values.length > 1 && values[0]! > values.at(-1)!;
  const rising = reversed ? values.toReversed() : values;
  const edges = rising.length === count + 1 ? rising : edgesOf(rising, sigma);
  // Sigma runs from −1 at the bed to 0 at the surface, or from 0 to 1.
  if (sigma)
    return {
      ...base,
      reversed,
      sigma: count,
      heightOf: sigmaHeights(edges.map((value) => value + (edges[0]! < 0 ? 1 : 0))),
    };
  return {
    ...base,
    reversed,
    sigma: 0,
    heightOf: (level, bed, surfaceHeight) =>
      Math.max(bed, level === count && surface !== undefined ? surfaceHeight : edges[level]!),
  };
}

/** The coordinate of the interfaces, else that of the layers. */
function coordinateOf(
  file: CfFile,
  topology: Topology,
  count: number,
  dimension: string | undefined,
): CfVariable | undefined {
  const named = [...file.variables.values()].filter(
    ({ metadata: { shape, name, dimensions, attributes } }) =>
      shape.length === 1 &&
      (shape[0] === count || shape[0] === count + 1) &&
      (/^ocean_(?:sigma|z)|^(?:altitude|height|depth)$/.test(textOf(attributes.standard_name) ?? '') ||
        attributes.formula_terms !== undefined) &&
      attributes.location === undefined &&
      (name.startsWith(topology.name) || dimensions[0] === dimension || shape[0] === count + 1),
  );
  return named.find(({ metadata }) => metadata.shape[0] === count + 1) ?? named[0];
}

/** The variables of `sigma: name eta: name`, by term. */
function termsOf(given: unknown): Map<string, string> {
  const words = (textOf(given) ?? '').replaceAll(':', ': ').split(/\s+/);
  return new Map(
    words.flatMap((word, n) => (word.endsWith(':') ? [[word.slice(0, -1), words[n + 1] ?? ''] as const] : [])),
  );
}

/** @param shares of the depth, from the bed (0) to the surface (1) */
const sigmaHeights =
  (shares: Float64Array): Layering['heightOf'] =>
  (level, bed, surface) =>
    bed + shares[level]! * Math.max(0, surface - bed);

/**
 * Layers of sigma above layers of heights.
 * @param shares of the middles of the layers, from 0 at the surface down; NaN for layers of heights
 * @param deepest depth of the lowest layer of sigma
 */
function mixedHeights(shares: Float64Array, heights: Float64Array, deepest: number): Layering['heightOf'] {
  const first = shares.findIndex(Number.isFinite);
  const edges = new Float64Array(shares.length + 1);
  for (let level = shares.length - 1; level >= first && first >= 0; level--)
    edges[level] = 2 * shares[level]! - edges[level + 1]!;
  const lowest = first < 0 ? shares.length : first;
  edges[lowest] = first < 0 ? 0 : -1;
  let above = -deepest;
  for (let level = lowest - 1; level >= 0; level--) {
    above = 2 * heights[level]! - above;
    edges[level] = above;
  }
  return (level, bed, surface) => {
    if (level < lowest) return Math.max(bed, edges[level]!);
    const depth = Math.min(-bed, deepest);
    return surface + edges[level]! * Math.max(0, depth + surface);
  };
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

/** Heights of the nodes of all interfaces, those of the lowest first. */
export function layeredHeights(
  { count, heightOf }: Layering,
  beds: Float64Array,
  surfaces: Float64Array | undefined,
): Float64Array {
  const heights = new Float64Array(beds.length * (count + 1));
  for (let level = 0; level <= count; level++)
    for (let n = 0; n < beds.length; n++)
      heights[level * beds.length + n] = heightOf(level, beds[n]!, surfaces?.[n] ?? 0) + 0;
  return heights;
}

/** Wedges and hexahedra above each face, a column of layers from the bottom up. */
export function layeredCells(
  flat: Float64Array,
  faces: Pick<Mesh, 'shapes' | 'connectivity' | 'offsets'>,
  { count, sigma }: Layering,
  heights: Float64Array,
): Pick<Mesh, 'nodes' | 'shapes' | 'connectivity' | 'offsets' | 'layers'> {
  const nodes = flat.length / 3;
  const space = new Float64Array(3 * heights.length);
  for (const [n, height] of heights.entries()) {
    const node = n % nodes;
    space.set([flat[3 * node]!, flat[3 * node + 1]!, height], 3 * n);
  }
  const cells = faces.shapes.length * count;
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
  return { nodes: space, shapes, offsets, connectivity, layers: { maximum: count, sigma, columns } };
}

/** @throws FormatError for more cells than can be held, and faces above which no cells can stand */
export function checkLayered(faces: Pick<Mesh, 'shapes'>, nodes: number, count: number): void {
  const cells = Math.max(faces.shapes.length, nodes) * (count + 1);
  if (cells > mostCells) throw new FormatError(`The mesh has ${cells} cells. The maximum is ${mostCells}.`);
  if (faces.shapes.includes(CELL_SHAPES.polygon))
    throw new FormatError('The mesh has layers and faces of more than four corners, which no cells have.');
}
