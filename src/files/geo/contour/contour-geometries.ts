import type { Geometry } from '../../data/feature-collection.ts';
import type { Affine } from '../../data/grid.ts';
import { BandPolygons, isNarrow } from './band-polygons.ts';
import { ContourBuilder, type NumberedChain } from './contour-builder.ts';
import { type LevelChoice, Levels } from './levels.ts';

/** A line on a level, or a polygon of a band: `number` is that of the level, or of the lower one of the band. */
export interface ContourGeometry {
  readonly number: number;
  readonly geometry: Geometry;
}

/** The start of the only line of each geometry. */
const onePart = new Uint32Array(1);

/** The least share of an edge that lies between a vertex and the end of its edge. */
const leastShare = 2 ** -26;
/** That distance in steps of the coordinates' doubles, so that rounding does not close it. */
const leastSteps = 256;

/**
 * Least distance of the vertices of contours to the ends of their edges, as a share of the edge.
 * @param largest the largest coordinate, without its sign
 */
export const leastDistance = (length: number, largest: number): number =>
  Math.min(2 ** -10, Math.max(leastShare, (leastSteps * largest * 2 ** -52) / length));

/** Makes contours of one raster, or of one step of a mesh. */
export class Contouring {
  readonly builder: ContourBuilder;
  readonly #affine: Affine;
  /** Whether the affine transformation keeps lines to their right at their right, as y of the builder points down. */
  readonly #turns: boolean;
  readonly #polygons: BandPolygons | undefined;
  readonly #narrow: number;

  /**
   * @param length usual length of an edge, in units of the builder
   * @param apart from `leastDistance`
   * @param affine from the builder's coordinates to those of the geometries
   */
  constructor(choice: LevelChoice, bands: boolean, length: number, apart: number, affine: Affine) {
    this.builder = new ContourBuilder(new Levels(choice), bands);
    this.#affine = affine;
    const [, a, b, , c, d] = affine;
    this.#turns = a * d - b * c > 0;
    this.#narrow = 4 * apart * length;
    this.#polygons = bands ? new BandPolygons(length, this.#narrow) : undefined;
  }

  /**
   * The geometries that have become whole since the last call. Lines have higher ground to their right. Outer rings run
   * counter-clockwise, holes clockwise.
   */
  take(): ContourGeometry[] {
    const whole = this.builder.whole.length === 0 ? [] : this.builder.whole.splice(0);
    return this.#polygons === undefined ? this.#lines(whole) : this.#bands(whole, this.#polygons);
  }

  #lines(chains: readonly NumberedChain[]): ContourGeometry[] {
    return chains
      .filter(({ closed, xy }) => !closed || !isNarrow(xy, this.#narrow))
      .map(({ number, xy }) => {
        const coordinates = this.#turns ? new Float64Array(xy.length) : xy;
        this.#place(xy, coordinates, 0, this.#turns);
        return { number, geometry: { type: 'LineString', coordinates, parts: onePart } };
      });
  }

  #bands(chains: readonly NumberedChain[], polygons: BandPolygons): ContourGeometry[] {
    return polygons.add(chains).map(({ number, rings }) => {
      const coordinates = new Float64Array(rings.reduce((sum, { length }) => sum + length, 0));
      const parts = new Uint32Array(rings.length);
      let at = 0;
      for (const [n, ring] of rings.entries()) {
        parts[n] = at / 2;
        // Rings have their band to the right, as long as y points down.
        this.#place(ring, coordinates, at, !this.#turns);
        at += ring.length;
      }
      return { number, geometry: { type: 'Polygon', coordinates, parts } };
    });
  }

  /** Places vertices; `to` may be the same array, unless they are reversed. */
  #place(xy: Float64Array, to: Float64Array, at: number, reversed: boolean): void {
    const [x0, a, b, y0, c, d] = this.#affine;
    for (let i = 0; i < xy.length; i += 2) {
      const o = at + (reversed ? xy.length - 2 - i : i);
      const [x, y] = [xy[i]!, xy[i + 1]!];
      to[o] = x0 + a * x + b * y;
      to[o + 1] = y0 + c * x + d * y;
    }
  }
}
