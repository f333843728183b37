import type { Crs } from '../../data/crs-reference.ts';
import type { Geometry } from '../../data/feature-collection.ts';
import { ConversionError } from '../../errors.ts';
import { describeCrs, kindOf, sameCrs } from '../crs/crs.ts';
import { type Transformer, transformer } from '../crs/transform.ts';
import type { Chain } from './edge-tree.ts';

/** Each edge is first split into as many segments. */
const initialSegments = 4;
/** Maximum number of bisections of a segment. */
const maxBisections = 12;
/** Maximum number of vertices of all chains together; bisection stops there. */
const maxVertices = 2_000_000;
/** Every chain may have as many vertices, however many chains there are. */
const minVerticesPerChain = 256;
/** Maximum deviation of a segment relative to the size of its chain: a centimetre per hundred kilometres. */
const tolerance = 1e-7;

/** Splits a 2D geometry (no Z or M) into chains. */
export function chainsOf(geometry: Geometry, polygonsBefore = 0): Chain[] {
  const { type, coordinates, parts = new Uint32Array(1), polygons = new Uint32Array(1), members = [] } = geometry;
  if (type === 'GeometryCollection') {
    const all: Chain[] = [];
    let before = polygonsBefore;
    for (const member of members)
      for (const chain of chainsOf(member, before)) {
        all.push(chain);
        before = Math.max(before, chain.polygon + 1);
      }
    return all;
  }
  if (type === 'Point' || type === 'MultiPoint')
    return Array.from({ length: coordinates.length / 2 }, (_, n) => ({
      xy: coordinates.slice(2 * n, 2 * n + 2),
      polygon: -1,
    }));
  const chains: Chain[] = [];
  let polygon = -1;
  for (let n = 0; n < parts.length; n++) {
    if (n === polygons[polygon + 1]) polygon++;
    const xy = coordinates.slice(2 * parts[n]!, 2 * (parts[n + 1] ?? coordinates.length / 2));
    chains.push({ xy, polygon: type.endsWith('Polygon') ? polygonsBefore + polygon : -1 });
  }
  return chains;
}

/**
 * Transforms chains to the CRS of the data. Densifies edges that are straight in one CRS and curved in the other. If x
 * is a longitude, returns three groups: the chains, and copies shifted by 360° east and west, because longitudes of
 * data may start at 0 or −180 and a chain may cross the antimeridian.
 * @throws ConversionError if a vertex cannot be transformed or an edge is discontinuous in the CRS of the data
 */
export async function transformChains(
  chains: readonly Chain[],
  from: Crs | undefined,
  to: Crs | undefined,
): Promise<readonly (readonly Chain[])[]> {
  if (to === undefined) return [chains];
  const known = kindOf(to).startsWith('geographic') ? await describeCrs(to) : undefined;
  const turn = known === undefined ? undefined : Math.round((2e9 * Math.PI) / known.unit.factor) / 1e9;
  let transformed = chains;
  if (from !== undefined && !(await sameCrs(from, to))) {
    using change = await transformer(from, to);
    const { name } = await describeCrs(to);
    const maxPerChain = Math.max(minVerticesPerChain, maxVertices / chains.length);
    const chainTransformer = new ChainTransformer(change, name, turn, maxPerChain);
    transformed = chains.map(({ xy, polygon }) => ({ xy: chainTransformer.transform(xy, polygon >= 0), polygon }));
  }
  if (turn === undefined) return [transformed];
  const count = transformed.reduce((most, one) => Math.max(most, one.polygon + 1), 0);
  return [0, 1, -1].map((turns, n) =>
    transformed.map(({ xy, polygon }) => ({
      xy: turns === 0 ? xy : xy.map((value, at) => (at % 2 === 0 ? value + turns * turn : value)),
      polygon: polygon < 0 ? -1 : n * count + polygon,
    })),
  );
}

/** Transforms chains and bisects segments until they follow the transformed curve. */
class ChainTransformer {
  readonly #change: Transformer;
  /** Name of the target CRS. */
  readonly #name: string;
  /** 360° in the unit of the target CRS, if its x is a longitude. */
  readonly #turn: number | undefined;
  readonly #maxVertices: number;

  constructor(change: Transformer, name: string, turn: number | undefined, maxVerticesPerChain: number) {
    this.#change = change;
    this.#name = name;
    this.#turn = turn;
    this.#maxVertices = maxVerticesPerChain;
  }

  transform(xy: Float64Array, closed: boolean): Float64Array {
    let from = xy.length === 2 ? xy : this.#split(xy);
    let to = this.#forward(from);
    let curved: Uint8Array = new Uint8Array(from.length / 2 - 1).fill(1);
    let bisections = 0;
    for (; bisections < maxBisections && curved.includes(1) && from.length < 2 * this.#maxVertices; bisections++) {
      this.#unwrap(to);
      ({ from, to, curved } = this.#bisect(from, to, curved));
    }
    this.#unwrap(to);
    this.#refuseDiscontinuity(from, to, curved, sizeOf(to) / (bisections === maxBisections ? 100 : 2));
    return closed ? this.#close(to) : to;
  }

  /** Splits each edge into `initialSegments`. */
  #split(xy: Float64Array): Float64Array {
    const split = new Float64Array((xy.length / 2 - 1) * initialSegments * 2 + 2);
    for (let n = 0; n < split.length; n += 2) {
      const at = 2 * Math.floor(n / 2 / initialSegments);
      const fraction = ((n / 2) % initialSegments) / initialSegments;
      for (const k of [0, 1] as const)
        split[n + k] = fraction === 0 ? xy[at + k]! : xy[at + k]! + fraction * (xy[at + 2 + k]! - xy[at + k]!);
    }
    return split;
  }

