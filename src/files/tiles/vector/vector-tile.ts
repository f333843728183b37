import { gzipSync } from 'node:zlib';
import type { Crs } from '../../data/crs-reference.ts';
import { HALF_WORLD } from '../matrices.ts';
import { boundsRelation, type TileTransform } from './clip.ts';
import { coalesceTo, type Sized } from './coalesce.ts';
import { LayerWriter } from './mvt.ts';
import { GeometryPlacer, type PlacedFeature, type PlacedGeometry } from './placed.ts';
import { TileClipper } from './tile-geometry.ts';
import { type TileKey, ValueTable } from './tile-values.ts';
import { EXTENT } from './units.ts';

/** Unpacked bytes of a tile, as in tippecanoe. */
export const MOST_BYTES = 500_000;
/** Level of compression: 6, the usual one, takes half as much time again for 3 % fewer bytes. */
const level = 4;
/** Bytes that zlib takes for a result, or for each part of a large one; a small tile would keep them all. */
const mostTaken = 16 << 10;
/** Bytes of the header and the trailer of gzip, and of what cannot be compressed, at most in `mostTaken`. */
const overhead = 64;
/** Units of a pixel of 256 in a tile. */
const PIXEL = EXTENT / 256;
/** Features by which the bytes of a feature are estimated. */
const SAMPLE = 100;
/** More than the number of features of a tile. */
const MOST_RANKED = 2 ** 24;

/** The tile as it is kept and sent. */
export const zippedTile = (tile: Uint8Array): Buffer<ArrayBuffer> =>
  gzipSync(tile, { level, chunkSize: Math.min(mostTaken, tile.length + overhead) });

export interface TileNumber {
  readonly level: number;
  readonly column: number;
  readonly row: number;
}

/** A feature with its place on the map. */
export interface FoundFeature {
  readonly id: number;
  readonly geometries: readonly PlacedGeometry[];
  readonly values: readonly unknown[];
}

/** A feature to be drawn, which is read when its turn comes. */
export interface SourceFeature extends Sized {
  /**
   * Undefined for a feature without a place or that cannot be read. Of one that stands for others only the first vertex
   * is needed.
   */
  placed(placer: GeometryPlacer): FoundFeature | undefined;
}

export interface TileLayer {
  readonly name: string;
  readonly keys: readonly TileKey[];
  /** Whether the features are lines. */
  readonly lines: boolean;
  /** Features smaller than this many pixels were coalesced: one of them is drawn for several. */
  readonly side: number;
}

/** Draws a vector tile. Holds WebAssembly memory until `close`. */
export class VectorTile {
  readonly #tile: TileNumber;
  readonly #placer: GeometryPlacer;

  private constructor(tile: TileNumber, placer: GeometryPlacer) {
    this.#tile = tile;
    this.#placer = placer;
  }

  /** @param stride numbers per vertex of the geometries */
  static async create(tile: TileNumber, crs: Crs, stride: number): Promise<VectorTile> {
    return new VectorTile(tile, await GeometryPlacer.create(crs, stride));
  }

