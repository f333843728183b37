/**
 * Sample type in a file. 64-bit integers are passed as Float64, with their exact values in parallel arrays
 * (`Item.integer64`).
 */
export type SampleType = 'Int8' | 'UInt8' | 'Int16' | 'UInt16' | 'Int32' | 'UInt32' | 'Float32' | 'Float64';
export type Samples =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** Exact values of an item of 64-bit integers. */
export type ExactIntegers = BigInt64Array | BigUint64Array;

/** How a value relates to its time: the DFS data value types, in DHI's order (0 to 4). */
export const VALUE_KINDS = [
  'instantaneous',
  'accumulated',
  'stepAccumulated',
  'meanStepBackward',
  'meanStepForward',
] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

/** Keys of a quantity and a unit in DHI's EUM tables, as DFS files store them. */
export interface EumQuantity {
  readonly item: number;
  readonly unit: number;
}

/** A variable of a dataset: a band of a raster, an item of a DFS file, an array of a Zarr store. */
export interface Item {
  readonly name?: string;
  /** Symbol of the unit, such as `m` or `m^3/s`. */
  readonly unit?: string;
  readonly eum?: EumQuantity;
  /** Absent: instantaneous. */
  readonly valueKind?: ValueKind;
  /** The physical value is sample · scale + offset; absent: 1 and 0. */
  readonly scale?: number;
  readonly offset?: number;
  /**
   * Absent (text formats): known only after all values are read. Then each block has the narrowest type for all values
   * so far.
   */
  readonly type?: SampleType;
  /** The value of cells without data, a number of the item's type or NaN. DFS calls it the delete value. */
  readonly nodata?: number;
  /** Samples are 64-bit integers, passed as Float64; blocks also have the exact values. */
  readonly integer64?: 'Int64' | 'UInt64';
  /** Exact `nodata` of an item of 64-bit integers, if a double cannot hold it. */
  readonly exactNodata?: bigint;
  /** Reference coordinates x, y, z and orientation alpha, phi, theta of a DFS item, as stored. */
  readonly reference?: readonly number[];
  /** A component of a vector along true east or north, whatever the axes of the coordinate system. */
  readonly geographicAxes?: true;
  /**
   * Additional dimensions of each value, from slowest to fastest, such as directions and frequencies of a wave
   * spectrum. A step has as many values per location as the product of their lengths.
   */
  readonly components?: readonly Axis[];
}

/** A named dimension with a coordinate per index. */
export interface Axis {
  readonly name: string;
  readonly unit?: string;
  readonly eum?: EumQuantity;
  /** One coordinate per index; the centre of the cell if there are `edges`. */
  readonly values: Float64Array;
  /** Boundaries of the cells, one more than `values`. */
  readonly edges?: Float64Array;
}