  #forward(from: Float64Array): Float64Array {
    const x = from.filter((_, at) => at % 2 === 0);
    const y = from.filter((_, at) => at % 2 === 1);
    const failed = this.#change.forward(x, y);
    const bad = failed === 0 ? -1 : x.findIndex((value) => Number.isNaN(value));
    if (bad >= 0)
      throw new ConversionError(
        `The point (${from[2 * bad]}, ${from[2 * bad + 1]}) of the spatial filter cannot be transformed to ${this.#name}, the coordinate system of the data.`,
      );
    return Float64Array.from(from, (_, at) => (at % 2 === 0 ? x : y)[at >> 1]!);
  }

  /** Unwraps longitudes: removes jumps of 360° between consecutive vertices. */
  #unwrap(to: Float64Array): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    for (let at = 2; at < to.length; at += 2) to[at] = to[at]! - turn * Math.round((to[at]! - to[at - 2]!) / turn);
  }

  /** Bisects the segments that are marked as curved; those that are straight within the tolerance lose the mark. */
  #bisect(from: Float64Array, to: Float64Array, curved: Uint8Array) {
    const middles = new Float64Array(2 * curved.reduce((sum, one) => sum + one, 0));
    let m = 0;
    for (let n = 0; n < curved.length; n++)
      if (curved[n] === 1) for (let k = 0; k < 2; k++) middles[m++] = (from[2 * n + k]! + from[2 * n + 2 + k]!) / 2;
    const images = this.#forward(middles);
    const slack = tolerance * sizeOf(to);
    const next = { from: [from[0]!, from[1]!], to: [to[0]!, to[1]!], curved: [] as number[] };
    m = 0;
    for (let n = 0; n < curved.length; n++) {
      const at = 2 * n;
      if (curved[n] === 1) {
        if (this.#turn !== undefined)
          images[m] = images[m]! - this.#turn * Math.round((images[m]! - to[at]!) / this.#turn);
        const off = isOff(to, at, images[m]!, images[m + 1]!, slack);
        if (off) {
          next.from.push(middles[m]!, middles[m + 1]!);
          next.to.push(images[m]!, images[m + 1]!);
          next.curved.push(1);
        }
        next.curved.push(off ? 1 : 0);
        m += 2;
      } else next.curved.push(0);
      next.from.push(from[at + 2]!, from[at + 3]!);
      next.to.push(to[at + 2]!, to[at + 3]!);
    }
    return { from: new Float64Array(next.from), to: new Float64Array(next.to), curved: new Uint8Array(next.curved) };
  }

  /** A segment that is still longer than `limit` after all bisections jumps, for example across the edge of a map. */
  #refuseDiscontinuity(from: Float64Array, to: Float64Array, curved: Uint8Array, limit: number): void {
    for (let n = 0; n < curved.length; n++) {
      const at = 2 * n;
      if (curved[n] === 1 && Math.hypot(to[at + 2]! - to[at]!, to[at + 3]! - to[at + 1]!) > limit)
        throw new ConversionError(
          `The geometry of the spatial filter is torn apart in ${this.#name}, the coordinate system of the data, near the point (${from[at]}, ${from[at + 1]}). Use a geometry within the area of use of that system.`,
        );
    }
  }

  /**
   * Closes a ring. A ring around a pole ends 360° from its start in longitude and latitude, so it is closed along the
   * pole.
   */
  #close(to: Float64Array): Float64Array {
    const turn = this.#turn;
    const [x, y] = [to[0]!, to[1]!];
    const end = to.at(-2)!;
    if (turn === undefined || Math.abs(end - x) < turn / 2) {
      to.set([x, y], to.length - 2);
      return to;
    }
    const pole = (Math.sign(y) * turn) / 4;
    return Float64Array.from([...to, end, pole, x, pole, x, y]);
  }
}

/** Whether the transformed middle of a segment deviates from the straight line or does not lie between its ends. */
function isOff(to: Float64Array, at: number, x: number, y: number, slack: number): boolean {
  const [ax, ay] = [to[at]!, to[at + 1]!];
  const [dx, dy] = [to[at + 2]! - ax, to[at + 3]! - ay];
  const length = Math.hypot(dx, dy);
  if (length <= slack) return false;
  const along = ((x - ax) * dx + (y - ay) * dy) / length;
  const across = ((x - ax) * dy - (y - ay) * dx) / length;
  return Math.abs(across) > slack || along < -slack || along > length + slack;
}

function sizeOf(xy: Float64Array): number {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < xy.length; at += 2) {
    west = Math.min(west, xy[at]!);
    east = Math.max(east, xy[at]!);
    south = Math.min(south, xy[at + 1]!);
    north = Math.max(north, xy[at + 1]!);
  }
  return Math.hypot(east - west, north - south);
}
