import type { PreviewDescription } from 'hydrofiles/preview';
import type { DrawnScheme, StoredTiles } from 'hydrofiles/tiles';
import { outOfRange } from '../tiles/slices.ts';
import type { ChosenTile } from './chosen-tile.ts';

/** Colours of a scheme that has none of its own. */
const GREYS = ['#000000', '#FFFFFF'];
/** Steps whose times are listed at most. */
const MOST_TIMES = 10_000;

/** Web Mercator schemes of an item by the format of their tiles, as far as there are. */
interface ItemSchemes {
  readonly png?: DrawnScheme;
  readonly webp?: DrawnScheme;
  readonly values?: DrawnScheme;
}

const FORMATS: Readonly<Record<DrawnScheme['outputType'], keyof ItemSchemes | undefined>> = {
  PNG: 'png',
  WEBP: 'webp',
  RawData: 'values',
  BinnedData256: undefined,
};

/** The schemes of a tiles dataset that maps in Web Mercator can show, by item. */
function itemSchemes({ description }: StoredTiles): Map<string, ItemSchemes> {
  const found = new Map<string, ItemSchemes>();
  for (const scheme of description.tilingSchemes) {
    const format = FORMATS[scheme.outputType];
    if (scheme.schemeType !== 'XYZ' || format === undefined) continue;
    found.set(scheme.itemName, { [format]: scheme, ...found.get(scheme.itemName) });
  }
  return found;
}

/**
 * The stored scheme that a tile of a preview is taken of.
 * @throws AppError `notFound` if there is none
 */
export function schemeOf(
  tiles: StoredTiles,
  { item, format, scale }: Pick<ChosenTile, 'item' | 'format' | 'scale'>,
): DrawnScheme {
  const schemes = [...itemSchemes(tiles).values()][Number(item)] ?? {};
  const found = format === 'vector' || scale !== 1 ? undefined : schemes[format];
  if (found !== undefined) return found;
  const stored = Object.keys(schemes).map((one) => `.${one}`);
  throw outOfRange(
    `Item ${item} has no ${scale === 1 ? '' : '@2x'}.${format} tiles: the dataset holds ${stored.join(' and ')} of 256 pixels.`,
  );
}

/** What the preview of a tiles dataset shows: the items of its schemes in Web Mercator. */
export function describeTiles(tiles: StoredTiles): PreviewDescription {
  const { geographicBox, timeStamps, layerIds, layerHeights } = tiles.description;
  const all = [...itemSchemes(tiles)];
  const schemes = all.flatMap(([, { png, webp, values }]) => [png ?? webp ?? values!]);
  const pictures = all.filter(([, { png, webp }]) => (png ?? webp) !== undefined);
  const { minValue = 0, maxValue = 255, colors = GREYS } = schemes[0] ?? {};
  return {
    kind: 'grid',
    items: schemes.map(({ itemName, unit, minValue: min, maxValue: max }, n) => ({
      id: String(n),
      name: itemName,
      ...(unit !== undefined && { unit }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
    })),
    steps: {
      count: Math.max(1, timeStamps.length),
      best: 0,
      ...(timeStamps.length > 0 && { first: timeStamps[0]!, last: timeStamps.at(-1)! }),
      ...(timeStamps.length > 1 && timeStamps.length <= MOST_TIMES && { times: [...timeStamps] }),
    },
    layers: {
      count: Math.max(1, layerIds.length),
      ...(layerIds.length > 0 && { ids: [...layerIds] }),
      ...(layerHeights !== undefined && { heights: [...layerHeights] }),
    },
    bbox: [...geographicBox],
    scheme: { item: '0', colors: [...colors], min: minValue, max: maxValue, log: false },
    tiles: {
      raster: pictures.length > 0,
      ...(pictures.every(([, { png }]) => png === undefined) && { picture: 'webp' }),
      values: all.some(([, { values }]) => values !== undefined),
      vector: false,
    },
    ...(all.length === 0 && {
      reason: 'The dataset has no scheme of type XYZ, so its tiles are no tiles of Web Mercator.',
    }),
    deepest: Math.max(0, ...all.flatMap(([, both]) => Object.values(both).flatMap(({ zoomLevels }) => zoomLevels))),
  };
}
