import { addProtocol, type RasterTileSource, type VectorTileSource } from 'maplibre-gl';
import type { TilePlace } from './value-tiles.ts';

/** Loads what a tile shows. @param key as JSON, what was asked for with the address */
export type Load = (key: string, place: TilePlace, signal: AbortSignal) => Promise<ArrayBuffer | ImageBitmap>;

const PROTOCOL = 'preview';
const loaders = new Map<string, Load>();
let last = 0;

/** @returns id for the addresses of its tiles */
export function addLoader(load: Load): string {
  if (loaders.size === 0)
    addProtocol(PROTOCOL, async ({ url }, controller) => {
      const [loader = '', key = '', ...place] = url.slice(PROTOCOL.length + 3).split('/');
      const found = loaders.get(loader);
      if (found === undefined) return { data: new ArrayBuffer(0) };
      const [zoom = 0, column = 0, row = 0] = place.map(Number);
      return { data: await found(decodeURIComponent(key), [zoom, column, row], controller.signal) };
    });
  const id = `${++last}`;
  loaders.set(id, load);
  return id;
}

export const removeLoader = (id: string): void => void loaders.delete(id);

/** The address of the tiles of a loader. @param key what the loader gets as JSON */
export const tilesOf = (loader: string, key: object): string =>
  `${PROTOCOL}://${loader}/${encodeURIComponent(JSON.stringify(key))}/{z}/{x}/{y}`;

/** Gives a source other tiles. `tiles` of one that MapLibre has not read yet is undefined. */
export function setTiles(source: RasterTileSource | VectorTileSource, address: string): void {
  const present: readonly string[] | undefined = source.tiles;
  if (present?.[0] !== address) source.setTiles([address]);
}
