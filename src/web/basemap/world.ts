import { readFile } from 'node:fs/promises';
import type { MultiLineString, MultiPolygon, Polygon } from 'geojson';
import { wgs84 } from 'hydrofiles/crs';
import { type FoundFeature, GeometryPlacer, type TileLayer } from 'hydrofiles/tile-drawing';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { type CountryName, nameOf } from './country-name.ts';
import { placedLines, placedPolygon } from './unwrap.ts';

/** Web Mercator in metres: west, north, east, south from the upper left corner. */
type Bounds = FoundFeature['geometries'][number]['bounds'];

/** A layer of the base map, placed on the map. */
export interface WorldLayer extends Pick<TileLayer, 'name' | 'keys' | 'lines'> {
  readonly features: readonly (FoundFeature & { readonly bounds: Bounds })[];
}

type Countries = GeometryCollection<{ readonly name: string }>;
interface Atlas extends Topology {
  readonly objects: { readonly countries: Countries; readonly land: GeometryCollection };
}

/** Countries in scales of 1:50,000,000 and 1:10,000,000. */
const FILES = {
  '50m': import.meta.resolve('world-atlas/countries-50m.json'),
  '10m': import.meta.resolve('world-atlas/countries-10m.json'),
} as const;
export type Scale = keyof typeof FILES;

/** Reads Natural Earth: land, its coast, borders between countries, and names of countries. */
export async function readWorld(scale: Scale): Promise<readonly WorldLayer[]> {
  const atlas = JSON.parse(await readFile(new URL(FILES[scale]), 'utf8')) as Atlas;
  const { countries, land } = atlas.objects;
  const placer = await GeometryPlacer.create(wgs84, 2);
  try {
    const lines = (one: MultiLineString) => one.coordinates.flatMap(placedLines).map((line) => placer.place(line));
    const polygons = (one: Polygon | MultiPolygon) =>
      (one.type === 'Polygon' ? [one.coordinates] : one.coordinates)
        .flatMap((rings) => placedPolygon(rings) ?? [])
        .map((polygon) => placer.place(polygon));
    const allOf = (geometry: unknown) => polygons(geometry as Polygon | MultiPolygon);
    const names = feature(atlas, countries).features.flatMap(
      ({ id, properties, geometry }) => nameOf(properties.name, id !== undefined, allOf(geometry).flat()) ?? [],
    );
    return [
      plainLayer(
        'land',
        false,
        feature(atlas, land).features.flatMap(({ geometry }) => allOf(geometry)),
      ),
      plainLayer('coast', true, lines(mesh(atlas, land))),
      plainLayer('borders', true, lines(mesh(atlas, countries, (one, other) => one !== other))),
      namesLayer(names),
    ];
  } finally {
    placer.close();
  }
}

const plainLayer = (name: string, lines: boolean, features: readonly FoundFeature['geometries'][]): WorldLayer => ({
  name,
  lines,
  keys: [],
  features: features.map((geometries, id) => ({ id, geometries, values: [], bounds: geometries[0]!.bounds })),
});

function namesLayer(names: readonly CountryName[]): WorldLayer {
  return {
    name: 'names',
    lines: false,
    keys: ['name', 'level', 'size'].map((name) => ({ name, real: false })),
    features: names.map(({ name, level, size, place: [x, y] }, id) => {
      const bounds: Bounds = [x, y, x, y];
      return {
        id,
        geometries: [{ type: 1, coordinates: Float64Array.of(x, y), bounds }],
        values: [name, level, size],
        bounds,
      };
    }),
  };
}
