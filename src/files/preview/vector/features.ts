import { strideOf } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection } from '../../data/feature-collection.ts';
import { type Found, searchLeaves } from '../../formats/io/flatgeobuf/index-search.ts';
import { describeCrs } from '../../geo/crs/crs.ts';
import { type Chosen, FeatureChooser } from '../../tiles/vector/choose-features.ts';
import type { GeometryPlacer } from '../../tiles/vector/placed.ts';
import { TileAreas } from '../../tiles/vector/tile-area.ts';
import { type TileNumber, VectorTile, zippedTile } from '../../tiles/vector/vector-tile.ts';
import type { IndexedFeatures } from '../features/indexed-features.ts';
import { byIndex } from '../features/read-indexed.ts';
import { crsOnMap } from '../numbers/plane.ts';

/** Codes of FlatGeobuf for lines. */
const LINES: readonly number[] = [2, 5];

/** The layer `features` of a tile, gzipped, with all attributes. Undefined for one in which none lies. */
export async function drawFeatures(
  data: FeatureCollection,
  indexed: IndexedFeatures,
  tile: TileNumber,
  check: () => void,
): Promise<Uint8Array | undefined> {
  const { source, header } = indexed;
  const features = byIndex(data, indexed);
  if (features === undefined || header.index === undefined) return undefined;
  const crs = await describeCrs(crsOnMap(data));
  const lines = LINES.includes(header.geometryType);
  using areas = await TileAreas.create(crs);
  const area = areas.of(tile);
  const chooser = new FeatureChooser<Found>(areas.pixel(tile, area.tile, (header.box ?? area.tile)!), lines);
  for await (const leaves of searchLeaves(source, { ...header, index: header.index }, area.wanted)) {
    check();
    chooser.add(leaves);
  }
  const { features: chosen, side } = chooser.chosen();
  if (chosen.length === 0) return undefined;
  const read = new Map<number, Feature>();
  for await (const some of features.of(chosen)) {
    check();
    for (const [number, feature] of some) read.set(number, feature);
  }
  const keys = data.fields.map(({ name, type }) => ({ name, real: type === 'real' }));
  const drawer = await VectorTile.create(tile, crs, strideOf(header));
  try {
    const placed = (one: Chosen<Found>) => ({
      ...one,
      placed: (placer: GeometryPlacer) => placedOf(read.get(one.number), one, placer),
    });
    const drawn = drawer.draw({ name: 'features', keys, lines, side }, chosen.map(placed));
    return drawn && zippedTile(drawn);
  } finally {
    drawer.close();
  }
}

function placedOf(feature: Feature | undefined, { number, coalesced }: Chosen<Found>, placer: GeometryPlacer) {
  if (feature?.geometry === undefined) return undefined;
  const { id, geometry, values } = feature;
  const geometries = coalesced ? placer.placeFirst(geometry) : placer.place(geometry);
  const own = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : number + 1;
  return geometries.length === 0 ? undefined : { id: own, geometries, values };
}
