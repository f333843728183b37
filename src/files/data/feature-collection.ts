import type { Crs } from './crs-reference.ts';
import type { Origin } from './origin.ts';

export type FieldType = 'string' | 'integer' | 'integer64' | 'real' | 'boolean' | 'date' | 'dateTime' | 'json';

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Characters, or digits of a number; absent: unlimited. */
  readonly width?: number;
  readonly decimals?: number;
  /** No feature has a value in this field, so its type is a guess. */
  readonly untyped?: true;
}

export type GeometryType =
  | 'Point'
  | 'LineString'
  | 'Polygon'
  | 'MultiPoint'
  | 'MultiLineString'
  | 'MultiPolygon'
  | 'GeometryCollection';

/**
 * All vertices in one flat array. `parts`: index of the first vertex of each ring or line; `polygons`: first part of
 * each polygon.
 */
export interface Geometry {
  readonly type: GeometryType;
  /** Interleaved: x, y and, if the layer has them, z and m of each vertex. */
  readonly coordinates: Float64Array;
  readonly parts?: Uint32Array;
  readonly polygons?: Uint32Array;
  /** Members of a GeometryCollection. */
  readonly members?: readonly Geometry[];
}

export interface Feature {
  readonly id?: string | number;
  readonly geometry?: Geometry;
  /**
   * One value per field of the layer, null if missing: strings, numbers (bigint above 2^53), booleans; dates as
   * 2024-12-31 and times as 2024-12-31T23:59:59.5+01:00 (seconds and zone are optional), nested values as JSON text.
   * Values are not converted to the type of their field.
   */
  readonly values: readonly unknown[];
}

/** A layer of features, streamed in chunks. */
export interface FeatureCollection {
  readonly kind: 'features';
  readonly name?: string;
  readonly crs?: Crs;
  readonly fields: readonly Field[];
  /** Vertices have Z, M. A vertex without a height or measure has NaN there. */
  readonly hasZ: boolean;
  readonly hasM: boolean;
  /** Geometry types that the file can hold; absent: any. */
  readonly geometryTypes?: readonly GeometryType[];
  /** Field names are truncated to ten bytes (shapefile). */
  readonly cutNames?: true;
  /** An existing dataset with appended features: the writer keeps its fields and their widths, and adds none. */
  readonly appended?: true;
  /** Maximum number of features, if known before reading. */
  readonly count?: number;
  /** The same features at later steps, where their values change over time: one layer each. */
  readonly later?: readonly FeatureCollection[];
  readonly origin?: Origin;
  /** All features in order. Iterations must not overlap. */
  chunks(): AsyncIterable<readonly Feature[]>;
}
