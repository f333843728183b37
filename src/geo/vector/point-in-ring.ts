import type { Rings } from './rings.ts';

/** Rings with fewer sides are gone through whole. */
const few = 64;
/** A side that crosses many strips stands in each of them: at most so many times on average. */
const mostCrossed = 4;

/** Tells points inside a ring from those outside. Large rings are cut into strips from south to north when they are asked about again. */
export class RingSide {
  /** Sides that the last answer took. */
  looked = 0;
  readonly #first: number;
  readonly #end: number;
  readonly #south: number;
  readonly #north: number;
  readonly #coordinates: Float64Array;
  readonly #stride: number;
  #asked = 0;
  #strips: { starts: Uint32Array; sides: Uint32Array; height: number } | undefined;

  constructor(rings: Rings, n: number) {
    this.#first = rings.first(n);
    this.#end = rings.end(n);
    this.#south = rings.boxes[4 * n + 1]!;
    this.#north = rings.boxes[4 * n + 3]!;
    this.#coordinates = rings.coordinates;
    this.#stride = rings.stride;
  }

  get isLarge(): boolean {
    return this.#end - this.#first > few;
  }

  /** 1 inside, -1 outside, 0 on the boundary. */
  of(x: number, y: number): number {
    if (!(y >= this.#south && y <= this.#north)) {
      this.looked = 1;
      return -1;
    }
    if (this.#strips === undefined && this.isLarge && this.#asked++ > 0) this.#strips = this.#cut();
    let inside = false;
    const strips = this.#strips;
    if (strips === undefined) {
      this.looked = this.#end - this.#first;
      for (let i = this.#first; i < this.#end; i++) {
        const crossing = this.#crossing(i, x, y);
        if (crossing === 0) return 0;
        if (crossing > 0) inside = !inside;
      }
      return inside ? 1 : -1;
    }
    const strip = this.#stripOf(y, strips.height, strips.starts.length - 1);
    const end = strips.starts[strip + 1]!;
    this.looked = end - strips.starts[strip]! + 1;
    for (let k = strips.starts[strip]!; k < end; k++) {
      const crossing = this.#crossing(strips.sides[k]!, x, y);
      if (crossing === 0) return 0;
      if (crossing > 0) inside = !inside;
    }
    return inside ? 1 : -1;
  }

  /** Of the side that ends at vertex `i`: 0 the point is on it, 1 it is crossed on the way east, -1 it is not. */
  #crossing(i: number, x: number, y: number): number {
    const coordinates = this.#coordinates;
    const a = i * this.#stride;
    const b = (i === this.#first ? this.#end - 1 : i - 1) * this.#stride;
    const xi = coordinates[a]!;
    const yi = coordinates[a + 1]!;
    const xj = coordinates[b]!;
    const yj = coordinates[b + 1]!;
    const cross = (xj - xi) * (y - yi) - (yj - yi) * (x - xi);
    if (cross === 0 && x >= Math.min(xi, xj) && x <= Math.max(xi, xj) && y >= Math.min(yi, yj) && y <= Math.max(yi, yj))
      return 0;
    return yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi ? 1 : -1;
  }

  #cut() {
    const coordinates = this.#coordinates;
    const [first, end, stride] = [this.#first, this.#end, this.#stride];
    const count = end - first;
    const tall = this.#north - this.#south;
    const yBefore = (i: number) => coordinates[(i === first ? end - 1 : i - 1) * stride + 1]!;
    let climbed = 0;
    for (let i = first; i < end; i++) climbed += Math.abs(coordinates[i * stride + 1]! - yBefore(i));
    const fitting = Math.floor(((mostCrossed - 1) * count * tall) / climbed);
    const strips = Math.max(1, Math.min(count, fitting) || 1);
    const height = tall / strips;
    const starts = new Uint32Array(strips + 1);
    const eachStrip = (visit: (strip: number, side: number) => void) => {
      for (let i = first; i < end; i++) {
        const a = this.#stripOf(coordinates[i * stride + 1]!, height, strips);
        const b = this.#stripOf(yBefore(i), height, strips);
        for (let strip = Math.min(a, b); strip <= Math.max(a, b); strip++) visit(strip, i);
      }
    };
    eachStrip((strip) => starts[strip + 1]!++);
    for (let strip = 0; strip < strips; strip++) starts[strip + 1]! += starts[strip]!;
    const sides = new Uint32Array(starts[strips]!);
    const next = starts.slice();
    eachStrip((strip, side) => {
      sides[next[strip]!++] = side;
    });
    return { starts, sides, height };
  }

  /** Never falls as `y` grows, so a side stands in every strip that one of its points is in. */
  #stripOf(y: number, height: number, strips: number): number {
    const strip = Math.floor((y - this.#south) / height);
    return strip > 0 ? Math.min(strip, strips - 1) : 0;
  }
}
