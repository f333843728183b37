import type { ByteSource } from '../../data/bytes.ts';
import { CELL_SHAPES, type Mesh } from '../../data/mesh.ts';
import { FormatError } from '../../errors.ts';
import { decimalNumber } from '../io/decimal.ts';
import { LineWords, shownWord, wholeLines } from '../io/line-words.ts';
import type { MeshHeader } from './header.ts';

export type Geometry = Required<
  Pick<Mesh, 'nodes' | 'nodeCodes' | 'nodeIds' | 'shapes' | 'connectivity' | 'offsets' | 'cellIds'>
>;

/** Bytes of the shortest lines: five numbers of a node, four of a triangle. */
const [minNode, minElement] = [10, 8];
const shapeOf: Readonly<Record<number, number>> = { 3: CELL_SHAPES.triangle, 4: CELL_SHAPES.quad };

/** Reads the lines of a mesh file behind its header. Elements name nodes by their ids. */
export class MeshParser {
  readonly #source: ByteSource;
  readonly #header: MeshHeader;
  readonly #words = new LineWords(' \t\r', 6);
  #bytes: Buffer = Buffer.alloc(0);
  #base = 0;
  #line = 1;
  #nodeOf: Map<number, number> | undefined;
  #nodes = 0;
  #elements = -1;
  #perElement = 0;
  #connected = 0;
  #geometry: Geometry;

  /** @throws FormatError if the file is too small for the declared number of nodes */
  constructor(source: ByteSource, header: MeshHeader) {
    this.#source = source;
    this.#header = header;
    this.#checkSize(header.nodes, minNode, 'nodes', header.end);
    this.#geometry = {
      nodes: new Float64Array(3 * header.nodes),
      nodeCodes: new Int32Array(header.nodes),
      nodeIds: new Int32Array(header.nodes),
      shapes: new Uint8Array(0),
      connectivity: new Uint32Array(0),
      offsets: new Uint32Array(1),
      cellIds: new Int32Array(0),
    };
  }

  async read(signal: AbortSignal): Promise<Geometry> {
    for await (const { bytes, end, base } of wholeLines(this.#source, this.#header.end)) {
      signal.throwIfAborted();
      this.#bytes = bytes;
      this.#base = base;
      for (let at = 0; at < end; ) {
        const start = at;
        at = this.#words.read(bytes, at);
        this.#line++;
        if (this.#words.count > 0) this.#take(start);
      }
    }
    const { shapes, connectivity } = this.#geometry;
    const missing =
      this.#elements < 0
        ? `node ${this.#nodes + 1} of ${this.#header.nodes} or the number of elements`
        : this.#elements < shapes.length
          ? `element ${this.#elements + 1} of ${shapes.length}`
          : undefined;
    if (missing !== undefined) throw new FormatError(`The mesh file ends before ${missing}.`, this.#source.size);
    return { ...this.#geometry, connectivity: connectivity.slice(0, this.#connected) };
  }

  #take(start: number): void {
    if (this.#nodes < this.#header.nodes) this.#node();
    else if (this.#elements < 0) this.#elementHeader(start);
    else if (this.#elements < this.#geometry.shapes.length) this.#element(start);
    else
      throw new FormatError(
        `Line ${this.#line} follows the last of ${this.#geometry.shapes.length} elements.`,
        this.#base + start,
      );
  }

  #node(): void {
    const { nodes, nodeCodes, nodeIds } = this.#geometry;
    const n = this.#nodes++;
    nodeIds[n] = this.#integer(0, 'a node id');
    for (let axis = 0; axis < 3; axis++) nodes[3 * n + axis] = this.#number(axis + 1, 'a coordinate');
    nodeCodes[n] = this.#integer(4, 'a boundary code');
    if (nodeIds[n] !== n + 1 && this.#nodeOf === undefined) this.#numberNodes(n);
    if (this.#nodeOf?.has(nodeIds[n]!)) throw this.#wrong(0, `a node id that no other node has`);
    this.#nodeOf?.set(nodeIds[n]!, n);
  }

  /** Ids of nodes are usually 1, 2, 3 …; a table of ids is built only if they are not. */
  #numberNodes(count: number): void {
    this.#nodeOf = new Map();
    for (let n = 0; n < count; n++) this.#nodeOf.set(n + 1, n);
  }

  /** Number of elements, maximum number of nodes per element, type (21: triangles, 25: quads too). */
  #elementHeader(start: number): void {
    const count = this.#integer(0, 'the number of elements', 0);
    this.#perElement = this.#integer(1, 'the most nodes of an element (3 or 4)', 3, 4);
    this.#checkSize(count, minElement, 'elements', this.#base + start);
    this.#elements = 0;
    const geometry = this.#geometry;
    this.#geometry = {
      ...geometry,
      shapes: new Uint8Array(count),
      connectivity: new Uint32Array(count * this.#perElement),
      offsets: new Uint32Array(count + 1),
      cellIds: new Int32Array(count),
    };
  }

  #element(start: number): void {
    const { shapes, connectivity, offsets, cellIds } = this.#geometry;
    const n = this.#elements++;
    cellIds[n] = this.#integer(0, 'an element id');
    const given = Math.min(this.#words.count - 1, this.#perElement);
    // Triangles among quads have a 0 in place of the fourth node.
    const nodes = given === 4 && this.#integer(4, 'a node of the element') === 0 ? 3 : given;
    const shape = shapeOf[nodes];
    if (shape === undefined)
      throw new FormatError(`The element in line ${this.#line} has ${given} nodes, not 3 or 4.`, this.#base + start);
    shapes[n] = shape;
    for (let k = 1; k <= nodes; k++) connectivity[this.#connected++] = this.#nodeNumber(k);
    offsets[n + 1] = this.#connected;
  }

  #nodeNumber(word: number): number {
    const id = this.#integer(word, 'a node of the element');
    const node = this.#nodeOf === undefined ? id - 1 : (this.#nodeOf.get(id) ?? -1);
    if (node < 0 || node >= this.#header.nodes) throw this.#wrong(word, 'the id of a node');
    return node;
  }

  #number(word: number, expected: string): number {
    if (word >= this.#words.count) throw this.#wrong(word, expected);
    const value = decimalNumber(this.#bytes, this.#words.starts[word]!, this.#words.ends[word]!);
    if (value === undefined || !Number.isFinite(value)) throw this.#wrong(word, expected);
    return value;
  }

  #integer(word: number, expected: string, least = -0x80000000, most = 0x7fffffff): number {
    const value = this.#number(word, expected);
    if (!Number.isInteger(value) || value < least || value > most) throw this.#wrong(word, expected);
    return value;
  }

  #wrong(word: number, expected: string): FormatError {
    if (word >= this.#words.count)
      return new FormatError(`Line ${this.#line} has ${this.#words.count} words; ${expected} is missing.`, this.#base);
    const start = this.#words.starts[word]!;
    const shown = shownWord(this.#bytes, start, this.#words.ends[word]!);
    return new FormatError(`Line ${this.#line} has '${shown}' in place of ${expected}.`, this.#base + start);
  }

  #checkSize(count: number, least: number, what: string, offset: number): void {
    if (count * least - 1 > this.#source.size - offset)
      throw new FormatError(
        `The mesh file declares ${count} ${what}, which take at least ${least} bytes each. Only ${this.#source.size - offset} bytes follow.`,
        offset,
      );
  }
}
