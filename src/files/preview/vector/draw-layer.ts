import type { Sized } from '../../tiles/vector/coalesce.ts';
import type { PlacedGeometry } from '../../tiles/vector/placed.ts';
import { type TileKey, ValueTable } from '../../tiles/vector/tile-values.ts';
import { TileDrawer, type TileNumber } from '../../tiles/vector/vector-tile.ts';

/** A shape on the map with its attributes, in the order of the keys of its layer. */
export interface Shape extends Sized {
  readonly id: number;
  readonly geometry: PlacedGeometry;
  readonly values: readonly (number | null)[];
}

/** A layer of a vector tile. */
export interface ShapeLayer {
  readonly name: string;
  readonly keys: readonly string[];
  readonly lines: boolean;
  /** Side in pixels below which shapes were coalesced. */
  readonly side?: number;
  readonly shapes: readonly Shape[];
}

/** The bytes of a tile with one layer, after which others may follow; undefined if nothing lies in it. */
export function drawLayer(tile: TileNumber, { name, keys, lines, side = 0, shapes }: ShapeLayer): Buffer | undefined {
  if (shapes.length === 0) return undefined;
  const described = keys.map((key): TileKey => ({ name: key, real: true }));
  const table = new ValueTable(described);
  const drawer = new TileDrawer({ name, keys: described }, table);
  const drawn = drawer.draw(
    tile,
    { lines, side },
    {
      features: shapes,
      placed: ({ id, geometry, values }) => ({ id, geometries: [geometry], tags: table.tagsOf(values) }),
    },
  );
  return drawn && Buffer.from(drawn);
}

/**
 * A geometry with its bounds.
 * @param coordinates metres to the right of the upper left corner of the map, and below it
 */
export function placed(type: PlacedGeometry['type'], coordinates: Float64Array): PlacedGeometry {
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let n = 0; n < coordinates.length; n += 2) {
    west = Math.min(west, coordinates[n]!);
    east = Math.max(east, coordinates[n]!);
    north = Math.min(north, coordinates[n + 1]!);
    south = Math.max(south, coordinates[n + 1]!);
  }
  return { type, coordinates, bounds: [west, north, east, south] };
}
