/** Type of a sample as a file stores it. 64-bit integers travel as Float64, their exact values beside them (`Item.integer64`). */
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

/** Values of an item as they were stored: 64-bit integers exactly. */
export type ExactIntegers = BigInt64Array | BigUint64Array;

/** How a value relates to its time: EUM's kinds of value, in EUM's order (0 to 4). */
export const VALUE_KINDS = [
  'instantaneous',
  'accumulated',
  'stepAccumulated',
  'meanStepBackward',
  'meanStepForward',
] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

/** A physical quantity and its unit in DHI's EUM tables: keys, as DFS files store them. */
export interface EumQuantity {
  readonly item: number;
  readonly unit: number;
}

/** One quantity that data have values of: a band of a raster, an item of a DFS file, a variable of a store. */
export interface Item {
  readonly name?: string;
  /** Symbol of the unit, such as `m` or `m^3/s`. */
  readonly unit?: string;
  readonly eum?: EumQuantity;
  /** Absent: instantaneous. */
  readonly valueKind?: ValueKind;
  /** A sample stands for sample · scale + offset; absent: 1 and 0. */
  readonly scale?: number;
  readonly offset?: number;
  /** Absent: known only when all values were pulled (a text format); then each block has the narrowest type for all values so far. */
  readonly type?: SampleType;
  /** The value that means "no data", as a number of the item's type; NaN is possible. DFS calls it the delete value. */
  readonly nodata?: number;
  /** The samples are whole numbers of 64 bits, handed over as Float64; blocks have them exactly besides. */
  readonly integer64?: 'Int64' | 'UInt64';
  /** `nodata` of such an item where a double cannot hold it. */
  readonly exactNodata?: bigint;
  /** Reference coordinates x, y, z and orientation alpha, phi, theta of a DFS item, as stored. */
  readonly reference?: readonly number[];
  /**
   * Further dimensions of each value, from slowest to fastest, such as directions and frequencies of a wave spectrum: a step then has
   * as many values per place as the product of their lengths.
   */
  readonly components?: readonly Axis[];
}

/** A dimension with a name, and the coordinate of each index. */
export interface Axis {
  readonly name: string;
  readonly unit?: string;
  readonly eum?: EumQuantity;
  /** One coordinate per index: the centre where `edges` are given. */
  readonly values: Float64Array;
  /** Borders of the cells, one more than `values`. */
  readonly edges?: Float64Array;
}
