import type { Crs } from '../../data/crs-reference.ts';
import type { Geometry } from '../../data/feature-collection.ts';
import { AppError } from '../../errors.ts';
import { describeCrs, kindOf, sameCrs } from '../crs/crs.ts';
import type { Transformer } from '../crs/transform.ts';
import { transformer } from '../crs/transform.ts';
import type { Chain } from './edge-tree.ts';

/** Pieces of an edge that are looked at in any case. */
const atLeast = 4;
/** An edge is cut in half at most so often. */
const mostCuts = 12;
/** Vertices of all chains together, where they bend much: an outline is exact enough then. */
const mostVertices = 2_000_000;
/** Vertices that each chain may have in any case. */
const leastVertices = 256;
/** What an edge may miss, as a share of the size of its chain: a centimetre of a hundred kilometres. */
const miss = 1e-7;

/** The vertices of a flat geometry (no heights), apart. */
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
 * Chains in the coordinates of data. Edges that are straight in one system and curved in the other become many. Where x is a longitude,
 * there are three groups of them, also one turn to the east and to the west: data may count from 0 or from −180, and a chain may cross 180°.
 * @throws AppError when a vertex has no place in the data's system, or an edge is torn apart there
 */
export async function placedChains(
  chains: readonly Chain[],
  from: Crs | undefined,
  to: Crs | undefined,
): Promise<readonly (readonly Chain[])[]> {
  if (to === undefined) return [chains];
  const known = kindOf(to).startsWith('geographic') ? await describeCrs(to) : undefined;
  const turn = known === undefined ? undefined : Math.round((2e9 * Math.PI) / known.unit.factor) / 1e9;
  let placed = chains;
  if (from !== undefined && !(await sameCrs(from, to))) {
    using change = await transformer(from, to);
    const { name } = await describeCrs(to);
    const most = Math.max(leastVertices, mostVertices / chains.length);
    const way = new Way(change, name, turn, most);
    placed = chains.map(({ xy, polygon }) => ({ xy: way.of(xy, polygon >= 0), polygon }));
  }
  if (turn === undefined) return [placed];
  const count = placed.reduce((most, one) => Math.max(most, one.polygon + 1), 0);
  return [0, 1, -1].map((turns, n) =>
    placed.map(({ xy, polygon }) => ({
      xy: turns === 0 ? xy : xy.map((value, at) => (at % 2 === 0 ? value + turns * turn : value)),
      polygon: polygon < 0 ? -1 : n * count + polygon,
    })),
  );
}

/** The way of chains into another system, with a vertex more wherever they bend. */
class Way {
  readonly #change: Transformer;
  readonly #name: string;
  readonly #turn: number | undefined;
  readonly #most: number;

  constructor(change: Transformer, name: string, turn: number | undefined, most: number) {
    this.#change = change;
    this.#name = name;
    this.#turn = turn;
    this.#most = most;
  }

  of(xy: Float64Array, closed: boolean): Float64Array {
    let from = xy.length === 2 ? xy : this.#cutUp(xy);
    let to = this.#changed(from);
    let bent: Uint8Array = new Uint8Array(from.length / 2 - 1).fill(1);
    let cuts = 0;
    for (; cuts < mostCuts && bent.includes(1) && from.length < 2 * this.#most; cuts++) {
      this.#join(to);
      ({ from, to, bent } = this.#cut(from, to, bent));
    }
    this.#join(to);
    this.#refuseTorn(from, to, bent, sizeOf(to) / (cuts === mostCuts ? 100 : 2));
    return closed ? this.#closed(to) : to;
  }

  #cutUp(xy: Float64Array): Float64Array {
    const cut = new Float64Array((xy.length / 2 - 1) * atLeast * 2 + 2);
    for (let n = 0; n < cut.length; n += 2) {
      const at = 2 * Math.floor(n / 2 / atLeast);
      const share = ((n / 2) % atLeast) / atLeast;
      for (const k of [0, 1] as const)
        cut[n + k] = share === 0 ? xy[at + k]! : xy[at + k]! + share * (xy[at + 2 + k]! - xy[at + k]!);
    }
    return cut;
  }

  #changed(from: Float64Array): Float64Array {
    const x = from.filter((_, at) => at % 2 === 0);
    const y = from.filter((_, at) => at % 2 === 1);
    const failed = this.#change.forward(x, y);
    const bad = failed === 0 ? -1 : x.findIndex((value) => Number.isNaN(value));
    if (bad >= 0)
      throw new AppError(
        'unprocessable',
        `The geometry of the spatial filter has the point (${from[2 * bad]}, ${from[2 * bad + 1]}), which has no place in ${this.#name}, the system of the data.`,
      );
    return Float64Array.from(from, (_, at) => (at % 2 === 0 ? x : y)[at >> 1]!);
  }

  /** Undoes leaps from one side of the world to the other. */
  #join(to: Float64Array): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    for (let at = 2; at < to.length; at += 2) to[at] = to[at]! - turn * Math.round((to[at]! - to[at - 2]!) / turn);
  }

  /** Each bent edge becomes two, unless it is straight enough. */
  #cut(from: Float64Array, to: Float64Array, bent: Uint8Array) {
    const middles = new Float64Array(2 * bent.reduce((sum, one) => sum + one, 0));
    let m = 0;
    for (let n = 0; n < bent.length; n++)
      if (bent[n] === 1) for (let k = 0; k < 2; k++) middles[m++] = (from[2 * n + k]! + from[2 * n + 2 + k]!) / 2;
    const places = this.#changed(middles);
    const slack = miss * sizeOf(to);
    const next = { from: [from[0]!, from[1]!], to: [to[0]!, to[1]!], bent: [] as number[] };
    m = 0;
    for (let n = 0; n < bent.length; n++) {
      const at = 2 * n;
      if (bent[n] === 1) {
        if (this.#turn !== undefined)
          places[m] = places[m]! - this.#turn * Math.round((places[m]! - to[at]!) / this.#turn);
        const off = isOff(to, at, places[m]!, places[m + 1]!, slack);
        if (off) {
          next.from.push(middles[m]!, middles[m + 1]!);
          next.to.push(places[m]!, places[m + 1]!);
          next.bent.push(1);
        }
        next.bent.push(off ? 1 : 0);
        m += 2;
      } else next.bent.push(0);
      next.from.push(from[at + 2]!, from[at + 3]!);
      next.to.push(to[at + 2]!, to[at + 3]!);
    }
    return { from: new Float64Array(next.from), to: new Float64Array(next.to), bent: new Uint8Array(next.bent) };
  }

  /** What is still long after all cuts leaps: over the edge of a map, for example. */
  #refuseTorn(from: Float64Array, to: Float64Array, bent: Uint8Array, long: number): void {
    for (let n = 0; n < bent.length; n++) {
      const at = 2 * n;
      if (bent[n] === 1 && Math.hypot(to[at + 2]! - to[at]!, to[at + 3]! - to[at + 1]!) > long)
        throw new AppError(
          'unprocessable',
          `The geometry of the spatial filter is torn apart in ${this.#name}, the system of the data, near the point (${from[at]}, ${from[at + 1]}).`,
        );
    }
  }

  /** A ring around a pole does not close in longitude and latitude: it goes on along the pole. */
  #closed(to: Float64Array): Float64Array {
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

/** Whether the image of an edge's middle is away from its straight line, or not between its ends. */
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
