import { hash } from 'node:crypto';
import { isRising } from '../../../data/number-arrays.ts';
import { bytesOf } from '../../../data/samples.ts';
import { joined } from '../../../data/stored-values.ts';
import { FormatError } from '../../../errors.ts';
import { HALF_WORLD } from '../../matrices.ts';
import type { Elements, ElementValues } from '../mesh-pixels.ts';
import {
  type Coverage,
  type CoveredArea,
  type ItemValues,
  type KeptSlice,
  type MeshValuesDescription,
  type SourceSlice,
  sliceValuesName,
  type ValueEntries,
} from './item-values.ts';

const NODES = '@mesh-nodes';
const layerName = (layer: number) => `@mesh-layer${layer}`;

export interface MeshParts {
  readonly at: ElementValues['at'];
  /** Elements of a layer in Web Mercator, and their values. */
  elements(layer: number): Elements;
  values(slice: SourceSlice): Promise<Float64Array>;
}

/** Values of a mesh; its nodes and elements are kept once for all items. */
export class MeshValues implements ItemValues {
  readonly description: MeshValuesDescription;
  readonly #parts: MeshParts;

  constructor(parts: MeshParts) {
    this.#parts = parts;
    this.description = { kind: 'mesh', at: parts.at };
  }

  async keep(name: string, { slice, kept }: KeptSlice, entries: ValueEntries): Promise<void> {
    const { x, y, starts, corners } = this.#parts.elements(slice.layer);
    if (!entries.has(NODES)) await entries.bytes(NODES, bytesOf(joined(Float64Array, [x, y])));
    const layer = layerName(slice.layer);
    if (!entries.has(layer))
      await entries.bytes(layer, bytesOf(joined(Uint32Array, [[starts.length - 1], starts, corners])));
    await entries.bytes(sliceValuesName(name, kept), bytesOf(joined(Float64Array, [await this.#parts.values(slice)])));
  }

  async coverage(slice: SourceSlice): Promise<Coverage> {
    const of = await this.#parts.values(slice);
    const mask = Uint8Array.from(of, (value) => (Number.isNaN(value) ? 0 : 1));
    const shapes = shapesOf(this.#parts.elements(slice.layer), { at: this.#parts.at, of });
    return { digest: `${slice.layer} ${hash('sha1', mask)}`, area: new MeshArea(shapes) };
  }
}

/** Reads what `keep` wrote. @throws FormatError if a node or element is missing */
export async function readElements(read: (name: string) => Promise<Uint8Array>, layer: number): Promise<Elements> {
  const nodes = float64s(await read(NODES));
  const count = nodes.length / 2;
  const all = await read(layerName(layer));
  const numbers = new Uint32Array(new Uint8Array(all).buffer, 0, Math.floor(all.length / 4));
  const elements = numbers[0] ?? 0;
  if (elements + 2 > numbers.length) throw new FormatError('The elements of the mesh of the tiles are cut off.');
  const [starts, corners] = [numbers.subarray(1, elements + 2), numbers.subarray(elements + 2)];
  if (!isRising(starts) || starts.at(-1) !== corners.length || corners.some((node) => node >= count))
    throw new FormatError('An element of the mesh of the tiles has a node that is missing.');
  return { starts, corners, x: nodes.subarray(0, count), y: nodes.subarray(count) };
}

export async function readValues(
  read: (name: string) => Promise<Uint8Array>,
  name: string,
  slice: SourceSlice,
): Promise<Float64Array> {
  return float64s(await read(sliceValuesName(name, slice)));
}

const float64s = (bytes: Uint8Array): Float64Array =>
  new Float64Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / 8));

/** Convex polygons that have values: x and y of the corners in turn. */
interface Shapes {
  readonly starts: readonly number[];
  readonly corners: Float64Array;
}

/** Elements with a value, or triangles whose nodes have values. */
function shapesOf({ starts, corners, x, y }: Elements, { at, of }: ElementValues): Shapes {
  const ends = [0];
  const points: number[] = [];
  const add = (...nodes: readonly number[]) => {
    for (const node of nodes) points.push(x[node]!, y[node]!);
    ends.push(points.length);
  };
  for (let element = 0; element + 1 < starts.length; element++) {
    const [first, end] = [starts[element]!, starts[element + 1]!];
    const nodes = Array.prototype.slice.call(corners, first, end) as number[];
    if (at === 'cell') {
      if (!Number.isNaN(of[element]!)) add(...nodes);
      continue;
    }
    for (let n = 1; n + 1 < nodes.length; n++) {
      const triangle = [nodes[0]!, nodes[n]!, nodes[n + 1]!];
      if (triangle.every((node) => !Number.isNaN(of[node]!))) add(...triangle);
    }
  }
  return { starts: ends, corners: Float64Array.from(points) };
}

interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

function boundsOf({ starts, corners }: Shapes, candidates: readonly number[]): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const shape of candidates)
    for (let at = starts[shape]!; at < starts[shape + 1]!; at += 2) {
      west = Math.min(west, corners[at]!);
      east = Math.max(east, corners[at]!);
      south = Math.min(south, corners[at + 1]!);
      north = Math.max(north, corners[at + 1]!);
    }
  return { west, south, east, north };
}

/** Whether a box lies inside of another one, also if it has no side. */
const contains = (box: Box, { west, south, east, north }: Box): boolean =>
  west > box.west && east < box.east && south > box.south && north < box.north && west < east && south < north;

class MeshArea implements CoveredArea {
  readonly #shapes: Shapes;
  /** Shapes that may lie here. */
  readonly #candidates: readonly number[];
  /** Bounding box of the candidates. */
  #bounds: Box | undefined;

