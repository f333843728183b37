import type { Field } from '../../files/data/feature-collection.ts';
import type { Area } from '../../files/formats/flatgeobuf/schema.ts';
import type { KnownCrs } from '../../files/geo/crs/crs.ts';
import { extentOf, type GeographicExtent, runOn, toGeographic } from '../../files/geo/crs/geographic-extent.ts';
import type { TileSlice } from '../../files/tiles/dataset/description.ts';
import type { TileKey } from '../../files/tiles/vector/tile-values.ts';
import type { TileNumber } from '../../files/tiles/vector/vector-tile.ts';
import type { TileRequest } from '../draw-threads.ts';

const net = 16;

/** An attribute of the tiles. */
export interface TileField {
  /** Its place among the fields of the features, or the items of the mesh. */
  readonly index: number;
  readonly name: string;
  readonly type: Field['type'];
}

export interface WantedVectorTile {
  readonly tile: TileNumber;
  readonly fields: readonly TileField[];
  readonly slice: TileSlice;
}

/** What vector tiles are drawn of: the features or the elements of a dataset. */
export interface VectorSubject {
  /** Name of the layer of all tiles, whatever the dataset is called: styles refer to it. */
  readonly layer: 'features' | 'elements';
  readonly fields: readonly TileField[];
  readonly timeStamps: readonly string[];
  readonly layerIds: readonly number[];
  extent(): Promise<GeographicExtent | undefined>;
  /** A tile, gzipped; undefined for one with nothing in it. `request` is called only if it is drawn. */
  tile(wanted: WantedVectorTile, request: () => TileRequest): Promise<Uint8Array | undefined>;
}

/** Where a box lies on the earth. */
export async function extentOfBox(
  { west, south, east, north }: Area,
  crs: KnownCrs,
): Promise<GeographicExtent | undefined> {
  const [x, y] = [new Float64Array((net + 1) ** 2), new Float64Array((net + 1) ** 2)];
  for (let n = 0; n < x.length; n++) {
    x[n] = west + ((n % (net + 1)) / net) * (east - west);
    y[n] = south + (Math.floor(n / (net + 1)) / net) * (north - south);
  }
  await toGeographic(crs, x, y);
  runOn(x, net + 1);
  return extentOf(x, y);
}

/** Keys of the layer; whole numbers of reals are doubles too. */
export const keysOf = (fields: readonly TileField[]): TileKey[] =>
  fields.map(({ name, type }) => ({ name, real: type === 'real' }));
