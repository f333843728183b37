import type { Crs } from './crs-reference.ts';
import type { Origin } from './origin.ts';

export type FieldType = 'string' | 'integer' | 'integer64' | 'real' | 'boolean' | 'date' | 'dateTime' | 'json';

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Characters, or digits of a number; absent: unlimited. */
  readonly width?: number;
  readonly decimals?: number;
  /** No feature has a value of it, so that its type is a guess. */
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

/** Flat, so that a million vertices are one array. `parts` are first vertices of rings or lines; `polygons` are first parts of polygons. */
export interface Geometry {
  readonly type: GeometryType;
  /** x, y and, where the layer has them, z and m of each vertex, one after the other. */
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
   * One value per field of the layer, null for none: strings, numbers (bigint beyond 2^53), booleans; dates as 2024-12-31 and times as
   * 2024-12-31T23:59:59.5+01:00 (with what of it is known), anything nested as its JSON text. A value of another type than its field's
   * is passed on as it is.
   */
  readonly values: readonly unknown[];
}

/** A layer of features, pulled in chunks. */
export interface FeatureCollection {
  readonly kind: 'features';
  readonly name?: string;
  readonly crs?: Crs;
  readonly fields: readonly Field[];
  /** Without a height or a measure of its own, a vertex of such a layer has NaN there. */
  readonly hasZ: boolean;
  readonly hasM: boolean;
  /** The only types that the file can hold; absent: any. */
  readonly geometryTypes?: readonly GeometryType[];
  /** Names of fields have at most ten bytes and were cut where they had more. */
  readonly cutNames?: true;
  /** A dataset that is there, grown: its fields stay as wide as they are, and no others are made. */
  readonly grown?: true;
  /** How many there are at most, where that is known beforehand. */
  readonly count?: number;
  /** The same features at later steps, where their values change over time: one layer each. */
  readonly later?: readonly FeatureCollection[];
  readonly origin?: Origin;
  /** All features in order; one iteration at a time. */
  chunks(): AsyncIterable<readonly Feature[]>;
}
