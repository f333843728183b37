import type { Canvas, Colour, Frame } from './canvas.ts';
import { nodataColour, type Scale } from './colours.ts';

/** Polygons in pixels of the picture: cell c has the corners `corners[starts[c] … starts[c + 1])`. */
export interface Faces {
  readonly starts: ArrayLike<number>;
  readonly corners: ArrayLike<number>;
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Samples of a pixel in each direction. */
const oversampling = 2;

/** Value of samples that no cell covers. Samples without data are NaN. */
const uncovered = Infinity;

/**
 * Fills cells by their value, or by values at their corners, which change linearly over triangles. On a transparent
 * ground, cells without data are not drawn.
 */
export function paintFaces(canvas: Canvas, frame: Frame, faces: Faces, values: Values, scale: Scale): void {
  const raster = new Raster(frame);
  const { starts, corners } = faces;
  for (let face = 0; face + 1 < starts.length; face++) {
    const [first, end] = [starts[face]!, starts[face + 1]!];
    if (values.at === 'cell') raster.polygon(faces, first, end, values.of[face]!);
    else
      for (let n = first + 1; n + 1 < end; n++)
        raster.triangle(faces, [corners[first]!, corners[n]!, corners[n + 1]!], values.of);
  }
  raster.paint(canvas, scale);
}

export interface Values {
  readonly at: 'node' | 'cell';
  /** NaN: no data. */
  readonly of: Float64Array;
}

class Raster {
  readonly #frame: Frame;
  readonly #width: number;
  readonly #height: number;
  readonly #values: Float64Array;

  constructor(frame: Frame) {
    this.#frame = frame;
    this.#width = (frame.right - frame.left) * oversampling;
    this.#height = (frame.bottom - frame.top) * oversampling;
    this.#values = new Float64Array(this.#width * this.#height).fill(uncovered);
  }

  /** Fills a polygon by the even-odd rule, at the centres of the samples. */
  polygon({ corners, x, y }: Faces, first: number, end: number, value: number): void {
    const { left, top } = this.#frame;
    let [low, high] = [Infinity, -Infinity];
    for (let n = first; n < end; n++) {
      low = Math.min(low, y[corners[n]!]!);
      high = Math.max(high, y[corners[n]!]!);
    }
    const last = Math.min(this.#height - 1, Math.ceil((high - top) * oversampling));
    for (let row = Math.max(0, Math.floor((low - top) * oversampling)); row <= last; row++) {
      const level = top + (row + 0.5) / oversampling;
      const crossings: number[] = [];
      for (let n = first; n < end; n++) {
        const [a, b] = [corners[n]!, corners[n + 1 === end ? first : n + 1]!];
        if (y[a]! <= level === y[b]! <= level) continue;
        crossings.push(x[a]! + ((level - y[a]!) / (y[b]! - y[a]!)) * (x[b]! - x[a]!));
      }
      crossings.sort((one, other) => one - other);
      for (let n = 0; n + 1 < crossings.length; n += 2) {
        const from = Math.max(0, Math.ceil((crossings[n]! - left) * oversampling - 0.5));
        const to = Math.min(this.#width, Math.ceil((crossings[n + 1]! - left) * oversampling - 0.5));
        if (from < to) this.#values.fill(value, row * this.#width + from, row * this.#width + to);
      }
    }
  }

  triangle({ x, y }: Faces, [a, b, c]: readonly [number, number, number], of: Float64Array): void {
    const { left, top } = this.#frame;
    const area = (x[b]! - x[a]!) * (y[c]! - y[a]!) - (x[c]! - x[a]!) * (y[b]! - y[a]!);
    if (area === 0) return;
    const within = (values: readonly number[], origin: number, size: number): [number, number] => [
      Math.max(0, Math.floor((Math.min(...values) - origin) * oversampling)),
      Math.min(size - 1, Math.ceil((Math.max(...values) - origin) * oversampling)),
    ];
    const [firstRow, lastRow] = within([y[a]!, y[b]!, y[c]!], top, this.#height);
    const [first, last] = within([x[a]!, x[b]!, x[c]!], left, this.#width);
    for (let row = firstRow; row <= lastRow; row++) {
      const py = top + (row + 0.5) / oversampling;
      for (let column = first; column <= last; column++) {
        const px = left + (column + 0.5) / oversampling;
        const v = ((px - x[a]!) * (y[c]! - y[a]!) - (x[c]! - x[a]!) * (py - y[a]!)) / area;
        const w = ((x[b]! - x[a]!) * (py - y[a]!) - (px - x[a]!) * (y[b]! - y[a]!)) / area;
        if (v < 0 || w < 0 || v + w > 1) continue;
        this.#values[row * this.#width + column] = of[a]! * (1 - v - w) + of[b]! * v + of[c]! * w;
      }
    }
  }

  paint(canvas: Canvas, scale: Scale): void {
    const { left, top, right, bottom } = this.#frame;
    const isShown = (value: number) => value !== uncovered && (canvas.ground !== undefined || !Number.isNaN(value));
    for (let row = top; row < bottom; row++)
      for (let column = left; column < right; column++) {
        const at = (row - top) * oversampling * this.#width + (column - left) * oversampling;
        const first = this.#values[at]!;
        const next = at + this.#width;
        const of = this.#values;
        // Most pixels lie within one cell, or in none.
        if (Object.is(of[at + 1], first) && Object.is(of[next], first) && Object.is(of[next + 1], first)) {
          if (isShown(first)) canvas.set(column, row, colourOf(scale, first));
          continue;
        }
        const samples = [first, of[at + 1]!, of[next]!, of[next + 1]!];
        const covered = samples.filter(isShown).map((value) => colourOf(scale, value));
        if (covered.length > 0) canvas.cover(column, row, mean(covered), covered.length / samples.length);
      }
  }
}

const colourOf = (scale: Scale, value: number): Colour => (Number.isNaN(value) ? nodataColour : scale.colour(value));

function mean(colours: readonly Colour[]): Colour {
  const channel = (k: 0 | 1 | 2) => colours.reduce((sum, colour) => sum + colour[k], 0) / colours.length;
  return [channel(0), channel(1), channel(2)];
}

/** Edges as pairs of nodes. `rim`: edges of only one face. `inner`: edges that two faces share. */
export function edgesOf({ starts, corners, x }: Faces): { rim: number[]; inner: number[] } {
  const edges = new Map<number, number>();
  for (let face = 0; face + 1 < starts.length; face++) {
    const [first, end] = [starts[face]!, starts[face + 1]!];
    for (let n = first; n < end; n++) {
      const [a, b] = [corners[n]!, corners[n + 1 === end ? first : n + 1]!];
      const edge = Math.min(a, b) * x.length + Math.max(a, b);
      edges.set(edge, (edges.get(edge) ?? 0) + 1);
    }
  }
  const [rim, inner]: [number[], number[]] = [[], []];
  for (const [edge, faces] of edges) (faces === 1 ? rim : inner).push(Math.floor(edge / x.length), edge % x.length);
  return { rim, inner };
}
