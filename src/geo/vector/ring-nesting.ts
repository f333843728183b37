import { FormatError } from '../../errors.ts';
import { RingSide } from './point-in-ring.ts';
import { RingTree } from './ring-tree.ts';
import type { Rings } from './rings.ts';

/** Sides and boxes that are looked at for one geometry: a second or two. Rings as people draw them take a hundredth of it. */
const mostWork = 2e8;

/** Sets the owners of holes, which run counter-clockwise: the smallest outer ring around each. False when one lies in none. */
export function ownersByWinding(rings: Rings): boolean {
  const { owner } = rings;
  const nesting = new Nesting(rings, (n) => rings.isOuter(n));
  for (let n = 0; n < owner.length; n++) {
    if (rings.isOuter(n)) continue;
    const around = nesting.around(n);
    if (around < 0) return false;
    owner[n] = around;
  }
  return true;
}

/** The same without a look at the winding: rings are outer or hole by turns, from the outside in. */
export function ownersByNesting(rings: Rings): void {
  const { owner } = rings;
  const nesting = new Nesting(rings, () => true);
  owner.fill(-1);
  for (const n of nesting.bySize) {
    const around = nesting.around(n);
    // In an outer ring it is a hole, in a hole it is an island.
    if (around >= 0 && owner[around]! < 0) owner[n] = around;
  }
}

class Nesting {
  /** Large ones first, among equals outer ones. */
  readonly bySize: Uint32Array;
  readonly #rings: Rings;
  /** Of each ring, its place in `bySize`. */
  readonly #rank: Uint32Array;
  readonly #tree: RingTree;
  readonly #sides = new Map<number, RingSide>();
  #work = 0;

  /** Those that `mayHold` may lie around others. */
  constructor(rings: Rings, mayHold: (n: number) => boolean) {
    this.#rings = rings;
    const size = rings.area.map(Math.abs);
    this.bySize = Uint32Array.from(size.keys());
    this.bySize.sort((a, b) => size[b]! - size[a]! || Number(rings.isOuter(b)) - Number(rings.isOuter(a)) || a - b);
    this.#rank = new Uint32Array(size.length);
    for (let rank = 0; rank < size.length; rank++) this.#rank[this.bySize[rank]!] = rank;
    this.#tree = new RingTree(rings.boxes, this.bySize, mayHold);
  }

  /** The smallest of those around ring `n`, or -1. */
  around(n: number): number {
    const fits = (rank: number) => this.#contains(this.bySize[rank]!, n);
    const rank = this.#tree.last(this.#rings.boxes.subarray(4 * n, 4 * n + 4), this.#rank[n]!, fits);
    this.#count(this.#tree.looked);
    return rank < 0 ? -1 : this.bySize[rank]!;
  }

  #count(looked: number): void {
    this.#work += looked;
    if (this.#work > mostWork)
      throw new FormatError(
        `The ${this.#rank.length} rings of a polygon are so entangled that it would take too long to tell outer rings from holes.`,
      );
  }

  /** Told by the first of the inner ring's vertices that is not on the other's boundary. */
  #contains(outer: number, inner: number): boolean {
    const { coordinates, stride } = this.#rings;
    const [first, end] = [this.#rings.first(inner), this.#rings.end(inner)];
    const side = this.#side(outer);
    for (let i = first; i < end; i++) {
      const where = side.of(coordinates[i * stride]!, coordinates[i * stride + 1]!);
      this.#count(side.looked);
      if (where !== 0) return where > 0;
    }
    // All vertices are shared: the middle of a side tells.
    const [i, j] = [first * stride, (first + 1) * stride];
    const x = (coordinates[i]! + coordinates[j]!) / 2;
    const y = (coordinates[i + 1]! + coordinates[j + 1]!) / 2;
    return side.of(x, y) >= 0;
  }

  #side(n: number): RingSide {
    let side = this.#sides.get(n);
    if (side === undefined) {
      side = new RingSide(this.#rings, n);
      if (side.isLarge) this.#sides.set(n, side);
    }
    return side;
  }
}
