import { wgs84 } from 'hydrofiles/crs';
import { type SourceFeature, type TileNumber, VectorTile, zippedTile } from 'hydrofiles/tile-drawing';
import { HALF_WORLD } from 'hydrofiles/tiles';
import { readWorld, type Scale, type WorldLayer } from './world.ts';

/** Islands with a smaller side, in pixels of a tile of 256, are left out. */
const LEAST_SIDE = 0.5;

/** Levels up to this one have the coarser scale: finer coasts would be smaller than a pixel. */
const LAST_COARSE = 3;

const worlds = new Map<Scale, Promise<readonly WorldLayer[]>>();

function worldOf(level: number): Promise<readonly WorldLayer[]> {
  const scale = level <= LAST_COARSE ? '50m' : '10m';
  const world = worlds.get(scale) ?? readWorld(scale);
  worlds.set(scale, world);
  return world;
}

/**
 * Draws a tile of the base map: land, coast, borders between countries and their names, one layer of each. The data
 * of a scale are read at the first call that needs them, and stay in memory (40 MiB together).
 * @returns the gzipped Mapbox Vector Tile; undefined if nothing lies in it
 */
export async function drawBasemapTile(number: TileNumber): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const tile = await VectorTile.create(number, wgs84, 2);
  try {
    // a message of Protocol Buffers that follows another adds its layers to it
    const layers = (await worldOf(number.level)).flatMap((layer) => drawLayer(tile, number, layer) ?? []);
    return layers.length === 0 ? undefined : new Uint8Array(zippedTile(Buffer.concat(layers)));
  } finally {
    tile.close();
  }
}

function drawLayer(tile: VectorTile, { level, column, row }: TileNumber, layer: WorldLayer): Uint8Array | undefined {
  const width = (2 * HALF_WORLD) / 2 ** level;
  // half a tile around: far more than the buffer of a tile, and what reaches over the antimeridian
  const margin = width / 2;
  const [left, top] = [column * width, row * width];
  const isNear = (offset: number, [west, north, east, south]: WorldLayer['features'][number]['bounds']) =>
    west + offset <= left + width + margin &&
    east + offset >= left - margin &&
    north <= top + width + margin &&
    south >= top - margin;
  const features = layer.features.flatMap((feature): SourceFeature[] => {
    const { bounds } = feature;
    if (![0, -2 * HALF_WORLD, 2 * HALF_WORLD].some((offset) => isNear(offset, bounds))) return [];
    const [across, down] = [bounds[2] - bounds[0], bounds[3] - bounds[1]];
    const side = Math.max(across, down) / (width / 256);
    if (side > 0 && side < LEAST_SIDE) return [];
    const size = layer.lines ? side : (across * down) / (width / 256) ** 2 / 2;
    return [{ side, size, coalesced: false, placed: () => feature }];
  });
  return features.length === 0 ? undefined : tile.draw({ ...layer, side: LEAST_SIDE }, features);
}
