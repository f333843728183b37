import type { Crs } from '../../data/crs-reference.ts';
import { type KnownCrs, wgs84 } from '../../geo/crs/crs.ts';
import { nearestTurn } from '../../geo/crs/geographic-extent.ts';
import { type Transformer, transformer } from '../../geo/crs/transform.ts';
import { type Box, HALF_WORLD } from '../matrices.ts';
import { mercatorX, mercatorY } from '../web-mercator.ts';
import { BUFFER, EXTENT } from './units.ts';
import type { TileNumber } from './vector-tile.ts';

const mercator: Crs = { authority: 'EPSG', code: 3857 };
/** Sides of the net of points on a tile. */
const net = 16;

/** Where a tile lies in the coordinate system of a file. */
export interface TileArea {
  /** Box of the tile without its buffer. Absent: a part of the tile cannot be transformed. */
  readonly tile?: Box;
  /** Areas to be searched. */
  readonly wanted: readonly Box[];
}

const everywhere: Box = { west: -Infinity, south: -Infinity, east: Infinity, north: Infinity };

/** Finds where tiles lie in the coordinate system of a file. Holds WebAssembly memory until `close`. */
export class TileAreas implements Disposable {
  readonly #crs: KnownCrs;
  /** Transforms Web Mercator to the file's CRS, and that to degrees; absent if the file is in degrees of WGS 84. */
  readonly #changes: readonly [Transformer, Transformer] | undefined;

  private constructor(crs: KnownCrs, changes: readonly [Transformer, Transformer] | undefined) {
    this.#crs = crs;
    this.#changes = changes;
  }

  static async create(crs: KnownCrs): Promise<TileAreas> {
    if (crs.code === wgs84.code && crs.authority === 'EPSG') return new TileAreas(crs, undefined);
    const toFile = await transformer(mercator, crs);
    try {
      return new TileAreas(crs, [toFile, await transformer(crs, wgs84)]);
    } catch (error) {
      toFile.close();
      throw error;
    }
  }

  of({ level, column, row }: TileNumber): TileArea {
    const size = (2 * HALF_WORLD) / 2 ** level;
    const tile = this.#boxInFile(-HALF_WORLD + column * size, HALF_WORLD - row * size, size);
    if (tile === undefined) return { wanted: [everywhere] };
    // Sides may bend between the points.
    const margin = BUFFER / EXTENT + 0.01;
    const [across, up] = [(tile.east - tile.west) * margin, (tile.north - tile.south) * margin];
    const wide = (shift: number): Box => ({
      west: tile.west - across + shift,
      south: tile.south - up,
      east: tile.east + across + shift,
      north: tile.north + up,
    });
    if (!this.#crs.geographic) return { tile, wanted: [wide(0)] };
    const turn = (2 * Math.PI) / this.#crs.unit.factor;
    return { tile, wanted: [wide(0), wide(turn), wide(-turn)] };
  }

  /** The box of a square of Web Mercator. Undefined if some of it has no place in the file. */
  #boxInFile(left: number, top: number, size: number): Box | undefined {
    // The antimeridian itself may come out on either side.
    const within = (x: number) => Math.max(-HALF_WORLD + 1e-6, Math.min(HALF_WORLD - 1e-6, x));
    if (this.#changes === undefined) {
      const longitude = (x: number) => (within(x) / HALF_WORLD) * 180;
      const latitude = (y: number) => (Math.atan(Math.sinh((y / HALF_WORLD) * Math.PI)) * 180) / Math.PI;
      return {
        west: longitude(left),
        south: latitude(top - size),
        east: longitude(left + size),
        north: latitude(top),
      };
    }
    const [x, y] = [new Float64Array((net + 1) ** 2), new Float64Array((net + 1) ** 2)];
    for (let n = 0; n < x.length; n++) {
      x[n] = within(left + ((n % (net + 1)) / net) * size);
      y[n] = top - (Math.floor(n / (net + 1)) / net) * size;
    }
    if (this.#changes[0].forward(x, y) > 0) return undefined;
    return { west: least(x), south: least(y), east: most(x), north: most(y) };
  }

  /**
   * Sides of a pixel of 256 in the coordinate system of a file, where the file and the tile meet. Projections have
   * places for tiles far away whose boxes say nothing about it.
   * @param box of the file
   */
  pixel({ level }: TileNumber, tile: Box | undefined, box: Box): { readonly x: number; readonly y: number } {
    const [x, y] = middleOf(tile, box);
    const [dx, dy] = [(box.east - box.west) / 1e4 || 1e-6, (box.north - box.south) / 1e4 || 1e-6];
    const [xs, ys] = [Float64Array.of(x, x + dx, x), Float64Array.of(y, y, y + dy)];
    this.#changes?.[1].forward(xs, ys);
    const pixel = (2 * HALF_WORLD) / 2 ** level / 256;
    const steps = [1, 2].map((n) =>
      Math.hypot(mercatorX(nearestTurn(xs[n]!, xs[0]!)) - mercatorX(xs[0]!), mercatorY(ys[n]!) - mercatorY(ys[0]!)),
    );
    const across = (dx * pixel) / steps[0]!;
    const up = (dy * pixel) / steps[1]!;
    const whole = tile ?? box;
    return {
      x: Number.isFinite(across) ? across : (whole.east - whole.west) / 256,
      y: Number.isFinite(up) ? up : (whole.north - whole.south) / 256,
    };
  }

  close(): void {
    for (const change of this.#changes ?? []) change.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const least = (values: Float64Array): number => values.reduce((one, other) => Math.min(one, other), Infinity);
const most = (values: Float64Array): number => values.reduce((one, other) => Math.max(one, other), -Infinity);

/** The middle of where a tile and a file meet; of the file if they do not. */
function middleOf(tile: Box | undefined, box: Box): [number, number] {
  const west = Math.max(box.west, tile?.west ?? -Infinity);
  const east = Math.min(box.east, tile?.east ?? Infinity);
  const south = Math.max(box.south, tile?.south ?? -Infinity);
  const north = Math.min(box.north, tile?.north ?? Infinity);
  const meet = west <= east && south <= north;
  return meet ? [(west + east) / 2, (south + north) / 2] : [(box.west + box.east) / 2, (box.south + box.north) / 2];
}
