import type { Crs } from '../../data/crs-reference.ts';
import type { Geometry } from '../../data/feature-collection.ts';
import { wgs84 } from '../crs/crs.ts';
import type { Transformer } from '../crs/transform.ts';
import { transformer } from '../crs/transform.ts';
import type { Sized } from './gathering.ts';
import { gatheredTo } from './gathering.ts';
import { HALF_WORLD } from './matrices.ts';
import type { TileFeature, TileKey } from './mvt.ts';
import { BUFFER, EXTENT, LayerWriter } from './mvt.ts';
import { mercatorX, mercatorY, nearestTurn } from './place.ts';
import { clippedToTile } from './tile-geometry.ts';

/** Unpacked bytes of a tile, as in tippecanoe. */
export const MOST_BYTES = 500_000;
/** Units of a pixel of 256 in a tile. */
const PIXEL = EXTENT / 256;
/** Features by which the bytes of a feature are estimated. */
const SAMPLE = 100;

export interface TileNumber {
  readonly level: number;
  readonly column: number;
  readonly row: number;
}

/** A feature to be drawn, which is read when its turn comes. */
export interface SourceFeature extends Sized {
  /** Undefined for a feature without a place or that cannot be read. */
  read(): { readonly id: number; readonly geometry: Geometry; readonly values: readonly unknown[] } | undefined;
}

export interface TileLayer {
  readonly name: string;
  readonly keys: readonly TileKey[];
  /** Whether the features are lines. */
  readonly lines: boolean;
  /** Features smaller than this many pixels were gathered: one of them is drawn for several. */
  readonly side: number;
}

/** Draws a vector tile. Holds WebAssembly memory until `close`. */
export class VectorTile {
  readonly #tile: TileNumber;
  readonly #change: Transformer | undefined;
  readonly #stride: number;

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

  /**
   * The tile; undefined if nothing lies in it.
   * @param features in their order in the file. If they are too many for the bytes of a tile, those of less than some
   * pixels are gathered; if that is not enough, the smallest are left out, and equal ones evenly.
   */
  draw(layer: TileLayer, features: readonly SourceFeature[]): Uint8Array | undefined {
    const wanted = this.#fitting(layer, features);
    const writer = new LayerWriter(layer.name, layer.keys);
    let drawn = 0;
    for (const feature of ranked(wanted)) {
      for (const one of this.#drawn(feature)) {
        if (!writer.add(one, drawn === 0 ? Infinity : MOST_BYTES)) return writer.tile();
        drawn++;
      }
    }
    return drawn === 0 ? undefined : writer.tile();
  }

  /** The features, gathered if they are too many. */
  #fitting({ name, keys, lines, side }: TileLayer, features: readonly SourceFeature[]): readonly SourceFeature[] {
    if (features.length <= SAMPLE) return features;
    const writer = new LayerWriter(name, keys);
    for (let n = 0; n < SAMPLE; n++) {
      const feature = features[Math.floor(((n + 0.5) / SAMPLE) * features.length)]!;
      for (const one of this.#drawn(feature)) writer.add(one, Infinity);
    }
    const fewer = Math.floor((MOST_BYTES * SAMPLE) / Math.max(1, writer.size));
    return gatheredTo(features, { fewer, side, lines }).features;
  }

  /** A feature in the units of the tile, twice where it reaches beyond the antimeridian. */
  #drawn({ read, gathered, side }: SourceFeature): TileFeature[] {
    const feature = read();
    if (feature === undefined) return [];
    const { id, geometry, values } = feature;
    const inTile = this.#inUnits(gathered ? firstVertex(geometry, this.#stride) : geometry);
    const world = EXTENT * 2 ** this.#tile.level;
    const [west, east] = sidesOf(inTile);
    const drawn: TileFeature[] = [];
    for (const turn of [0, -world, world]) {
      if (!(west + turn <= EXTENT + BUFFER && east + turn >= -BUFFER)) continue;
      const moved = turn === 0 ? inTile : shifted(inTile, turn);
      for (const { type, paths } of gathered ? standIn(this.#onMap(moved, side), side * PIXEL) : clippedToTile(moved))
        drawn.push({ id, type, paths, values });
    }
    return drawn;
  }

  /** Moves the vertex of a stand-in from just beyond the upper or lower side of the map onto it: no other tile shows it. */
  #onMap(geometry: Geometry, side: number): Geometry {
    const { level, row } = this.#tile;
    const [top, bottom] = [-row * EXTENT, (2 ** level - row) * EXTENT - side * PIXEL];
    const [x, y] = geometry.coordinates;
    if (x === undefined || y === undefined) return geometry;
    const moved = Math.max(top, Math.min(bottom, y));
    return Math.abs(y - moved) > 2 * side * PIXEL ? geometry : { ...geometry, coordinates: Float64Array.of(x, moved) };
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

  close(): void {
    this.#change?.close();
  }
}

function shifted(geometry: Geometry, by: number): Geometry {
  const coordinates = geometry.coordinates.map((value, n) => (n % 2 === 0 ? value + by : value));
  const { members } = geometry;
  return { ...geometry, coordinates, ...(members && { members: members.map((member) => shifted(member, by)) }) };
}

/** The geometry with its first vertex alone. */
function firstVertex({ type, coordinates, members }: Geometry, stride: number): Geometry {
  const [first] = members ?? [];
  if (first !== undefined) return firstVertex(first, stride);
  return { type, coordinates: coordinates.subarray(0, stride) };
}

/** A square at a vertex of a polygon, or a short line: the features it stands for are as large together. */
function standIn({ type, coordinates }: Geometry, side: number) {
  const [x, y] = coordinates;
  if (x === undefined || y === undefined) return [];
  const [right, bottom] = [x + side, y + side];
  if (/Point/.test(type)) return clippedToTile({ type: 'Point', coordinates });
  if (/Line/.test(type)) return clippedToTile({ type: 'LineString', coordinates: Float64Array.of(x, y, right, y) });
  return clippedToTile({ type: 'Polygon', coordinates: Float64Array.of(x, y, right, y, right, bottom, x, bottom) });
}

/** The large before the small ones, and nearly equal ones evenly along the order of the file. */
function ranked(features: readonly SourceFeature[]): SourceFeature[] {
  // The reverse of the digits of a number in binary goes evenly over all places.
  const places = features.map((feature, n) => ({
    feature,
    rank: feature.side === 0 ? -Infinity : Math.floor(2 * Math.log2(feature.side)),
    turn: reversedBits(n),
  }));
  places.sort((one, other) => (one.rank === other.rank ? one.turn - other.turn : other.rank - one.rank));
  return places.map(({ feature }) => feature);
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
