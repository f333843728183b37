import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import type { Header } from './header-reader.ts';
import { type Area, nodeBytes } from './schema.ts';

/** A feature in the index. */
export interface Found {
  /** Number of the feature in the file, from 0. */
  readonly number: number;
  /** Offset in the file of the feature's size prefix. */
  readonly offset: number;
  /** Offset of the next feature; 0: unknown. */
  readonly end: number;
  /** Box of the feature in the index. */
  readonly box: Area;
}

/** Nodes `from … to - 1` of the index. */
interface NodeRange {
  from: number;
  to: number;
}

/**
 * Nodes of a level that are searched before the search goes on below them: a bound of the memory and of the reads in
 * advance.
 */
const perStep = 256;
/** Nodes of a level for a search that needs all results. */
const perLongStep = 4096;
/** Unneeded bytes between two ranges that are read to save a request. */
const maxGap = 1 << 14;
const maxRead = 1 << 20;

/** Fields of the header that a search needs. */
export type Indexed = Required<Pick<Header, 'index' | 'start'>>;

/**
 * Finds the features from number `first` on whose box touches one of the areas, in the order of the file, and reads
 * only the nodes on the way to them.
 * @throws FormatError for an index whose nodes do not form a packed tree
 */
export async function* searchIndex(
  source: ByteSource,
  header: Indexed,
  areas: readonly Area[],
  first = 0,
): AsyncGenerator<readonly Found[]> {
  const search = new IndexSearch(source, header, areas, first, perStep);
  for await (const { touched, found } of search.all()) yield touched.map(found);
}

/** Leaves of the index, to be looked at without an object for each of them. */
export interface Leaves {
  /** Places in `boxes` of the leaves that touch the areas. */
  readonly touched: readonly number[];
  /** Five numbers a leaf, of which the first four are west, south, east, north. */
  readonly boxes: Float64Array;
  /** The feature of the leaf at a place. */
  found(this: void, at: number): Found;
}

/** Does the same as `searchIndex`, for callers that need few of many features. */
export function searchLeaves(source: ByteSource, header: Indexed, areas: readonly Area[]): AsyncGenerator<Leaves> {
  return new IndexSearch(source, header, areas, 0, perLongStep).all();
}

/** The feature with a number, by its node in the index. */
export async function findByNumber(source: ByteSource, header: Indexed, number: number): Promise<Found> {
  const first = new IndexSearch(source, header, [], 0, perStep).firstNodes[0]!;
  const leaf = first + number;
  for await (const nodes of read(source, header.index, [{ from: leaf, to: leaf + 1 }], first + header.index.levels[0]!))
    return foundAt(nodes, leaf, number, header.start, source.size);
  throw new FormatError('The index is cut.', header.index.start);
}

class IndexSearch {
  /** Number of the first node of each level, the leaves first. The root is node 0. */
  readonly firstNodes: number[] = [];
  readonly #source: ByteSource;
  readonly #index: Required<Header>['index'];
  readonly #start: number;
  readonly #areas: readonly Area[];
  readonly #first: number;
  readonly #perStep: number;

  constructor(
    source: ByteSource,
    { index, start }: Indexed,
    areas: readonly Area[],
    first: number,
    nodesAStep: number,
  ) {
    this.#perStep = nodesAStep;
    this.#source = source;
    this.#index = index;
    this.#start = start;
    this.#areas = areas;
    this.#first = first;
    let node = 0;
    for (let level = index.levels.length - 1; level >= 0; level--) {
      this.firstNodes[level] = node;
      node += index.levels[level]!;
    }
  }

  all(): AsyncGenerator<Leaves> {
    return this.#below(this.#index.levels.length - 1, [{ from: 0, to: 1 }]);
  }

  async *#below(level: number, ranges: readonly NodeRange[]): AsyncGenerator<Leaves> {
    for (const step of stepsOf(ranges, this.#perStep)) {
      if (level === 0) yield* this.#leaves(step);
      else {
        const children = await this.#children(level, step);
        if (children.length > 0) yield* this.#below(level - 1, children);
      }
    }
  }