  constructor(
    shapes: Shapes,
    candidates: readonly number[] = Array.from({ length: shapes.starts.length - 1 }, (_, n) => n),
  ) {
    this.#shapes = shapes;
    this.#candidates = candidates;
  }

  of(level: number, column: number, row: number): 'all' | 'none' | CoveredArea {
    const side = (2 * HALF_WORLD) / 2 ** level;
    const [west, north] = [-HALF_WORLD + column * side, HALF_WORLD - row * side];
    this.#bounds ??= boundsOf(this.#shapes, this.#candidates);
    // A tile that contains the bounding box has the same candidates.
    if (contains({ west, south: north - side, east: west + side, north }, this.#bounds)) return this;
    const near: number[] = [];
    for (const shape of this.#candidates) {
      let isNear = false;
      for (const shift of [0, -2 * HALF_WORLD, 2 * HALF_WORLD]) {
        const box = { west: west - shift, east: west + side - shift, south: north - side, north };
        if (!touches(this.#shapes, shape, box)) continue;
        if (holds(this.#shapes, shape, box)) return 'all';
        isNear = true;
      }
      if (isNear) near.push(shape);
    }
    return near.length === 0 ? 'none' : new MeshArea(this.#shapes, near);
  }
}

/** Whether the bounding box of a shape meets a box. */
function touches({ starts, corners }: Shapes, shape: number, { west, south, east, north }: Box): boolean {
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let n = starts[shape]!; n < starts[shape + 1]!; n += 2) {
    left = Math.min(left, corners[n]!);
    right = Math.max(right, corners[n]!);
    bottom = Math.min(bottom, corners[n + 1]!);
    top = Math.max(top, corners[n + 1]!);
  }
  return left <= east && right >= west && bottom <= north && top >= south;
}

/** Whether the corners of a box lie on the inner side of all sides of a shape. */
function holds({ starts, corners }: Shapes, shape: number, { west, south, east, north }: Box): boolean {
  const [first, end] = [starts[shape]!, starts[shape + 1]!];
  let [left, right] = [true, true];
  for (let n = first; n < end; n += 2) {
    const next = n + 2 === end ? first : n + 2;
    const [x, y] = [corners[n]!, corners[n + 1]!];
    const [dx, dy] = [corners[next]! - x, corners[next + 1]! - y];
    if (dx === 0 && dy === 0) continue;
    const sides = [
      dx * (south - y) - dy * (west - x),
      dx * (south - y) - dy * (east - x),
      dx * (north - y) - dy * (west - x),
      dx * (north - y) - dy * (east - x),
    ];
    left &&= sides.every((one) => one > 0);
    right &&= sides.every((one) => one < 0);
    if (!left && !right) return false;
  }
  return left !== right;
}
