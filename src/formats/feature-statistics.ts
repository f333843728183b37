import type { Feature, Features, Geometry } from './types.ts';

export interface FeatureStatistics {
  kind: 'features';
  features: number;
  /** Features by the kind of their geometry; `None` for those without one. */
  geometries: Record<string, number>;
  vertices: number;
  /** Smallest and largest x, y and, where the layer has heights, z. Absent when there is no vertex. */
  minimum?: number[];
  maximum?: number[];
}

/** Statistics of the features that pass by. */
export class FeatureTally {
  features = 0;
  vertices = 0;
  readonly #geometries = new Map<string, number>();
  readonly minimum = [Infinity, Infinity, Infinity];
  readonly maximum = [-Infinity, -Infinity, -Infinity];

  add(chunk: readonly Feature[], stride: number, hasZ: boolean): void {
    this.features += chunk.length;
    for (const { geometry } of chunk) {
      const type = geometry?.type ?? 'None';
      this.#geometries.set(type, (this.#geometries.get(type) ?? 0) + 1);
      if (geometry !== undefined) this.#addGeometry(geometry, stride, hasZ);
    }
  }

  #addGeometry({ coordinates, members }: Geometry, stride: number, hasZ: boolean): void {
    for (const member of members ?? []) this.#addGeometry(member, stride, hasZ);
    let [west, south] = this.minimum as [number, number, number];
    let [east, north] = this.maximum as [number, number, number];
    for (let i = 0; i < coordinates.length; i += stride) {
      const x = coordinates[i]!;
      const y = coordinates[i + 1]!;
      if (x < west) west = x;
      if (x > east) east = x;
      if (y < south) south = y;
      if (y > north) north = y;
    }
    this.minimum[0] = west;
    this.minimum[1] = south;
    this.maximum[0] = east;
    this.maximum[1] = north;
    this.vertices += coordinates.length / stride;
    for (let i = 2; hasZ && i < coordinates.length; i += stride) {
      const z = coordinates[i]!;
      if (z < this.minimum[2]!) this.minimum[2] = z;
      if (z > this.maximum[2]!) this.maximum[2] = z;
    }
  }

  result(): FeatureStatistics {
    const { features, vertices } = this;
    const axes = Number.isFinite(this.minimum[2]) ? 3 : 2;
    const box =
      this.minimum.slice(0, 2).every(Number.isFinite) && this.maximum.slice(0, 2).every(Number.isFinite)
        ? { minimum: this.minimum.slice(0, axes), maximum: this.maximum.slice(0, axes) }
        : {};
    return { kind: 'features', features, geometries: Object.fromEntries(this.#geometries), vertices, ...box };
  }
}

/** Numbers per vertex. */
export const strideOf = ({ hasZ, hasM }: Pick<Features, 'hasZ' | 'hasM'>): number =>
  2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0);

/** The same features, with a tally of what is pulled; `passed` is told their number. */
export function watchedFeatures(
  data: Features,
  tally: FeatureTally,
  signal: AbortSignal,
  passed: (features: number) => void,
): Features {
  return {
    ...data,
    async *chunks() {
      for await (const chunk of data.chunks()) {
        signal.throwIfAborted();
        tally.add(chunk, strideOf(data), data.hasZ);
        passed(tally.features);
        yield chunk;
      }
    },
  };
}