  /** The children of the touched nodes of a level. */
  async #children(level: number, ranges: readonly NodeRange[]): Promise<NodeRange[]> {
    const { nodeSize, levels } = this.#index;
    const first = this.firstNodes[level]!;
    const below = this.firstNodes[level - 1]!;
    const end = below + levels[level - 1]!;
    /** Children of earlier nodes have only features before the first one that is wanted. */
    const least = below + Math.floor(this.#first / nodeSize ** (level - 1));
    const children: NodeRange[] = [];
    for await (const nodes of read(this.#source, this.#index, ranges, 0))
      for (let n = nodes.from; n < nodes.to; n++) {
        if (!this.#touches(nodes, n)) continue;
        const child = below + nodeSize * (n - first);
        const storedOffset = offsetAt(nodes, n);
        if (storedOffset !== child)
          throw new FormatError(
            `Node ${n} of the index says that its children begin at node ${storedOffset}; they begin at node ${child}.`,
            this.#index.start + nodeBytes * n,
          );
        const from = Math.max(child, least);
        const to = Math.min(child + nodeSize, end);
        const last = children.at(-1);
        if (from >= to) continue;
        if (last?.to === from) last.to = to;
        else children.push({ from, to });
      }
    return children;
  }

  async *#leaves(ranges: readonly NodeRange[]): AsyncGenerator<Leaves> {
    const first = this.firstNodes[0]!;
    for await (const nodes of read(this.#source, this.#index, ranges, first + this.#index.levels[0]!)) {
      const touched: number[] = [];
      for (let n = Math.max(nodes.from, first + this.#first); n < nodes.to; n++)
        if (this.#touches(nodes, n)) touched.push(numbersANode * (n - nodes.from));
      if (touched.length === 0) continue;
      const found = (at: number): Found => {
        const node = nodes.from + at / numbersANode;
        return foundAt(nodes, node, node - first, this.#start, this.#source.size);
      };
      yield { touched, boxes: nodes.numbers, found };
    }
  }

  #touches({ numbers, from }: Nodes, node: number): boolean {
    const at = numbersANode * (node - from);
    for (const area of this.#areas)
      if (
        numbers[at]! <= area.east &&
        numbers[at + 2]! >= area.west &&
        numbers[at + 1]! <= area.north &&
        numbers[at + 3]! >= area.south
      )
        return true;
    return false;
  }
}

/** Splits the ranges into steps of limited size. */
function* stepsOf(ranges: readonly NodeRange[], most: number): Generator<readonly NodeRange[]> {
  let step: NodeRange[] = [];
  let count = 0;
  for (const { from, to } of ranges)
    for (let at = from; at < to; ) {
      const end = Math.min(to, at + most - count);
      step.push({ from: at, to: end });
      count += end - at;
      at = end;
      if (count < most) continue;
      yield step;
      step = [];
      count = 0;
    }
  if (count > 0) yield step;
}

/** Nodes with their bytes; these may go on with the node behind the last one. */
interface Nodes extends NodeRange {
  /** Box and offset of each node; the offset is a whole number of 64 bits. */
  readonly numbers: Float64Array;
  /** The bytes as words of 32 bits. */
  readonly words: Uint32Array;
}

const numbersANode = nodeBytes / 8;

/**
 * Reads ranges of nodes, which ascend; near ones with one request, with the nodes between them.
 * @param end the node at the end of the leaves: each read also has the leaf behind its range, if there is one; 0: not
 * for leaves
 */
async function* read(
  source: ByteSource,
  { start }: Required<Header>['index'],
  ranges: readonly NodeRange[],
  end: number,
): AsyncGenerator<Nodes> {
  for (let n = 0; n < ranges.length; ) {
    const { from } = ranges[n]!;
    let { to } = ranges[n]!;
    for (n++; n < ranges.length; n++) {
      const next = ranges[n]!;
      if ((next.from - to) * nodeBytes > maxGap || (next.to - from) * nodeBytes > maxRead) break;
      to = next.to;
    }
    const last = to < end ? to + 1 : to;
    const wanted = nodeBytes * (last - from);
    const bytes = await source.read(start + nodeBytes * from, wanted);
    if (bytes.length < wanted) throw new FormatError('The index is cut.', start + nodeBytes * from);
    const { buffer, byteOffset } = bytes;
    const aligned = byteOffset % 8 === 0 ? buffer : buffer.slice(byteOffset, byteOffset + wanted);
    const at = aligned === buffer ? byteOffset : 0;
    yield {
      from,
      to,
      numbers: new Float64Array(aligned, at, wanted / 8),
      words: new Uint32Array(aligned, at, wanted / 4),
    };
  }
}

function offsetAt({ words, from }: Nodes, node: number): number {
  const at = 2 * numbersANode * (node - from) + 8;
  return words[at]! + words[at + 1]! * 2 ** 32;
}

function boxAt({ numbers, from }: Nodes, node: number): Area {
  const at = numbersANode * (node - from);
  return { west: numbers[at]!, south: numbers[at + 1]!, east: numbers[at + 2]!, north: numbers[at + 3]! };
}

function foundAt(nodes: Nodes, node: number, number: number, start: number, size: number): Found {
  const offset = start + offsetAt(nodes, node);
  if (offset + 4 > size)
    throw new FormatError(`The index says that feature ${number + 1} begins at byte ${offset} of ${size}.`);
  const hasNext = numbersANode * (node - nodes.from + 2) <= nodes.numbers.length;
  const next = hasNext ? start + offsetAt(nodes, node + 1) : 0;
  return { number, offset, end: next > offset && next <= size ? next : 0, box: boxAt(nodes, node) };
}
