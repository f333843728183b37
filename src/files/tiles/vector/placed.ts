import type { Crs } from '../../data/crs-reference.ts';
import type { Geometry } from '../../data/feature-collection.ts';
import { wgs84 } from '../../geo/crs/crs.ts';
import { nearestTurn } from '../../geo/crs/geographic-extent.ts';
import { type Transformer, transformer } from '../../geo/crs/transform.ts';
import { HALF_WORLD } from '../matrices.ts';
import { mercatorX, mercatorY } from '../web-mercator.ts';
import type { TileGeometryType } from './units.ts';

/**
 * A geometry without members in Web Mercator: x to the right and y down from the upper left corner of the map, in
 * metres.
 */
export interface PlacedGeometry {
  readonly type: TileGeometryType;
  readonly coordinates: Float64Array;
  /** First vertex of each ring or line. Absent: there is one. */
  readonly parts?: Uint32Array;
  /** First ring of each polygon. Absent: there is one. */
  readonly polygons?: Uint32Array;
  /** West, north, east, south. */
  readonly bounds: readonly [number, number, number, number];
}

/** A feature as it is drawn into tiles. */
export interface PlacedFeature {
  readonly id: number;
  readonly geometries: readonly PlacedGeometry[];
  /** Pairs of the numbers of a key and of a value of a table. */
  readonly tags: readonly number[];
}

const types: Readonly<Record<Exclude<Geometry['type'], 'GeometryCollection'>, TileGeometryType>> = {
  Point: 1,
  MultiPoint: 1,
  LineString: 2,
  MultiLineString: 2,
  Polygon: 3,
  MultiPolygon: 3,
};

/** Finds the places of geometries on the map. Holds WebAssembly memory until `close`. */
export class GeometryPlacer {
  readonly #change: Transformer | undefined;
  readonly #stride: number;

  private constructor(change: Transformer | undefined, stride: number) {
    this.#change = change;
    this.#stride = stride;
  }

  /** @param stride numbers per vertex of the geometries */
  static async create(crs: Crs, stride: number): Promise<GeometryPlacer> {
    const plain = crs.code === wgs84.code && (crs.authority ?? 'EPSG') === 'EPSG';
    return new GeometryPlacer(plain ? undefined : await transformer(crs, wgs84), stride);
  }

  /** The geometry, or its members. Vertices that have no place are left out. */
  place(geometry: Geometry): PlacedGeometry[] {
    if (geometry.type === 'GeometryCollection') return (geometry.members ?? []).flatMap((member) => this.place(member));
    const placed = this.#placed(geometry, types[geometry.type], geometry.coordinates.length / this.#stride);
    return placed.coordinates.length === 0 ? [] : [placed];
  }

  /** The first vertex of the geometry, with the type of the geometry that has it. */
  placeFirst({ type, coordinates, members = [] }: Geometry): PlacedGeometry[] {
    if (type === 'GeometryCollection') {
      for (const member of members) {
        const found = this.placeFirst(member);
        if (found.length > 0) return found;
      }
      return [];
    }
    const placed = this.#placed({ type, coordinates }, types[type], Math.min(1, coordinates.length / this.#stride));
    return placed.coordinates.length === 0 ? [] : [placed];
  }

  #placed({ coordinates, parts, polygons }: Geometry, type: TileGeometryType, count: number): PlacedGeometry {
    let placed = new Float64Array(2 * count);
    const stride = this.#stride;
    let starts = parts;
    if (this.#change === undefined)
      for (let n = 0, at = 0; n < 2 * count; n += 2, at += stride) {
        placed[n] = coordinates[at]!;
        placed[n + 1] = coordinates[at + 1]!;
      }
    else if (count > 0) ({ placed, starts } = this.#changed(this.#change, coordinates, count, parts));
    let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let n = 0; n < placed.length; n += 2) {
      const x = mercatorX(placed[n]!) + HALF_WORLD;
      const y = HALF_WORLD - mercatorY(placed[n + 1]!);
      placed[n] = x;
      placed[n + 1] = y;
      if (x < west) west = x;
      if (x > east) east = x;
      if (y < north) north = y;
      if (y > south) south = y;
    }
    return {
      type,
      coordinates: placed,
      ...(starts && { parts: starts }),
      ...(polygons && { polygons }),
      bounds: [west, north, east, south],
    };
  }

  #changed(change: Transformer, coordinates: Float64Array, count: number, parts: Uint32Array | undefined) {
    const [x, y] = [new Float64Array(count), new Float64Array(count)];
    for (let n = 0; n < count; n++) {
      x[n] = coordinates[n * this.#stride]!;
      y[n] = coordinates[n * this.#stride + 1]!;
    }
    change.forward(x, y);
    const placed = new Float64Array(2 * count);
    const starts = parts?.slice();
    let [kept, part] = [0, 0];
    for (let n = 0; n < count; n++) {
      if (starts !== undefined) while (parts![part] === n) starts[part++] = kept;
      if (Number.isNaN(x[n]!)) continue;
      // Longitudes run on across the antimeridian.
      placed[2 * kept] = kept === 0 ? x[n]! : nearestTurn(x[n]!, placed[2 * kept - 2]!);
      placed[2 * kept + 1] = y[n]!;
      kept++;
    }
    // Empty parts at the end.
    starts?.fill(kept, part);
    return { placed: kept === count ? placed : placed.slice(0, 2 * kept), starts };
  }

  close(): void {
    this.#change?.close();
  }
}
