import type { Crs } from '../../../data/crs-reference.ts';
import type { GeometryType } from '../../../data/feature-collection.ts';
import { FormatError } from '../../../errors.ts';
import { crsName, resolveCrs, sridOf } from '../../../geo/crs/crs.ts';
import { projJsonOf } from '../../../geo/crs/projjson.ts';
import type { Context } from '../../define.ts';
import { wkbCodes } from '../../io/wkb-writer.ts';
import { logical } from '../parquet/constants.ts';
import { binary, double, integers, struct, type ThriftStruct } from '../parquet/thrift-writer.ts';

/**
 * The coordinate system for the metadata: undefined for longitude and latitude on WGS 84, which is the default; null if
 * it is not known.
 */
export async function writtenCrs(crs: Crs | undefined, { reportLoss }: Context): Promise<object | null | undefined> {
  if (crs === undefined) return null;
  if (sridOf(crs) === 'EPSG:4326') return undefined;
  const known = await resolveCrs(crs);
  if (known !== undefined && sridOf(known) === 'EPSG:4326') return undefined;
  try {
    if (known !== undefined) return await projJsonOf(known);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
  }
  reportLoss(`The coordinate system '${crsName(crs).slice(0, 80)}' is not known, so the file names none.`, 'crs');
  return null;
}

/** Parquet's own type of geometries. */
export const geometryType = (crs: object | null | undefined): ThriftStruct => ({
  [logical.geometry]: struct({
    1: crs === undefined ? undefined : binary(crs === null ? 'srid:0' : JSON.stringify(crs)),
  }),
});

/** Types and the box of geometries. */
export class GeometryStatistics {
  /** Codes of WKB: 1 to 7, 1000 more with Z, 2000 with M, 3000 with both. */
  readonly codes = new Set<number>();
  readonly x = new Range();
  readonly y = new Range();
  readonly z = new Range();
  readonly m = new Range();

  get isEmpty(): boolean {
    return this.x.isEmpty || this.y.isEmpty;
  }

  addBox(box: Float64Array): void {
    this.x.add(box[0]!);
    this.y.add(box[1]!);
    this.x.add(box[2]!);
    this.y.add(box[3]!);
  }

  merge({ codes, x, y, z, m }: GeometryStatistics): void {
    for (const code of codes) this.codes.add(code);
    this.x.merge(x);
    this.y.merge(y);
    this.z.merge(z);
    this.m.merge(m);
  }

  /** `geometry_types` of GeoParquet. */
  get types(): string[] {
    const names = Object.entries(wkbCodes) as [GeometryType, number][];
    const ending = ['', ' Z', ' M', ' ZM'];
    return [...this.codes]
      .sort((a, b) => a - b)
      .map((code) => `${names.find(([, one]) => one === code % 1000)![0]}${ending[Math.floor(code / 1000)]}`);
  }

  /** Minima, then maxima; with heights if there are some. */
  get box(): number[] | undefined {
    if (this.isEmpty) return undefined;
    // JSON has no infinite heights
    const axes = this.z.isFinite ? [this.x, this.y, this.z] : [this.x, this.y];
    return [...axes.map(({ minimum }) => minimum), ...axes.map(({ maximum }) => maximum)];
  }

  /** GeospatialStatistics of a column of Parquet. */
  get thrift(): ThriftStruct {
    const sides = [this.x, this.y, this.z, this.m].flatMap((range) =>
      range.isEmpty ? [undefined, undefined] : [double(range.minimum), double(range.maximum)],
    );
    const box = Object.fromEntries(sides.map((side, n) => [n + 1, side]));
    return {
      1: this.isEmpty ? undefined : struct(box),
      2: integers([...this.codes].sort((a, b) => a - b)),
    };
  }
}

class Range {
  minimum = Number.POSITIVE_INFINITY;
  maximum = Number.NEGATIVE_INFINITY;

  get isEmpty(): boolean {
    return this.minimum > this.maximum;
  }

  get isFinite(): boolean {
    return Number.isFinite(this.minimum) && Number.isFinite(this.maximum);
  }

  add(value: number): void {
    if (value < this.minimum) this.minimum = value;
    if (value > this.maximum) this.maximum = value;
  }

  merge({ minimum, maximum }: Range): void {
    if (minimum < this.minimum) this.minimum = minimum;
    if (maximum > this.maximum) this.maximum = maximum;
  }
}

const single = new Float32Array(1);
const bits = new Int32Array(single.buffer);

/** The nearest single-precision number that is not above the value. */
export function singleBelow(value: number): number {
  single[0] = value;
  if (single[0]! <= value) return single[0]!;
  // the order of the bits of floats of one sign is that of their sizes
  if (single[0] === 0) bits[0] = 0x8000_0001 | 0;
  else bits[0] = bits[0]! + (single[0]! > 0 ? -1 : 1);
  return single[0]!;
}

export const singleAbove = (value: number): number => -singleBelow(-value);
