import type { Mesh } from '../../data/mesh.ts';
import { CELL_SHAPES } from '../../data/mesh.ts';
import { FormatError } from '../../errors.ts';
import type { SelafinHeader } from './header.ts';

export type Geometry = Pick<Mesh, 'nodes' | 'nodeCodes' | 'shapes' | 'connectivity' | 'offsets' | 'layers'>;

/** Node of the model at which stands node n of the file: those of a vertical are consecutive, from the bottom up. */
export function nodeOrder({ nodes, planes }: Pick<SelafinHeader, 'nodes' | 'planes'>): (n: number) => number {
  if (planes === 0) return (n) => n;
  const flat = nodes / planes;
  return (n) => (n % flat) * planes + Math.floor(n / flat);
}

/** Nodes without heights, and cells. */
export async function readGeometry(header: SelafinHeader): Promise<Geometry> {
  const { records, nodes, elements, nodesPerElement, planes, at, type, origin, isPart } = header;
  checkShape(header);
  const order = nodeOrder(header);
  const x = await records.numbers(at.x, nodes, type, 'x');
  const y = await records.numbers(at.y, nodes, type, 'y');
  const places = new Float64Array(3 * nodes);
  for (let n = 0; n < nodes; n++) {
    const to = 3 * order(n);
    places[to] = x[n]! + origin[0];
    places[to + 1] = y[n]! + origin[1];
  }
  const given = await records.numbers(at.elements, elements * nodesPerElement, 'Int32', 'the elements');
  const wrong = given.find((node) => node < 1 || node > nodes);
  if (wrong !== undefined)
    throw new FormatError(`An element has the node ${wrong}, but nodes are 1 to ${nodes}.`, at.elements);
  const boundary = isPart ? undefined : await records.numbers(at.boundary, nodes, 'Int32', 'the boundary nodes');
  const codes = boundary && new Int32Array(nodes);
  for (let n = 0; codes !== undefined && n < nodes; n++) codes[order(n)] = boundary![n] === 0 ? 0 : 1;
  return {
    nodes: places,
    ...(codes === undefined ? {} : { nodeCodes: codes }),
    ...(planes === 0 ? flatCells(given, nodesPerElement) : prisms(given, header)),
  };
}

function checkShape({ nodes, elements, nodesPerElement, planes, at }: SelafinHeader): void {
  const fits = planes === 0 ? nodesPerElement <= 4 : nodesPerElement === 6;
  if (!fits)
    throw new FormatError(
      `The file has elements of ${nodesPerElement} nodes in ${planes} planes. Triangles, quadrilaterals, and prisms between planes are supported.`,
      at.elements,
    );
  if (planes > 0 && (nodes % planes !== 0 || elements % (planes - 1) !== 0))
    throw new FormatError(`${nodes} nodes and ${elements} prisms cannot stand in ${planes} planes.`, at.elements);
}

function flatCells(given: Int32Array, size: number) {
  const count = given.length / size;
  const shape = size === 3 ? CELL_SHAPES.triangle : CELL_SHAPES.quad;
  return {
    shapes: new Uint8Array(count).fill(shape),
    connectivity: Uint32Array.from(given, (node) => node - 1),
    offsets: Uint32Array.from({ length: count + 1 }, (_, n) => n * size),
  };
}

/** Prisms come layer by layer in the file, here column by column. */
function prisms(given: Int32Array, { nodes, elements, planes, at }: SelafinHeader) {
  const layers = planes - 1;
  const columns = elements / layers;
  const flat = nodes / planes;
  const connectivity = new Uint32Array(given.length);
  for (let column = 0, to = 0; column < columns; column++)
    for (let layer = 0; layer < layers; layer++)
      for (let corner = 0; corner < 6; corner++) {
        const plane = layer + (corner < 3 ? 0 : 1);
        const node = given[6 * (layer * columns + column) + corner]! - 1;
        const place = given[6 * column + (corner % 3)]! - 1;
        if (place >= flat || node !== place + plane * flat)
          throw new FormatError(
            `Prism ${layer * columns + column + 1} has the node ${node + 1}, which is not above node ${place + 1} in plane ${plane + 1}.`,
            at.elements,
          );
        connectivity[to++] = place * planes + plane;
      }
  return {
    shapes: new Uint8Array(elements).fill(CELL_SHAPES.wedge),
    connectivity,
    offsets: Uint32Array.from({ length: elements + 1 }, (_, n) => 6 * n),
    layers: {
      maximum: layers,
      sigma: layers,
      columns: Uint32Array.from({ length: columns + 1 }, (_, n) => n * layers),
    },
  };
}
