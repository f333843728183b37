import { Box } from './box.ts';
import { strideOf } from './dimensions.ts';
import type { Feature, FeatureCollection, Field, Geometry } from './feature-collection.ts';
import { type FieldStatistics, FieldTally } from './field-statistics.ts';

export interface FeatureStatistics {
  kind: 'features';
  features: number;
  /** Number of features per geometry type; `None` for features without geometry. */
  geometries: Record<string, number>;
  vertices: number;
  /** Minimum and maximum of x, y and, if the layer has heights, z. Absent if there are no vertices. */
  minimum?: number[];
  maximum?: number[];
  /** Only for CalculateStatistics. */
  fields?: FieldStatistics[];
}

/** Collects statistics of streamed features. */
export class FeatureTally {
  features = 0;
  vertices = 0;
  #geometries = new Map<string, number>();
  #box = new Box();
  readonly #described: readonly Field[];
  #fields: readonly FieldTally[];
  #lowest = Infinity;
  #highest = -Infinity;

  /** @param fields collects statistics of their values, too */
  constructor(fields: readonly Field[] = []) {
    this.#described = fields;
    this.#fields = fields.map((field) => new FieldTally(field));
  }

  /** Forgets all features, because they are read again. */
  restart(): void {
    this.features = this.vertices = 0;
    this.#geometries = new Map();
    this.#box = new Box();
    this.#fields = this.#described.map((field) => new FieldTally(field));
    this.#lowest = Infinity;
    this.#highest = -Infinity;
  }

  add(chunk: readonly Feature[], stride: number, hasZ: boolean): void {
    this.features += chunk.length;
    for (const { geometry, values } of chunk) {
      for (let n = 0; n < this.#fields.length; n++) this.#fields[n]!.add(values[n]);
      const type = geometry?.type ?? 'None';
      this.#geometries.set(type, (this.#geometries.get(type) ?? 0) + 1);
      if (geometry !== undefined) this.#addGeometry(geometry, stride, hasZ);
    }
  }

  #addGeometry({ coordinates, members }: Geometry, stride: number, hasZ: boolean): void {
    for (const member of members ?? []) this.#addGeometry(member, stride, hasZ);
    this.#box.add(coordinates, stride);
    this.vertices += coordinates.length / stride;
    for (let i = 2; hasZ && i < coordinates.length; i += stride) {
      const z = coordinates[i]!;
      if (z < this.#lowest) this.#lowest = z;
      if (z > this.#highest) this.#highest = z;
    }
  }

  result(): FeatureStatistics {
    const { features, vertices } = this;
    const { west, south, east, north } = this.#box;
    const heights = Number.isFinite(this.#lowest);
    const box = [west, south, east, north].every(Number.isFinite)
      ? {
          minimum: [west, south, ...(heights ? [this.#lowest] : [])],
          maximum: [east, north, ...(heights ? [this.#highest] : [])],
        }
      : {};
    const fields = this.#fields.length === 0 ? {} : { fields: this.#fields.map((field) => field.result()) };
    return {
      kind: 'features',
      features,
      geometries: Object.fromEntries(this.#geometries),
      vertices,
      ...box,
      ...fields,
    };
  }
}

/**
 * Wraps `data` so that reading adds to the tally. If they are read again, only the last pass counts. Calls `passed`
 * with the number of features read so far.
 */
export function watchedFeatures(
  data: FeatureCollection,
  tally: FeatureTally,
  signal: AbortSignal,
  passed: (features: number) => void,
): FeatureCollection {
  return {
    ...data,
    async *chunks() {
      tally.restart();
      for await (const chunk of data.chunks()) {
        signal.throwIfAborted();
        tally.add(chunk, strideOf(data), data.hasZ);
        passed(tally.features);
        yield chunk;
      }
    },
  };
}
