import type { Samples, SampleType } from '../../data/item.ts';
import type { Mesh, MeshBlocks } from '../../data/mesh.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { BlockSpool } from './block-spool.ts';
import { type EncodedArray, encodeArray, encodeBlocks, type VtuArray } from './encode.ts';
import { fieldData, sridField } from './field-data.ts';
import { arrayOf, blocksOf, type ItemArray, itemArrays, NODE_CODES } from './item-arrays.ts';
import type { Part } from './part.ts';

/** Makes the parts of a mesh, one per step. Arrays that do not vary over time are compressed only once. */
export class MeshParts {
  readonly #mesh: Mesh;
  readonly #context: Context;
  readonly #arrays: ReturnType<typeof itemArrays>;
  #fixed: Omit<Part, 'pointData' | 'cellData'> | undefined;
  #codes: EncodedArray[] = [];
  /** Readers of a mesh in blocks: one for the geometry, one for the values of a step. */
  #spools: { geometry: BlockSpool; values: BlockSpool } | undefined;

  /** @throws ConversionError for a mesh that is too large for a file */
  constructor(mesh: Mesh, context: Context) {
    checkSize(mesh);
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
    this.#spools?.values.clear();
    for (const array of this.#arrays) encoded[array.item.location].push(await this.#values(array, step));
    const heights = await this.#mesh.heights?.(step);
    return {
      ...fixed,
      fieldData: [...facts, ...(await encodeAll(extra, signal))],
      pointData: encoded.node,
      cellData: encoded.cell,
      points: heights === undefined ? points : await encodeArray(pointArray(this.#mesh.nodes, heights), signal),
    };
  }

  async #geometry(): Promise<Geometry> {
    const { blocks } = this.#mesh;
    const { signal } = this.#context;
    if (blocks === undefined) return wholeGeometry(this.#mesh, signal);
    const [geometry, values] = [await BlockSpool.create(this.#context), await BlockSpool.create(this.#context)];
    this.#spools = { geometry, values };
    return geometryInBlocks(blocks, geometry, signal);
  }

  async #values(array: ItemArray, step: number): Promise<EncodedArray> {
    const { signal } = this.#context;
    const { blocks } = this.#mesh;
    if (blocks === undefined || this.#spools === undefined)
      return encodeArray(arrayOf(array, await this.#mesh.values(array.index, step)), signal);
    const { blocks: values, ...rest } = await blocksOf(array, () => blocks.values(array.index, step));
    return encodeBlocks(rest, values, this.#spools.values, signal);
  }

  async #fixedArrays() {
    if (this.#fixed === undefined) {
      const { nodeCodes } = this.#mesh;
      const { signal } = this.#context;
      const facts = fieldData(
        this.#mesh,
        this.#arrays.map(({ item }) => item),
      );
      if (nodeCodes !== undefined) this.#codes = await encodeAll([{ name: NODE_CODES, values: nodeCodes }], signal);
      this.#fixed = {
        fieldData: await encodeAll([...facts, ...(await sridField(this.#mesh.crs, this.#context))], signal),
        ...(await this.#geometry()),
      };
    }
    return this.#fixed;
  }
}

/** Offsets of cells are stored as Int32; the largest is the number of their nodes. */
const maxOffset = 0x7fffffff;

/** Leaves alone the arrays of a mesh in blocks, which are made when they are asked for. */
function checkSize(mesh: Mesh): void {
  const { cells, nodes } =
    mesh.blocks === undefined
      ? { cells: mesh.shapes.length, nodes: mesh.connectivity.length }
      : { cells: mesh.blocks.cells, nodes: mesh.blocks.nodesPerCell * mesh.blocks.cells };
  if (nodes > maxOffset)
    throw new ConversionError(
      `The ${cells} cells have ${nodes} nodes, each cell counted by itself. A VTU file holds at most ${maxOffset}. Choose fewer cells with a spatialFilter or a verticalFilter.`,
    );
}

type Geometry = Pick<Part, 'points' | 'connectivity' | 'offsets' | 'types'>;

async function wholeGeometry(mesh: Mesh, signal: AbortSignal): Promise<Geometry> {
  return {
    ...(await cellArrays(mesh, signal)),
    points: await encodeArray(pointArray(mesh.nodes), signal),
    types: await encodeArray({ name: 'types', values: mesh.shapes }, signal),
  };
}

/** Cells per block of `offsets` and `types`. */
const cellsPerBlock = 1 << 16;

async function geometryInBlocks(blocks: MeshBlocks, spool: BlockSpool, signal: AbortSignal): Promise<Geometry> {
  const { cells, shape, nodesPerCell } = blocks;
  function* perCell<S extends Samples>(make: (count: number, first: number) => S) {
    for (let first = 0; first < cells; first += cellsPerBlock)
      yield make(Math.min(cellsPerBlock, cells - first), first);
  }
  const offsets = perCell((count, first) =>
    Int32Array.from({ length: count }, (_, n) => nodesPerCell * (first + n + 1)),
  );
  const types = perCell((count) => new Uint8Array(count).fill(shape));
  const encode = (name: string, type: SampleType, values: Iterable<Samples>, more: { components?: number } = {}) =>
    encodeBlocks({ name, type, ...more }, values, spool, signal);
  return {
    connectivity: await encode('connectivity', 'Int32', blocks.connectivity()),
    offsets: await encode('offsets', 'Int32', offsets),
    points: await encode('Points', 'Float64', blocks.nodes(), { components: 3 }),
    types: await encode('types', 'UInt8', types),
  };
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
