import { extentOf, type GeographicExtent, type KnownCrs, runOn, toGeographic } from 'hydrofiles/crs';
import type { Field } from 'hydrofiles/data';
import type { Area } from 'hydrofiles/features';
import type { TileNumber } from 'hydrofiles/tile-drawing';
import type { TileKey, TileSlice } from 'hydrofiles/tiles';
import type { ServedDataset } from '../../datasets/served.queries.ts';
import type { TileDrawing } from '../store/tile-store.ts';

const net = 16;

/** An attribute of the tiles. */
export interface TileField {
  /** Index among the fields of the features, or the items of the mesh. */
  readonly index: number;
  readonly name: string;
  readonly type: Field['type'];
}

export interface WantedVectorTile {
  readonly tile: TileNumber;
  readonly fields: readonly TileField[];
  readonly slice: TileSlice;
}

/** Source of vector tiles: the features or the elements of a dataset. */
export interface VectorSubject {
  /** Name of the layer of all tiles, whatever the dataset is called: styles refer to it. */
  readonly layer: 'features' | 'elements';
  readonly fields: readonly TileField[];
  readonly timeStamps: readonly string[];
  readonly layerIds: readonly number[];
  extent(): Promise<GeographicExtent | undefined>;
  /** How a tile is drawn, gzipped. */
  drawing(wanted: WantedVectorTile): TileDrawing;
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

/** Smaller contents are drawn about as fast as their tiles are read. See `new_vector_content` in `sql/`. */
const LEAST_STORED_BYTES = 1_000_000;
/** Faster drawings are about as fast as the store. */
const SLOW_MS = 30;

/** The key of a vector tile in the store, and which of them the store keeps. */
export function storedAs(
  { id, blob, storageSize }: ServedDataset,
  { layer, fields: all }: Pick<VectorSubject, 'layer' | 'fields'>,
  { tile, fields, slice }: WantedVectorTile,
): Pick<TileDrawing, 'kind' | 'key' | 'storedFrom'> {
  const attributes = fields.length === all.length ? '' : `:${fields.map(({ index }) => index).join()}`;
  return {
    kind: 'vector',
    key: { datasetId: id, blob: blob!, schemeId: `${layer}${attributes}`, ...slice, ...tile },
    storedFrom: storageSize > LEAST_STORED_BYTES ? SLOW_MS : Number.POSITIVE_INFINITY,
  };
}
