import type { Geometry } from '../../data/feature-collection.ts';
import type { Affine } from '../../data/grid.ts';
import type { Samples } from '../../data/item.ts';
import type { Chain } from '../vector/edge-tree.ts';
import { chainsOf } from '../vector/transform-chains.ts';
import { centreSpans, joinSpans } from './centre-spans.ts';
import { EdgesByRow, type Rows } from './edges-by-row.ts';
import { toPixels } from './pixel-coordinates.ts';
import { lineCells, touchedCells } from './touched-cells.ts';

/** What a cell becomes where several geometries lie on it. */
export type BurnMethod = 'last' | 'sum' | 'min' | 'max';

/**
 * Rows of a raster into which geometries are burned, by GDAL's rules: cells whose centre lies in a polygon, cells on a
 * line from cell to cell (Bresenham), the cells of points; or all cells that polygons and lines touch. A geometry
 * counts once in a cell.
 */
export class BurnedRows {
  /** Row by row from `window.top` on. */
  readonly samples: Samples;
  readonly #width: number;
  readonly #height: number;
  readonly #affine: Affine;
  readonly #window: Rows;
  readonly #allTouched: boolean;
  readonly #burned: Uint8Array | undefined;
  readonly #method: BurnMethod;

  /** @param samples filled with the value of cells without a geometry, `width` for each row of the window */
  constructor(
    samples: Samples,
    raster: { readonly width: number; readonly height: number; readonly affine: Affine },
    window: Rows,
    { method, allTouched }: { readonly method: BurnMethod; readonly allTouched: boolean },
  ) {
    this.samples = samples;
    this.#width = raster.width;
    this.#height = raster.height;
    this.#affine = raster.affine;
    this.#window = window;
    this.#allTouched = allTouched;
    this.#method = method;
    this.#burned = method === 'last' ? undefined : new Uint8Array(samples.length);
  }

  /** Burns a geometry of two dimensions. */
  burn(geometry: Geometry, value: number): void {
    const all = chainsOf(geometry).map(({ xy, polygon }) => ({ xy: toPixels(xy, this.#affine), polygon }));
    const rings = all.filter(({ polygon }) => polygon >= 0);
    const others = all.filter(({ polygon }) => polygon < 0).map(({ xy }) => ({ xy: this.#inside(xy), polygon: -1 }));
    const lines = others.filter(({ xy }) => xy.length > 2);
    const points = others.filter(({ xy }) => xy.length === 2);
    const spans = new Map<number, number[]>();
    const add = (row: number, first: number, end: number) => {
      const [from, to] = [Math.max(first, 0), Math.min(end, this.#width)];
      if (from >= to) return;
      const row0 = spans.get(row);
      if (row0 === undefined) spans.set(row, [from, to]);
      else row0.push(from, to);
    };
    if (rings.length > 0) this.#addPolygons(rings, add);
    if (this.#allTouched) touchedCells(lines, this.#window, false, add);
    else lineCells(lines, this.#window, this.#width, add);
    for (const { xy } of points) {
      const row = Math.floor(xy[1]!);
      if (row >= this.#window.top && row < this.#window.bottom) add(row, Math.floor(xy[0]!), Math.floor(xy[0]!) + 1);
    }
    for (const [row, cells] of spans) this.#burnRow(row, cells, value);
  }

  /** The outer border of the raster belongs to its last cells, so that the extent of points holds all of them. */
  #inside(xy: Float64Array): Float64Array {
    const last = [this.#width, this.#height] as const;
    for (let at = 0; at < xy.length; at++) if (xy[at] === last[at % 2]) xy[at] = beforeBorder(xy[at]!);
    return xy;
  }

  #addPolygons(rings: readonly Chain[], add: (row: number, first: number, end: number) => void): void {
    const edges = new EdgesByRow(rings, this.#window);
    for (let row = edges.top; row < edges.bottom; row++) {
      const spans = centreSpans(edges, edges.enter(row), row);
      for (let n = 0; n < spans.length; n += 2) add(row, spans[n]!, spans[n + 1]!);
    }
    if (this.#allTouched) touchedCells(rings, this.#window, true, add);
  }

  #burnRow(row: number, cells: readonly number[], value: number): void {
    const spans = cells.length === 2 ? cells : joinSpans(cells);
    const at = (row - this.#window.top) * this.#width;
    for (let n = 0; n < spans.length; n += 2) {
      const [first, end] = [at + spans[n]!, at + spans[n + 1]!];
      if (this.#burned === undefined) this.samples.fill(value, first, end);
      else this.#merge(this.#burned, first, end, value);
    }
  }

  #merge(burned: Uint8Array, first: number, end: number, value: number): void {
    const { samples } = this;
    for (let n = first; n < end; n++) {
      const before = samples[n]!;
      if (burned[n] === 0) samples[n] = value;
      else if (this.#method === 'sum') samples[n] = before + value;
      else samples[n] = this.#method === 'min' ? Math.min(before, value) : Math.max(before, value);
      burned[n] = 1;
    }
  }
}

/** The coordinate in the middle of the last cell. */
const beforeBorder = (border: number): number => border - 0.5;
