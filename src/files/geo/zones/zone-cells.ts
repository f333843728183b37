import type { Affine } from '../../data/grid.ts';
import { NumberList } from '../../data/number-list.ts';
import { ConversionError } from '../../errors.ts';
import { centreSpans } from '../raster/centre-spans.ts';
import { EdgesByRow } from '../raster/edges-by-row.ts';
import { toPixels } from '../raster/pixel-coordinates.ts';
import { RowCoverage } from '../raster/row-coverage.ts';
import type { Chain } from '../vector/edge-tree.ts';
import { doubleSignedArea } from '../vector/rings.ts';
import type { ZoneWeights } from './statistics.ts';

/** Maximum number of spans of all zones together: 16 bytes each. */
const maxSpans = 20_000_000;
/** A vertex so near the border between two cells, in cells, lies on it: its coordinates are rounded. */
const border = 1e-9;

/**
 * The cells of a grid in each zone with their weights, computed once and used for every slice. Spans of a zone are
 * sorted by row and column; cells of one span have the same weight.
 */
export class ZoneCells {
  /** Number of zones added. */
  count = 0;
  readonly #grid: { readonly width: number; readonly height: number; readonly affine: Affine };
  readonly weights: ZoneWeights;
  readonly #coverage: RowCoverage;
  /** Per zone: its first row, and where its rows begin in `#starts`. */
  readonly #tops = new NumberList(Uint32Array);
  readonly #rows = new NumberList(Uint32Array);
  /** Per row of a zone: its first span. */
  readonly #starts = new NumberList(Uint32Array);
  readonly #firsts = new NumberList(Uint32Array);
  readonly #ends = new NumberList(Uint32Array);
  readonly #shares = new NumberList(Float64Array);

  constructor(
    grid: { readonly width: number; readonly height: number; readonly affine: Affine },
    weights: ZoneWeights,
  ) {
    this.#grid = grid;
    this.weights = weights;
    this.#coverage = new RowCoverage(grid.width);
  }

  /**
   * Adds the next zone.
   * @param chains rings in the coordinates of the grid, the outer ring of each polygon first; without any, the zone has
   * no cells
   * @throws ConversionError if all zones have too many cells to be held
   */
  add(chains: readonly Chain[]): void {
    this.count++;
    this.#rows.push(this.#starts.length);
    const { width, height, affine } = this.#grid;
    const snap = this.weights === 'coverage';
    const rings = chains.map(({ xy, polygon }) => {
      const pixels = toPixels(xy, affine);
      return { xy: snap ? snapped(pixels, borderOf(xy, affine)) : pixels, polygon };
    });
    const columns = columnsOf(rings, width);
    const edges = new EdgesByRow(columns[0] < columns[1] ? rings : [], { top: 0, bottom: height });
    this.#tops.push(Math.min(edges.top, height));
    const signs = signsOf(rings);
    for (let row = edges.top; row < edges.bottom; row++) {
      this.#starts.push(this.#firsts.length);
      const active = edges.enter(row);
      if (snap) this.#coverage.scan(edges, active, signs, row, columns, this.#addSpan);
      else {
        const spans = centreSpans(edges, active, row);
        for (let n = 0; n < spans.length; n += 2) {
          const [first, end] = [Math.max(spans[n]!, 0), Math.min(spans[n + 1]!, width)];
          if (first < end) this.#addSpan(first, end, 1);
        }
      }
    }
    if (this.#firsts.length > maxSpans)
      throw new ConversionError(
        `The first ${this.count} zones have outlines through more than ${maxSpans} cells. Use fewer zones, or larger cells by a resampleTransformation.`,
      );
  }

  readonly #addSpan = (first: number, end: number, weight: number): void => {
    this.#firsts.push(first);
    this.#ends.push(end);
    this.#shares.push(weight);
  };

  /** The spans in the order of zones, to read only; not valid after another `add`. */
  spans(): ZoneSpans {
    const [tops, rows, starts] = [this.#tops.taken(), this.#rows.taken(), this.#starts.taken()];
    return {
      firsts: this.#firsts.taken(),
      ends: this.#ends.taken(),
      weights: this.#shares.taken(),
      top: (zone) => tops[zone]!,
      bottom: (zone) => tops[zone]! + (rows[zone + 1] ?? starts.length) - rows[zone]!,
      start: (zone, row) => starts[rows[zone]! + row - tops[zone]!] ?? this.#firsts.length,
    };
  }
}

/** Cells `firsts[n] … ends[n] - 1` have `weights[n]`. */
export interface ZoneSpans {
  readonly firsts: Uint32Array;
  readonly ends: Uint32Array;
  readonly weights: Float64Array;
  /** Rows of a zone: `top … bottom - 1`. */
  top(zone: number): number;
  bottom(zone: number): number;
  /** First span of a row of a zone, or of the row after its last. */
  start(zone: number, row: number): number;
}

/** The columns that rings reach: `left … right - 1`. */
function columnsOf(rings: readonly Chain[], width: number): readonly [left: number, right: number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { xy } of rings)
    for (let at = 0; at < xy.length; at += 2) {
      if (xy[at]! < low) low = xy[at]!;
      if (xy[at]! > high) high = xy[at]!;
    }
  return [Math.max(0, Math.floor(low)), Math.min(width, Math.floor(high) + 1)];
}

/** With these signs the outer ring of each polygon runs one way and its holes the other. */
function signsOf(rings: readonly Chain[]): Int8Array {
  return Int8Array.from(rings, ({ xy, polygon }, n) => {
    const clockwise = doubleSignedArea(xy, 2, 0, xy.length / 2) < 0;
    const outer = rings[n - 1]?.polygon !== polygon;
    return clockwise === outer ? -1 : 1;
  });
}

/** The tolerance for rounded coordinates, in cells. */
function borderOf(xy: Float64Array, [, a, b, , c, d]: Affine): number {
  let most = 0;
  for (let at = 0; at < xy.length; at++) most = Math.max(most, Math.abs(xy[at]!));
  return border + (4 * Number.EPSILON * most) / Math.min(Math.hypot(a, c), Math.hypot(b, d));
}

function snapped(pixels: Float64Array, tolerance: number): Float64Array {
  for (let at = 0; at < pixels.length; at++) {
    const nearest = Math.round(pixels[at]!);
    if (Math.abs(pixels[at]! - nearest) <= tolerance) pixels[at] = nearest;
  }
  return pixels;
}
