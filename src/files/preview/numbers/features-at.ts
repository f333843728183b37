import { Box } from '../../data/box.ts';
import { strideOf } from '../../data/dimensions.ts';
import type { FeatureCollection } from '../../data/feature-collection.ts';
import { RequestError } from '../../errors.ts';
import type { Area } from '../../formats/io/flatgeobuf/schema.ts';
import { wgs84 } from '../../geo/crs/crs.ts';
import { type Ellipsoid, ellipsoidOf, metresPerUnit } from '../../geo/profile/ellipsoid.ts';
import { PreparedGeometry } from '../../geo/vector/prepared-geometry.ts';
import { transformChains } from '../../geo/vector/transform-chains.ts';
import type { IndexedFeatures } from '../features/indexed-features.ts';
import { byIndex } from '../features/read-indexed.ts';
import { type Cell, cellOf } from './cells.ts';
import { itemNumber } from './choose.ts';
import type { Place, ValuesRequest } from './places.ts';
import { crsOnMap } from './plane.ts';

export interface FeatureAt {
  readonly id?: string | number;
  /** For each field of the answer, null without a value. */
  readonly values: Cell[];
}

/** Features at points. */
export interface FeaturesAnswer {
  readonly kind: 'features';
  readonly fields: readonly { readonly id: string; readonly name: string }[];
  readonly points: readonly {
    readonly point: Place;
    readonly features: FeatureAt[];
    /** More features lie there. */
    readonly more: boolean;
  }[];
}

/** Maximum number of features at a point. */
const mostFeatures = 100;
const widest = 1_000_000;
/** Corners of the polygon that stands for a circle. */
const corners = 32;

/** The features that touch a circle around each point, in the order of the data, or of their index. */
export async function featuresAt(
  data: FeatureCollection,
  { points, items, tolerance = 1 }: ValuesRequest,
  throwIfCancelled: () => void,
  indexed?: IndexedFeatures,
): Promise<FeaturesAnswer> {
  if (!(tolerance >= 0 && tolerance <= widest))
    throw new RequestError(`tolerance must be metres from 0 to ${widest}, not ${tolerance}.`);
  const fields = items?.map((item) => itemNumber(data.fields, item)) ?? [...data.fields.keys()];
  const crs = crsOnMap(data);
  const ellipsoid = (await ellipsoidOf(wgs84))!;
  const circles: PreparedGeometry[] = [];
  const areas: Area[] = [];
  for (const point of points) {
    const chain = { xy: circleAround(point, Math.max(tolerance, 0.001), ellipsoid), polygon: 0 };
    const groups = await transformChains([chain], wgs84, crs);
    circles.push(new PreparedGeometry(groups.flat()));
    areas.push(...groups.flat().map(({ xy }) => Box.of(xy, 2)));
  }
  const near = (indexed && byIndex(data, indexed)?.within(areas)) ?? data.chunks();
  const found = points.map((): FeatureAt[] => []);
  const stride = strideOf(data);
  for await (const chunk of near) {
    throwIfCancelled();
    for (const { id, geometry, values } of chunk) {
      if (geometry === undefined) continue;
      for (const [n, circle] of circles.entries())
        if (found[n]!.length <= mostFeatures && circle.intersects(geometry, stride))
          found[n]!.push({ ...(id === undefined ? {} : { id }), values: fields.map((field) => cellOf(values[field])) });
    }
  }
  return {
    kind: 'features',
    fields: fields.map((field) => ({ id: String(field), name: data.fields[field]!.name })),
    points: points.map((point, n) => ({
      point,
      features: found[n]!.slice(0, mostFeatures),
      more: found[n]!.length > mostFeatures,
    })),
  };
}

function circleAround([longitude, latitude]: Place, metres: number, ellipsoid: Ellipsoid): Float64Array {
  const east = metres / Math.max(1, metresPerUnit(ellipsoid, latitude, 1, 0));
  const north = metres / metresPerUnit(ellipsoid, latitude, 0, 1);
  const xy = new Float64Array(2 * (corners + 1));
  for (let n = 0; n <= corners; n++) {
    const angle = (2 * Math.PI * (n % corners)) / corners;
    xy[2 * n] = longitude + Math.min(170, east) * Math.cos(angle);
    xy[2 * n + 1] = Math.max(-90, Math.min(90, latitude + north * Math.sin(angle)));
  }
  return xy;
}
