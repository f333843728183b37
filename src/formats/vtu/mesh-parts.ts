import type { Mesh } from '../../data/mesh.ts';
import type { Context } from '../define.ts';
import type { EncodedArray, VtuArray } from './encode.ts';
import { encodeArray } from './encode.ts';
import { fieldData, sridField } from './field-data.ts';
import { arrayOf, itemArrays, NODE_CODES } from './item-arrays.ts';
import type { Part } from './part.ts';

/** Makes the parts of a mesh, one per step. Arrays that do not vary over time are compressed only once. */
export class MeshParts {
  readonly #mesh: Mesh;
  readonly #context: Context;
  readonly #arrays: ReturnType<typeof itemArrays>;
  #fixed: Omit<Part, 'pointData' | 'cellData'> | undefined;
  #codes: EncodedArray[] = [];

  constructor(mesh: Mesh, context: Context) {
    this.#mesh = mesh;
    this.#context = context;
    this.#arrays = itemArrays(mesh);
    if (mesh.nodeIds !== undefined || mesh.cellIds !== undefined)
      context.reportLoss('The numbers of nodes and elements were left out; a VTU file counts both from 0.');
  }

  async part(step: number, extra: readonly VtuArray[] = []): Promise<Part> {
    const { signal } = this.#context;
    const { points, fieldData: facts, ...fixed } = await this.#fixedArrays();
    const encoded = { node: [...this.#codes], cell: [] as EncodedArray[] };
    for (const array of this.#arrays) {
      const values = await this.#mesh.values(array.index, step);
      encoded[array.item.location].push(await encodeArray(arrayOf(array, values), signal));
    }
    const heights = await this.#mesh.heights?.(step);
    return {
      ...fixed,
      fieldData: [...facts, ...(await encodeAll(extra, signal))],
      pointData: encoded.node,
      cellData: encoded.cell,
      points: heights === undefined ? points : await encodeArray(pointArray(this.#mesh.nodes, heights), signal),
    };
  }

  async #fixedArrays() {
    if (this.#fixed === undefined) {
      const { nodes, nodeCodes, shapes } = this.#mesh;
      const { signal } = this.#context;
      const facts = fieldData(
        this.#mesh,
        this.#arrays.map(({ item }) => item),
      );
      if (nodeCodes !== undefined) this.#codes = await encodeAll([{ name: NODE_CODES, values: nodeCodes }], signal);
      this.#fixed = {
        ...(await cellArrays(this.#mesh, signal)),
        fieldData: await encodeAll([...facts, ...(await sridField(this.#mesh.crs, this.#context))], signal),
        points: await encodeArray(pointArray(nodes), signal),
        types: await encodeArray({ name: 'types', values: shapes }, signal),
      };
    }
    return this.#fixed;
  }
}

export async function encodeAll(arrays: readonly VtuArray[], signal: AbortSignal): Promise<EncodedArray[]> {
  const encoded: EncodedArray[] = [];
  for (const array of arrays) encoded.push(await encodeArray(array, signal));
  return encoded;
}

/** Both fit into Int32, which VTK reads without a copy. */
export async function cellArrays(
  { connectivity, offsets }: Pick<Mesh, 'connectivity' | 'offsets'>,
  signal: AbortSignal,
): Promise<Pick<Part, 'connectivity' | 'offsets'>> {
  const signed = (values: Uint32Array) => new Int32Array(values.buffer, values.byteOffset, values.length);
  return {
    connectivity: await encodeArray({ name: 'connectivity', values: signed(connectivity) }, signal),
    // VTK stores the end of each cell; the model's offsets begin with 0.
    offsets: await encodeArray({ name: 'offsets', values: signed(offsets.subarray(1)) }, signal),
  };
}

/** `heights` replace z. */
export function pointArray(nodes: Float64Array, heights?: ArrayLike<number>): VtuArray {
  if (heights === undefined) return { name: 'Points', values: nodes, components: 3 };
  const moved = nodes.slice();
  for (let n = 0; n < heights.length; n++) moved[3 * n + 2] = heights[n]!;
  return { name: 'Points', values: moved, components: 3 };
}