  /** The tile, as `TileDrawer` draws it. */
  draw(layer: TileLayer, features: readonly SourceFeature[]): Uint8Array | undefined {
    const values = new ValueTable(layer.keys);
    const placed = (source: SourceFeature): PlacedFeature | undefined => {
      const feature = source.placed(this.#placer);
      return feature && { id: feature.id, geometries: feature.geometries, tags: values.tagsOf(feature.values) };
    };
    return new TileDrawer(layer, values).draw(this.#tile, layer, { features, placed });
  }

  close(): void {
    this.#placer.close();
  }
}

export interface DrawnFeatures<T extends Sized> {
  /** In the order of the file. */
  readonly features: readonly T[];
  /** Undefined for a feature without a place. Of one that stands for others only the first vertex is needed. */
  placed(this: void, feature: T): PlacedFeature | undefined;
}

/** Draws tiles of placed features, one after the other. */
export class TileDrawer {
  readonly #name: string;
  readonly #writer: LayerWriter;
  readonly #clipper = new TileClipper();
  readonly #values: ValueTable;
  /** Bytes of the keys, or a few more. */
  readonly #keyBytes: number;

  constructor({ name, keys }: Pick<TileLayer, 'name' | 'keys'>, values: ValueTable) {
    this.#name = name;
    this.#values = values;
    this.#keyBytes = keys.reduce((sum, key) => sum + 4 * key.name.length + 10, 0);
    this.#writer = new LayerWriter(keys, values);
  }

  /**
   * The tile, valid until the next one is drawn; undefined if nothing lies in it. If the features are too many for the
   * bytes of a tile, those of less than some pixels are coalesced; if that is not enough, the smallest are left out,
   * and equal ones evenly.
   * @param layer `bounds`: around all features that may come
   */
  draw<T extends Sized>(
    tile: TileNumber,
    layer: Pick<TileLayer, 'lines' | 'side'> & { readonly bounds?: PlacedGeometry['bounds'] },
    drawn: DrawnFeatures<T>,
  ): Uint8Array | undefined {
    const transforms = transformsOf(tile, layer.bounds);
    const features = this.#fitting(transforms, layer, drawn);
    const writer = this.#writer;
    writer.begin(this.#name);
    const adding = { placed: drawn.placed, most: MOST_BYTES };
    for (const n of ranked(features)) if (!this.#add(transforms, features[n]!, adding)) break;
    return writer.features === 0 ? undefined : writer.tile();
  }

  /** The features, coalesced if they are too many. */
  #fitting<T extends Sized>(
    transforms: readonly TileTransform[],
    { lines, side }: Pick<TileLayer, 'lines' | 'side'>,
    { features, placed }: DrawnFeatures<T>,
  ): readonly T[] {
    if (features.length <= SAMPLE) return features;
    const sample = (n: number) => features[Math.floor(((n + 0.5) / SAMPLE) * features.length)]!;
    // In most tiles there are few enough even if the features had as many bytes as they can have.
    const enough = Math.floor((MOST_BYTES * SAMPLE) / features.length);
    this.#writer.begin(this.#name);
    let bytes = this.#writer.size + this.#keyBytes;
    for (let n = 0; n < SAMPLE && bytes <= enough; n++)
      bytes += mostBytes(transforms, sample(n), placed(sample(n)), this.#values);
    if (bytes <= enough) return features;
    for (let n = 0; n < SAMPLE; n++) this.#add(transforms, sample(n), { placed, most: Infinity });
    const fewer = Math.floor((MOST_BYTES * SAMPLE) / Math.max(1, this.#writer.size));
    return coalesceTo(features, { fewer, side, lines }).features;
  }

  /** Adds a feature, twice where it reaches beyond the antimeridian. False if the tile is full. */
  #add<T extends Sized>(
    transforms: readonly TileTransform[],
    feature: T,
    { placed, most }: Pick<DrawnFeatures<T>, 'placed'> & { most: number },
  ): boolean {
    const found = placed(feature);
    if (found === undefined) return true;
    const { id, geometries, tags } = found;
    const shapes = feature.coalesced ? standIn(geometries, (feature.side * PIXEL) / transforms[0]!.scale) : geometries;
    for (const transform of transforms)
      for (const shape of shapes) {
        if (!this.#clipper.clip(shape, transform)) continue;
        // The first feature is added whatever its size, so that the tile is not empty.
        const limit = this.#writer.features === 0 ? Infinity : most;
        if (!this.#writer.add({ id, type: shape.type, paths: this.#clipper, tags }, limit)) return false;
      }
    return true;
  }
}

/**
 * Bytes that a feature has in a tile at most. All points lie in the tile or its buffer, so a difference of two of them
 * takes two bytes.
 */
function mostBytes(
  transforms: readonly TileTransform[],
  { coalesced }: Sized,
  feature: PlacedFeature | undefined,
  values: ValueTable,
): number {
  if (feature === undefined) return 0;
  const { geometries, tags } = feature;
  let bytes = 0;
  for (let n = 1; n < tags.length; n += 2) bytes += values.sizeOf(tags[n]!) + 6;
  // Id, type, lengths, and numbers of keys and values.
  const each = 40 + 5 * tags.length;
  for (const { type, coordinates, parts, bounds } of geometries) {
    const count = coalesced ? 4 : coordinates.length / 2;
    const paths = coalesced || parts === undefined || parts.length === 0 ? 1 : parts.length;
    for (const transform of transforms) {
      const whole = coalesced ? 'crosses' : boundsRelation(bounds, transform);
      if (whole === 'outside') continue;
      if (whole === 'inside') bytes += each + 11 * paths + 4 * count;
      // A line has two points and a piece for each edge; each side of the tile may double the points of a ring.
      else bytes += each + (type === 2 ? 19 * count : 11 * paths + 64 * count);
    }
  }
  return bytes;
}

/** Transforms to units of a tile; several for geometries that cross the antimeridian. */
function transformsOf(
  { level, column, row }: TileNumber,
  bounds: PlacedGeometry['bounds'] | undefined,
): TileTransform[] {
  const world = EXTENT * 2 ** level;
  const place = { scale: world / (2 * HALF_WORLD), left: column * EXTENT, top: row * EXTENT };
  const [first, ...others] = [0, -world, world].map((turn) => ({ ...place, turn }));
  if (bounds === undefined) return [first!, ...others];
  const [west, , east] = bounds;
  // A tile as margin: a representative is drawn a little larger than its feature.
  const isNear = ({ scale, left, turn }: TileTransform) =>
    west * scale - left + turn <= 2 * EXTENT && east * scale - left + turn >= -EXTENT;
  return [first!, ...others.filter(isNear)];
}

/** A square at the first vertex of a polygon, or a short line: as large as the represented features together. */
function standIn([first]: readonly PlacedGeometry[], side: number): PlacedGeometry[] {
  if (first === undefined) return [];
  const [x, own] = first.coordinates as unknown as [number, number];
  // Just beyond the upper or lower side of the map it is moved onto it: no other tile shows it.
  const onMap = Math.max(0, Math.min(2 * HALF_WORLD - side, own));
  const y = Math.abs(own - onMap) > 2 * side ? own : onMap;
  const [right, bottom] = [x + side, y + side];
  switch (first.type) {
    case 1:
      return [{ type: 1, coordinates: Float64Array.of(x, y), bounds: [x, y, x, y] }];
    case 2:
      return [{ type: 2, coordinates: Float64Array.of(x, y, right, y), bounds: [x, y, right, y] }];
    case 3: {
      const coordinates = Float64Array.of(x, y, right, y, right, bottom, x, bottom);
      return [{ type: 3, coordinates, bounds: [x, y, right, bottom] }];
    }
  }
}

/** Places in the list: the large before the small ones, and nearly equal ones evenly along the order of the file. */
function ranked(features: readonly Sized[]): Float64Array {
  const order = new Float64Array(features.length);
  for (let n = 0; n < features.length; n++) {
    const { side } = features[n]!;
    // Points have no size: they are the last.
    const rank = side === 0 ? -2048 : Math.max(-2047, Math.min(2047, Math.floor(2 * Math.log2(side))));
    // The reverse of the digits of a number in binary goes evenly over all places.
    order[n] = (2048 - rank) * MOST_RANKED + reversedBits(n);
  }
  order.sort();
  for (let n = 0; n < order.length; n++) order[n] = reversedBits(order[n]! % MOST_RANKED);
  return order;
}

/** Reverses a number of 24 bits. */
function reversedBits(value: number): number {
  let turned = value;
  turned = ((turned >>> 1) & 0x55555555) | ((turned & 0x55555555) << 1);
  turned = ((turned >>> 2) & 0x33333333) | ((turned & 0x33333333) << 2);
  turned = ((turned >>> 4) & 0x0f0f0f0f) | ((turned & 0x0f0f0f0f) << 4);
  turned = ((turned >>> 8) & 0x00ff00ff) | ((turned & 0x00ff00ff) << 8);
  turned = (turned >>> 16) | (turned << 16);
  return turned >>> 8;
}
