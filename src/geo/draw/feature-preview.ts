import { strideOf } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection, Geometry } from '../../data/feature-collection.ts';
import { kindOf } from '../crs/crs.ts';
import { encodePng } from './png.ts';

/** Bounding box in the coordinates of the layer. */
export type Box = readonly [west: number, south: number, east: number, north: number];

type Colour = readonly [red: number, green: number, blue: number];
const paper: Colour = [250, 249, 245];
const fill: Colour = [188, 208, 178];
const edge: Colour = [70, 92, 74];
const line: Colour = [38, 92, 148];
const dot: Colour = [176, 58, 46];

/** Width of the empty border in pixels. */
const margin = 8;

/**
 * Draws a layer, north up and at most `side` pixels wide and high, and returns a PNG. `box` contains all features. Memory holds the
 * picture and one chunk of features.
 */
export async function featurePreviewPng(
  layer: FeatureCollection,
  box: Box,
  side = 1024,
): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = new Canvas(layer, box, side);
  for await (const chunk of layer.chunks()) for (const feature of chunk) canvas.draw(feature);
  return encodePng(canvas.width, canvas.height, canvas.rgba);
}

class Canvas {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
  readonly #stride: number;
  readonly #box: Box;
  readonly #scale: readonly [x: number, y: number];

  constructor(layer: FeatureCollection, box: Box, side: number) {
    const { crs } = layer;
    const [west, south, east, north] = box;
    const middle = Math.min(85, Math.abs((south + north) / 2));
    // A degree of longitude is shorter than a degree of latitude.
    const aspect = crs !== undefined && kindOf(crs).startsWith('geographic') ? Math.cos((middle * Math.PI) / 180) : 1;
    const across = (east - west) * aspect;
    const scale = (side - 2 * margin) / (Math.max(across, north - south) || 1);
    this.width = Math.max(1, Math.ceil(across * scale)) + 2 * margin;
    this.height = Math.max(1, Math.ceil((north - south) * scale)) + 2 * margin;
    this.#scale = [scale * aspect, scale];
    this.#box = box;
    this.#stride = strideOf(layer);
    this.rgba = new Uint8Array(this.width * this.height * 4);
    for (let i = 0; i < this.rgba.length; i += 4) this.rgba.set([...paper, 255], i);
  }

  draw({ geometry }: Feature): void {
    if (geometry !== undefined) this.#geometry(geometry);
  }

  #geometry({ type, coordinates, parts, members }: Geometry): void {
    for (const member of members ?? []) this.#geometry(member);
    const vertices = coordinates.length / this.#stride;
    const x = new Float64Array(vertices);
    const y = new Float64Array(vertices);
    const [west, , , north] = this.#box;
    for (let n = 0; n < vertices; n++) {
      x[n] = margin + (coordinates[n * this.#stride]! - west) * this.#scale[0];
      y[n] = margin + (north - coordinates[n * this.#stride + 1]!) * this.#scale[1];
    }
    const starts = [...(parts ?? [0]), vertices];
    if (type === 'Polygon' || type === 'MultiPolygon') {
      this.#fill(x, y, starts);
      this.#lines(x, y, starts, edge);
    } else if (type === 'LineString' || type === 'MultiLineString') this.#lines(x, y, starts, line);
    else if (type === 'Point' || type === 'MultiPoint')
      for (let n = 0; n < vertices; n++)
        for (const dy of [-1, 0, 1]) for (const dx of [-1, 0, 1]) this.#pixel(x[n]! + dx, y[n]! + dy, dot);
  }

  /** Fills by the even-odd rule, so holes and parts need no distinction. */
  #fill(x: Float64Array, y: Float64Array, starts: readonly number[]): void {
    const crossings = new Map<number, number[]>();
    for (let part = 0; part + 1 < starts.length; part++) {
      const [first, end] = [starts[part]!, starts[part + 1]!];
      for (let n = first; n < end; n++) {
        const next = n + 1 === end ? first : n + 1;
        const [top, bottom] = y[n]! < y[next]! ? [n, next] : [next, n];
        const last = Math.min(this.height - 1, Math.ceil(y[bottom]! - 0.5) - 1);
        for (let row = Math.max(0, Math.ceil(y[top]! - 0.5)); row <= last; row++) {
          const share = (row + 0.5 - y[top]!) / (y[bottom]! - y[top]!);
          const at = x[top]! + share * (x[bottom]! - x[top]!);
          const found = crossings.get(row);
          if (found === undefined) crossings.set(row, [at]);
          else found.push(at);
        }
      }
    }
    for (const [row, found] of crossings) {
      found.sort((a, b) => a - b);
      for (let n = 0; n + 1 < found.length; n += 2)
        for (let column = Math.ceil(found[n]! - 0.5); column < found[n + 1]! - 0.5; column++)
          this.#pixel(column, row, fill);
    }
  }

  #lines(x: Float64Array, y: Float64Array, starts: readonly number[], colour: Colour): void {
    for (let part = 0; part + 1 < starts.length; part++)
      for (let n = starts[part]!; n + 1 < starts[part + 1]!; n++) {
        const [dx, dy] = [x[n + 1]! - x[n]!, y[n + 1]! - y[n]!];
        // All vertices lie in the box, which bounds the number of steps.
        const steps = Math.max(1, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy))));
        if (!Number.isFinite(steps)) continue;
        for (let step = 0; step <= steps; step++)
          this.#pixel(x[n]! + (dx * step) / steps, y[n]! + (dy * step) / steps, colour);
      }
  }

  #pixel(x: number, y: number, colour: Colour): void {
    const column = Math.floor(x);
    const row = Math.floor(y);
    if (!(column >= 0 && column < this.width && row >= 0 && row < this.height)) return;
    this.rgba.set(colour, (row * this.width + column) * 4);
  }
}
