import type { FeatureCollection } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import { extentOf, type GeographicExtent } from '../../geo/crs/geographic-extent.ts';
import { boxGeometry, outlineInDegrees } from '../../geo/vector/outline.ts';
import { DEEPEST } from '../../tiles/dataset/schemes.ts';
import { bboxMember, schemeOf, sridMember } from '../describe.ts';
import type { PreviewDescription, PreviewItem } from '../preview.ts';
import { type IndexedFeatures, scanFeatures } from './indexed-features.ts';

const UNPLACED = 'The features have no coordinate system, so their place on a map is not known.';
const NOWHERE = 'The features have no geometries.';

/** @param index called for features with a place */
export async function describeFeatures(
  data: FeatureCollection,
  index: () => Promise<IndexedFeatures>,
  signal: AbortSignal,
): Promise<PreviewDescription> {
  const { crs, fields } = data;
  const { header, statistics } = crs === undefined ? { statistics: await scanFeatures(data, signal) } : await index();
  const ranges = new Map(statistics?.fields?.map(({ name, minimum, maximum }) => [name, { minimum, maximum }]));
  const items = fields.map(({ name }, n): PreviewItem => {
    const { minimum, maximum } = ranges.get(name) ?? {};
    const isNumber = typeof minimum === 'number' && typeof maximum === 'number';
    return { id: String(n), name, ...(isNumber && { min: minimum, max: maximum }) };
  });
  const item = items.find(({ min, max }) => min !== undefined && min !== max) ?? items[0];
  const box = header?.box ?? boxOf(statistics);
  const extent = crs && box && (await extentOfBox(box, crs));
  const reason = crs === undefined ? UNPLACED : box === undefined ? NOWHERE : undefined;
  return {
    kind: 'features',
    ...sridMember(crs),
    ...bboxMember(extent),
    items,
    steps: { count: 1, best: 0 },
    layers: { count: 1 },
    ...((header ?? statistics) && { cells: header?.count || (statistics?.features ?? 0) }),
    scheme: {
      ...schemeOf(item?.id ?? '0', undefined, undefined),
      ...(item?.min !== undefined && item.min !== item.max && { min: item.min, max: item.max! }),
    },
    tiles: { raster: false, values: false, vector: reason === undefined },
    ...(reason === undefined ? {} : { reason }),
    deepest: reason === undefined ? DEEPEST : 0,
  };
}

interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

function boxOf(statistics: { minimum?: number[]; maximum?: number[] } | undefined): Box | undefined {
  const [west, south] = statistics?.minimum ?? [];
  const [east, north] = statistics?.maximum ?? [];
  return west === undefined ? undefined : { west, south: south!, east: east!, north: north! };
}

/** Undefined where a part of the box has no place on the earth. */
async function extentOfBox(
  { west, south, east, north }: Box,
  crs: NonNullable<FeatureCollection['crs']>,
): Promise<GeographicExtent | undefined> {
  try {
    const outline = await outlineInDegrees(boxGeometry(west, south, east, north), crs);
    return outline && extentOf(Float64Array.from(outline.x), Float64Array.from(outline.y));
  } catch (error) {
    // Of a coordinate system that PROJ does not know.
    if (!(error instanceof FormatError)) throw error;
    return undefined;
  }
}
