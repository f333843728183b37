import type { Crs } from '../../data/crs-reference.ts';
import { strideOf } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection, Geometry } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { describeCrs, type KnownCrs } from '../../geo/crs/crs.ts';
import { transformer } from '../../geo/crs/transform.ts';
import { crossingSentence } from './antimeridian.ts';
import type { Reprojected } from './input-crs.ts';

/** Reprojects features. A feature with a vertex that cannot be transformed is a bad record. */
export async function reprojected(
  data: FeatureCollection,
  target: Crs,
  context: Context,
): Promise<Reprojected<FeatureCollection>> {
  const change = await transformer(data.crs!, target);
  context.onEnd(async () => change.close());
  const [from, to] = await Promise.all([describeCrs(data.crs!), describeCrs(target)]);
  const { geographic, name, area } = to;
  // geocentric coordinates (ECEF) need all three of x, y, z
  for (const crs of [from, to])
    if (crs.kind === 'geocentric' && !data.hasZ)
      throw new FormatError(`'${crs.name}' is geocentric: features without heights (Z) cannot be reprojected.`);
  const stride = strideOf(data);
  const antimeridian = new AntimeridianCheck();
  const areaOfUse = from.geographic && !geographic && area !== undefined ? new AreaOfUseCheck(area, name) : undefined;
  let [x, y, z] = [new Float64Array(0), new Float64Array(0), new Float64Array(0)];
  let seen = 0;

  function transform(chunk: readonly Feature[]): Feature[] {
    areaOfUse?.check(chunk, stride);
    if (from.geographic && !geographic)
      for (const { geometry } of chunk) if (geometry !== undefined) antimeridian.check(geometry, stride);
    const geometries: { geometry: Geometry; feature: number }[] = [];
    for (const [n, { geometry }] of chunk.entries()) if (geometry !== undefined) gather(geometry, n, geometries);
    const vertices = geometries.reduce((sum, { geometry }) => sum + geometry.coordinates.length, 0) / stride;
    if (x.length < vertices)
      [x, y, z] = [0, 1, 2].map(() => new Float64Array(vertices)) as [
        Float64Array<ArrayBuffer>,
        Float64Array<ArrayBuffer>,
        Float64Array<ArrayBuffer>,
      ];
    let at = 0;
    for (const {
      geometry: { coordinates },
    } of geometries)
      for (let i = 0; i < coordinates.length; i += stride, at++) {
        x[at] = coordinates[i]!;
        y[at] = coordinates[i + 1]!;
        if (data.hasZ) z[at] = Number.isNaN(coordinates[i + 2]!) ? 0 : coordinates[i + 2]!;
      }
    const heights = data.hasZ ? z.subarray(0, vertices) : undefined;
    const failed = change.forward(x.subarray(0, vertices), y.subarray(0, vertices), heights);
    const bad = new Map<number, readonly [number, number]>();
    at = 0;
    for (const {
      geometry: { coordinates },
      feature,
    } of geometries)
      for (let i = 0; i < coordinates.length; i += stride, at++) {
        if (failed > 0 && Number.isNaN(x[at]!) && !bad.has(feature))
          bad.set(feature, [coordinates[i]!, coordinates[i + 1]!]);
        coordinates[i] = x[at]!;
        coordinates[i + 1] = y[at]!;
        if (data.hasZ && !Number.isNaN(coordinates[i + 2]!)) coordinates[i + 2] = z[at]!;
      }
    const first = seen + 1;
    seen += chunk.length;
    for (const [feature, [badX, badY]] of bad)
      context.reportBadRecord({
        number: first + feature,
        reason: new FormatError(
          `Feature ${first + feature} has the point (${badX}, ${badY}), which cannot be transformed to ${name}.`,
        ),
        x: badX,
        y: badY,
      });
    const good = bad.size === 0 ? [...chunk] : chunk.filter((_, n) => !bad.has(n));
    if (geographic) for (const { geometry } of good) if (geometry !== undefined) antimeridian.check(geometry, stride);
    return good;
  }

  const features: FeatureCollection = {
    ...data,
    crs: target,
    async *chunks() {
      seen = 0;
      for await (const chunk of data.chunks()) yield transform(chunk);
      antimeridian.report(context);
      areaOfUse?.report(context);
    },
  };
  return { data: features, operation: () => change.operation() };
}

function gather(geometry: Geometry, feature: number, into: { geometry: Geometry; feature: number }[]): void {
  into.push({ geometry, feature });
  for (const member of geometry.members ?? []) gather(member, feature, into);
}

type Area = NonNullable<KnownCrs['area']>;

/**
 * Counts features that extend beyond the area of use of the target CRS, such as a pole in Mercator or a continent in a
 * UTM zone.
 */
class AreaOfUseCheck {
  #features = 0;
  readonly #area: Area;
  readonly #name: string;

  constructor(area: Area, name: string) {
    this.#area = area;
    this.#name = name;
  }

  check(chunk: readonly Feature[], stride: number): void {
    for (const { geometry } of chunk) if (geometry !== undefined && this.#leaves(geometry, stride)) this.#features++;
  }

  #leaves({ coordinates, members }: Geometry, stride: number): boolean {
    const { west, south, east, north } = this.#area;
    for (let i = 0; i < coordinates.length; i += stride) {
      const x = coordinates[i]!;
      const y = coordinates[i + 1]!;
      const within = west <= east ? x >= west && x <= east : x >= west || x <= east;
      if (!within || y < south || y > north) return true;
    }
    return (members ?? []).some((member) => this.#leaves(member, stride));
  }

  report({ reportLoss }: Context): void {
    if (this.#features === 0) return;
    const { west, south, east, north } = this.#area;
    reportLoss(
      `${this.#features} features extend beyond the area of use of ${this.#name} (longitude ${west} to ${east}, latitude ${south} to ${north}). Coordinates outside of it, especially near the poles, are distorted or wrong.`,
    );
  }
}

/** Counts features whose lines or rings cross the antimeridian, and polygons that contain a pole. */
class AntimeridianCheck {
  #crossing = 0;
  #around = 0;

  check(geometry: Geometry, stride: number): void {
    for (const member of geometry.members ?? []) this.check(member, stride);
    const { type, coordinates, parts } = geometry;
    if (type === 'Point' || type === 'MultiPoint') return;
    let crosses = false;
    let encloses = false;
    const vertices = coordinates.length / stride;
    const starts = parts ?? [0];
    for (let n = 0; n < starts.length; n++) {
      let turns = 0;
      for (let i = starts[n]! + 1; i < (starts[n + 1] ?? vertices); i++) {
        const step = coordinates[i * stride]! - coordinates[(i - 1) * stride]!;
        if (step > 180) turns--;
        else if (step < -180) turns++;
        else continue;
        crosses = true;
      }
      if (turns !== 0 && type.endsWith('Polygon')) encloses = true;
    }
    if (encloses) this.#around++;
    else if (crosses) this.#crossing++;
  }

  report({ reportLoss }: Context): void {
    if (this.#crossing > 0) reportLoss(crossingSentence(`${this.#crossing} features`));
    if (this.#around > 0)
      reportLoss(
        `${this.#around} features contain a pole. In longitude and latitude their outline runs around the world and does not close at the pole.`,
      );
  }
}
