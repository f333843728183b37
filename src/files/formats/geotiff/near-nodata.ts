import type { SampleType } from '../../data/item.ts';

/** Epsilon of single precision; GDAL also uses it for double precision. */
const EPSILON = 2 ** -23;

/** Values that count as the nodata value: from `low` to `high`. */
export interface NearNodata {
  readonly low: number;
  readonly high: number;
}

/**
 * The values that GDAL takes for the nodata value of an image, whose text in the file may be rounded: those that differ
 * by less than four epsilons (`ARE_REAL_EQUAL`, computed in the sample type). Sums that exceed the type are infinite
 * there, so that a nodata value near the limit of the type, such as -3.4e38, takes in the lowest value, too. Undefined
 * if there are none, as for 0.
 */
export function nearNodata(nodata: number | undefined, type: SampleType): NearNodata | undefined {
  if (nodata === undefined || !Number.isFinite(nodata) || nodata === 0) return undefined;
  const single = type === 'Float32';
  const round = single ? Math.fround : (value: number) => value;
  const largest = single ? 3.4028234663852886e38 : Number.MAX_VALUE;
  const isNear = (value: number) =>
    value === nodata ||
    round(Math.abs(round(value - nodata))) < round(round(EPSILON * round(Math.abs(round(value + nodata)))) * 2);
  /** The last near value on the way to `far`. */
  const last = (far: number): number => {
    if (isNear(far)) return far;
    let [near, away] = [nodata, far];
    for (;;) {
      const middle = round(near / 2 + away / 2);
      if (middle === near || middle === away) return near;
      if (isNear(middle)) near = middle;
      else away = middle;
    }
  };
  const [inner, outer] = [last(0), last(Math.sign(nodata) * largest)];
  return inner === outer ? undefined : { low: Math.min(inner, outer), high: Math.max(inner, outer) };
}
