import { microClockText } from '../../data/date-text.ts';
import { isFloat } from '../../data/samples.ts';
import { timeOf } from '../../data/time-axis.ts';
import { RequestError } from '../../errors.ts';
import { wgs84 } from '../../geo/crs/crs.ts';
import { ellipsoidOf } from '../../geo/profile/ellipsoid.ts';
import { lineLength, pointsAlong } from '../../geo/profile/points-along.ts';
import {
  type Choice,
  type ItemName,
  itemName,
  itemNumber,
  itemsOf,
  layerNumber,
  type PreviewData,
  stepNumber,
} from './choose.ts';
import { checkPlaces, type Place } from './places.ts';
import { type Plane, planeOf, pointValues } from './plane.ts';

export interface ProfileRequest extends Choice {
  /** Two vertices or more; straight between them in longitude and latitude. */
  readonly line: readonly Place[];
  /** Number of points, with both ends of the line; absent: 200. */
  readonly n?: number;
}

/** Values along a line. */
export interface ProfileAnswer {
  readonly item: ItemName;
  readonly step: number;
  /** Time of the step, unless the axis is relative. */
  readonly time?: string;
  readonly layer: number;
  /** Metres on the ellipsoid from the start of the line. */
  readonly distances: number[];
  readonly points: Place[];
  /** Null outside of the data and where they have no value. */
  readonly values: (number | null)[];
}

const mostPoints = 1000;
const mostVertices = 100;

/**
 * Values of an item along a line: of a grid bilinear between the centres of cells (of integers, which may be classes,
 * the nearest), of a mesh linear between nodes or those of the elements.
 * @throws RequestError for a wrong item, step, layer, line or number of points
 */
export async function profile(
  data: PreviewData,
  { line, item, step, layer, n = 200 }: ProfileRequest,
  throwIfCancelled: () => void,
): Promise<ProfileAnswer> {
  if (!(Number.isInteger(n) && n >= 2 && n <= mostPoints))
    throw new RequestError(`n must be a whole number of points from 2 to ${mostPoints}, not ${n}.`);
  if (line.length < 2 || line.length > mostVertices)
    throw new RequestError(`The line has ${line.length} places; a profile needs 2 to ${mostVertices}.`);
  checkPlaces(line);
  const items = itemsOf(data);
  const chosen = itemNumber(items, item);
  const at = stepNumber(data, step);
  const inLayer = layerNumber(data, chosen, layer);
  const plane = planeOf(data, chosen, inLayer, 'profile');
  const ellipsoid = await ellipsoidOf(wgs84);
  const xy = Float64Array.from(line.flat());
  const length = lineLength(xy, ellipsoid);
  if (!(length > 0)) throw new RequestError('The line of the profile has no length: its places are the same.');
  const points = pointsAlong(xy, length / (n - 1), ellipsoid);
  const { at: valuesOf } = await pointValues(plane, points, { grid: methodOf(plane), mesh: 'bilinear' });
  throwIfCancelled();
  const values = await valuesOf(plane.item, at);
  const { time } = plane.data;
  return {
    item: itemName(items, chosen),
    step: at,
    ...(time?.start === undefined ? {} : { time: microClockText(timeOf(time, at)) }),
    layer: inLayer,
    distances: Array.from(points.x, (_, k) => (k === n - 1 ? length : (k * length) / (n - 1))),
    points: Array.from(points.x, (x, k): Place => [x, points.y[k]!]),
    values: Array.from(values, (value) => (Number.isNaN(value) ? null : value)),
  };
}

function methodOf({ data, item }: Plane): 'nearest' | 'bilinear' {
  if (data.kind !== 'grid') return 'bilinear';
  const { type = 'Float64', scale = 1, offset = 0, role } = data.bands[item]!;
  return role === 'palette' || (!isFloat(type) && scale === 1 && offset === 0) ? 'nearest' : 'bilinear';
}
