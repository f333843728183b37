import type { Crs } from '../../data/crs-reference.ts';
import type { Geometry } from '../../data/feature-collection.ts';
import { wgs84 } from '../crs/crs.ts';
import type { Transformer } from '../crs/transform.ts';
import { transformer } from '../crs/transform.ts';
import { HALF_WORLD } from './matrices.ts';
import type { TileFeature, TileKey } from './mvt.ts';
import { BUFFER, EXTENT, LayerWriter } from './mvt.ts';
import { mercatorX, mercatorY, nearestTurn } from './place.ts';
import { clippedToTile } from './tile-geometry.ts';

/** Unpacked bytes of a tile, as in tippecanoe. */
export const MOST_BYTES = 500_000;
/** Units of a pixel of 256 in a tile. */
const PIXEL = EXTENT / 256;

export interface TileNumber {
  readonly level: number;
  readonly column: number;
  readonly row: number;
}

/** A feature with its place in the order of the file. */
export interface SourceFeature {
  readonly id: number;
  readonly geometry: Geometry;
  readonly values: readonly unknown[];
  /** Stands for features of less than a pixel around it: drawn as a pixel. */
  readonly gathered: boolean;
  /** Side of its box in pixels; 0: a point. */
  readonly side: number;
}

interface Drawn extends TileFeature {
  readonly side: number;
}

/** Collects the features of a vector tile. Holds WebAssembly memory until `close`. */
export class VectorTile {
  readonly #tile: TileNumber;
  readonly #change: Transformer | undefined;
  readonly #stride: number;
  readonly #features: Drawn[] = [];

  private constructor(tile: TileNumber, change: Transformer | undefined, stride: number) {
    this.#tile = tile;
    this.#change = change;
    this.#stride = stride;
  }

  /** @param stride numbers per vertex of the geometries */
  static async create(tile: TileNumber, crs: Crs, stride: number): Promise<VectorTile> {
    const plain = crs.code === wgs84.code && (crs.authority ?? 'EPSG') === 'EPSG';
    return new VectorTile(tile, plain ? undefined : await transformer(crs, wgs84), stride);
  }

  add({ id, geometry, values, gathered, side }: SourceFeature): void {
    const inTile = this.#inUnits(geometry);
    const world = EXTENT * 2 ** this.#tile.level;
    const [west, east] = sidesOf(inTile);
    // What reaches beyond the antimeridian is drawn on the other side too.
    for (const turn of [0, -world, world]) {
      if (!(west + turn <= EXTENT + BUFFER && east + turn >= -BUFFER)) continue;
      const moved = turn === 0 ? inTile : shifted(inTile, turn);
      const drawn = gathered ? pixelOf(moved) : clippedToTile(moved);
      for (const { type, paths } of drawn) this.#features.push({ id, type, paths, values, side });
    }
  }

  /** x and y in units of the tile. Vertices that have no place are left out. */
  #inUnits({ type, coordinates, parts, polygons, members }: Geometry): Geometry {
    const count = coordinates.length / this.#stride;
    const [x, y] = [new Float64Array(count), new Float64Array(count)];
    for (let n = 0; n < count; n++) {
      x[n] = coordinates[n * this.#stride]!;
      y[n] = coordinates[n * this.#stride + 1]!;
    }
    if (this.#change !== undefined) {
      this.#change.forward(x, y);
      // Longitudes run on across the antimeridian.
      for (let n = 1; n < count; n++) x[n] = nearestTurn(x[n]!, x[n - 1]!);
    }
    const { level, column, row } = this.#tile;
    const scale = (EXTENT * 2 ** level) / (2 * HALF_WORLD);
    const placed = new Float64Array(2 * count);
    for (let n = 0; n < count; n++) {
      placed[2 * n] = (mercatorX(x[n]!) + HALF_WORLD) * scale - column * EXTENT;
      placed[2 * n + 1] = (HALF_WORLD - mercatorY(y[n]!)) * scale - row * EXTENT;
    }
    return {
      type,
      coordinates: placed,
      ...(parts && { parts }),
      ...(polygons && { polygons }),
      ...(members && { members: members.map((member) => this.#inUnits(member)) }),
    };
  }

  /** The tile; undefined without features. If it is too large, the smallest features are left out, and points evenly. */
  finish(name: string, keys: readonly TileKey[]): Uint8Array | undefined {
    let features: readonly Drawn[] = this.#features;
    while (features.length > 0) {
      const layer = new LayerWriter(name, keys);
      const sizes = new Map<Drawn, number>();
      for (const feature of features) {
        const before = layer.size;
        layer.add(feature);
        sizes.set(feature, layer.size - before);
      }
      const tile = layer.tile();
      if (tile.length <= MOST_BYTES || features.length === 1) return tile;
      features = thinned(features, sizes);
    }
    return undefined;
  }

  close(): void {
    this.#change?.close();
  }
}

function shifted(geometry: Geometry, by: number): Geometry {
  const coordinates = geometry.coordinates.map((value, n) => (n % 2 === 0 ? value + by : value));
  const { members } = geometry;
  return { ...geometry, coordinates, ...(members && { members: members.map((member) => shifted(member, by)) }) };
}

/** A pixel around the first vertex of a polygon, or a short line: the features it stands for are as large together. */
function pixelOf(geometry: Geometry) {
  const first = geometry.members?.[0] ?? geometry;
  const [x, y] = first.coordinates;
  if (x === undefined || y === undefined) return [];
  const [right, bottom] = [x + PIXEL, y + PIXEL];
  if (/Point/.test(first.type)) return clippedToTile(first);
  if (/Line/.test(first.type))
    return clippedToTile({ type: 'LineString', coordinates: Float64Array.of(x, y, right, y) });
  return clippedToTile({ type: 'Polygon', coordinates: Float64Array.of(x, y, right, y, right, bottom, x, bottom) });
}

/** Features that together fit into a tile: the largest ones, and points evenly along the order of the file; in that order. */
function thinned(features: readonly Drawn[], sizes: ReadonlyMap<Drawn, number>): Drawn[] {
  // The reverse of the digits of a number in binary goes evenly over all places.
  const ranked = features.map((feature, n) => ({ feature, n, turn: reversedBits(n) }));
  ranked.sort((one, other) => other.feature.side - one.feature.side || one.turn - other.turn);
  let room = 0.95 * MOST_BYTES;
  const kept = ranked.filter(({ feature }, n) => {
    room -= sizes.get(feature)!;
    return room > 0 || n === 0;
  });
  return kept.sort((one, other) => one.n - other.n).map(({ feature }) => feature);
}

function reversedBits(value: number): number {
  let turned = 0;
  for (let bit = 0; bit < 24; bit++) turned = turned * 2 + ((value >> bit) & 1);
  return turned;
}

/** The least and the greatest x. */
function sidesOf({ coordinates, members = [] }: Geometry): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < coordinates.length; i += 2) {
    if (coordinates[i]! < least) least = coordinates[i]!;
    if (coordinates[i]! > most) most = coordinates[i]!;
  }
  for (const member of members) {
    const [west, east] = sidesOf(member);
    least = Math.min(least, west);
    most = Math.max(most, east);
  }
  return [least, most];
}
