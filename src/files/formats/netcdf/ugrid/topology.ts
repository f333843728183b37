import { CELL_SHAPES, type Mesh } from '../../../data/mesh.ts';
import { FormatError } from '../../../errors.ts';
import { realNumbers } from '../../io/cf/numbers.ts';
import {
  type CfAttributes,
  type CfFile,
  type CfVariable,
  numberOf,
  numbersOf,
  shortened,
  textOf,
} from '../../io/cf/variable.ts';

/** The attributes of a topology variable. */
export interface Topology {
  readonly name: string;
  /** Variables of the coordinates of nodes, and of the nodes of faces. */
  readonly x: string;
  readonly y: string;
  readonly faceNodes: string;
  /** All variables that the topology names. */
  readonly describing: readonly string[];
  readonly attributes: CfAttributes;
}

export interface Nodes {
  readonly x: CfVariable;
  /** x, y, z. */
  readonly nodes: Float64Array;
  readonly nodeCodes?: Int32Array;
  /** Names of the variables of z and of boundary codes. */
  readonly heights?: string;
  readonly codes?: string;
}

export interface Faces {
  readonly dimension: string;
  readonly nodeDimension: string;
  readonly cells: Pick<Mesh, 'shapes' | 'connectivity' | 'offsets'>;
}

const mostCorners = 1000;

function variableOf(file: CfFile, name: string, topology: Topology): CfVariable {
  const found = file.variables.get(name);
  if (found === undefined)
    throw new FormatError(
      `The mesh '${shortened(topology.name)}' names the variable '${shortened(name)}', which is not in the file.`,
    );
  return found;
}

/** The nodes, with heights and boundary codes if the file has them. */
export async function nodesOf(file: CfFile, topology: Topology): Promise<Nodes> {
  const x = variableOf(file, topology.x, topology);
  const y = variableOf(file, topology.y, topology);
  const [alongX, alongY] = [await realNumbers(x), await realNumbers(y)];
  if (x.metadata.shape.length !== 1 || alongX.length !== alongY.length)
    throw new FormatError(
      `The mesh '${shortened(topology.name)}' has ${alongX.length} x and ${alongY.length} y of nodes.`,
    );
  const [dimension] = x.metadata.dimensions;
  const onNodes = [...file.variables.values()].filter(
    ({ metadata }) =>
      metadata.shape.length === 1 &&
      metadata.dimensions[0] === dimension &&
      metadata.name !== topology.x &&
      metadata.name !== topology.y,
  );
  const z = onNodes.find(
    ({ metadata: { name, attributes } }) =>
      /(?:^|_)node_z$/i.test(name) || (attributes.standard_name === 'altitude' && attributes.location === 'node'),
  );
  const codes = onNodes.find(({ metadata: { name } }) => /(?:^|_)node_codes?$/i.test(name));
  const heights = z === undefined ? undefined : await realNumbers(z);
  const down = z !== undefined && textOf(z.metadata.attributes.positive) === 'down';
  const nodes = new Float64Array(3 * alongX.length);
  for (let n = 0; n < alongX.length; n++) {
    const height = heights?.[n] ?? 0;
    nodes.set([alongX[n]!, alongY[n]!, Number.isFinite(height) ? (down ? -height : height) : 0], 3 * n);
  }
  return {
    x,
    nodes,
    ...(codes === undefined
      ? {}
      : { nodeCodes: Int32Array.from(await codes.all(), Number), codes: codes.metadata.name }),
    ...(z === undefined ? {} : { heights: z.metadata.name }),
  };
}

/** The faces, whose corners are padded with a fill value. */
export async function facesOf(file: CfFile, topology: Topology, nodes: number): Promise<Faces> {
  const variable = variableOf(file, topology.faceNodes, topology);
  const { shape, dimensions, attributes, name } = variable.metadata;
  if (shape.length !== 2) throw new FormatError(`'${shortened(name)}' has ${shape.length} dimensions instead of two.`);
  // The dimension of the faces may be the second one.
  const across =
    textOf(topology.attributes.face_dimension) !== undefined
      ? dimensions[0] !== topology.attributes.face_dimension
      : shape[0]! <= 4 && shape[1]! > 4;
  const [count, most] = across ? [shape[1]!, shape[0]!] : [shape[0]!, shape[1]!];
  if (most > mostCorners)
    throw new FormatError(`'${shortened(name)}' has ${most} corners for each face. The maximum is ${mostCorners}.`);
  const table = await variable.all();
  const start = numberOf(attributes.start_index) ?? 0;
  const fills = numbersOf(attributes._FillValue).map(Number);
  const offsets = new Uint32Array(count + 1);
  const connectivity = new Uint32Array(table.length);
  const shapes = new Uint8Array(count);
  let at = 0;
  for (let face = 0; face < count; face++) {
    const first = at;
    for (let corner = 0; corner < most; corner++) {
      const value = Number(table[across ? corner * count + face : face * most + corner]);
      if (fills.includes(value) || Number.isNaN(value) || value < 0) continue;
      const node = value - start;
      if (!(node >= 0 && node < nodes && Number.isInteger(node)))
        throw new FormatError(`A face has the node ${value}, but there are ${nodes} nodes from ${start}.`);
      connectivity[at++] = node;
    }
    const corners = at - first;
    if (corners < 3) throw new FormatError(`The face ${face + 1} has ${corners} corners.`);
    shapes[face] = corners === 3 ? CELL_SHAPES.triangle : corners === 4 ? CELL_SHAPES.quad : CELL_SHAPES.polygon;
    offsets[face + 1] = at;
  }
  const x = variableOf(file, topology.x, topology);
  return {
    dimension: dimensions[across ? 1 : 0] ?? '',
    nodeDimension: x.metadata.dimensions[0] ?? '',
    cells: { shapes, offsets, connectivity: connectivity.slice(0, at) },
  };
}
