import { FormatError } from '../../errors.ts';
import { PointInRing } from './point-in-ring.ts';
import { RingTree } from './ring-tree.ts';
import type { Rings } from './rings.ts';

/** Maximum number of edges and boxes visited for one geometry, about two seconds. Real data need a hundredth of it. */
const maxVisited = 2e8;

/**
 * Sets the owner of each hole (counter-clockwise) to the smallest outer ring around it. Returns false if a hole lies in
 * no outer ring.
 */
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

/**
 * Sets owners by nesting depth, ignoring winding: rings at even depth are outer rings, those at odd depth are holes.
 */
export function ownersByNesting(rings: Rings): void {
  const { owner } = rings;
  const nesting = new Nesting(rings, () => true);
  owner.fill(-1);
  for (const n of nesting.bySize) {
    const around = nesting.around(n);
    // A ring inside an outer ring is a hole; a ring inside a hole is an outer ring.
    if (around >= 0 && owner[around]! < 0) owner[n] = around;
  }
}

class Nesting {
  /** Ring numbers by decreasing area; of equal rings the outer ones first. */
  readonly bySize: Uint32Array;
  readonly #rings: Rings;
  /** Index of each ring in `bySize`. */
  readonly #rank: Uint32Array;
  readonly #tree: RingTree;
  readonly #locators = new Map<number, PointInRing>();
  #visited = 0;

  /** Only rings for which `isContainer` holds can contain others. */
  constructor(rings: Rings, isContainer: (n: number) => boolean) {
    this.#rings = rings;
    const size = rings.doubleArea.map(Math.abs);
    this.bySize = Uint32Array.from(size.keys());
    this.bySize.sort((a, b) => size[b]! - size[a]! || Number(rings.isOuter(b)) - Number(rings.isOuter(a)) || a - b);
    this.#rank = new Uint32Array(size.length);
    for (let rank = 0; rank < size.length; rank++) this.#rank[this.bySize[rank]!] = rank;
    this.#tree = new RingTree(rings.boxes, this.bySize, isContainer);
  }

  /** The smallest ring that contains ring `n`, or -1. */
  around(n: number): number {
    const fits = (rank: number) => this.#contains(this.bySize[rank]!, n);
    const rank = this.#tree.last(this.#rings.boxes.subarray(4 * n, 4 * n + 4), this.#rank[n]!, fits);
    this.#count(this.#tree.visited);
    return rank < 0 ? -1 : this.bySize[rank]!;
  }

  #count(visited: number): void {
    this.#visited += visited;
    if (this.#visited > maxVisited)
      throw new FormatError(
        `A polygon has ${this.#rank.length} rings that overlap so much that telling outer rings from holes takes too long.`,
      );
  }

  /** Decided by the first vertex of the inner ring that does not lie on the boundary of the outer ring. */
  #contains(outer: number, inner: number): boolean {
    const { coordinates, stride } = this.#rings;
    const [first, end] = [this.#rings.first(inner), this.#rings.end(inner)];
    const locator = this.#locator(outer);
    for (let i = first; i < end; i++) {
      const location = locator.locate(coordinates[i * stride]!, coordinates[i * stride + 1]!);
      this.#count(locator.visited);
      if (location !== 0) return location > 0;
    }
    // All vertices lie on the boundary: the middle of the first edge decides.
    const [i, j] = [first * stride, (first + 1) * stride];
    const x = (coordinates[i]! + coordinates[j]!) / 2;
    const y = (coordinates[i + 1]! + coordinates[j + 1]!) / 2;
    return locator.locate(x, y) >= 0;
  }

  #locator(n: number): PointInRing {
    let locator = this.#locators.get(n);
    if (locator === undefined) {
      locator = new PointInRing(this.#rings, n);
      if (locator.isLarge) this.#locators.set(n, locator);
    }
    return locator;
  }
}
