import type { CfAttributes } from '../io/cf/variable.ts';

/** Rows of cells, in the order in which the message has them. */
export interface FieldGrid {
  /** Messages with the same text have the same cells. */
  readonly key: string;
  /** For a sentence, such as `360 × 181 latitude_longitude`. */
  readonly label: string;
  readonly width: number;
  readonly height: number;
  /** Rows run from right to left. */
  readonly fromEast: boolean;
  /** Consecutive points of the message lie in a column. */
  readonly byColumns: boolean;
  /** Every second row or column runs the other way. */
  readonly alternating: boolean;
  /** Points of each row of a reduced grid. */
  readonly rowLengths?: readonly number[];
  /** Components of vectors are along x and y of the grid, not along true east and north. */
  readonly alongGrid: boolean;
  /** The rows of a reduced grid go once around the earth. */
  readonly around: boolean;
  /** x and y, the grid mapping if there is one, and what was taken as default. */
  axes(): Promise<FieldAxes>;
}

export interface FieldAxes {
  readonly x: AxisCoordinates;
  readonly y: AxisCoordinates;
  readonly mapping: CfAttributes;
  readonly remark?: string;
}

export interface AxisCoordinates {
  readonly name: string;
  readonly attributes: CfAttributes;
  readonly values: Float64Array;
}

/** What a level is: a single one, or a layer between two. */
export interface FieldLevel {
  /** Words such as `isobaric`. */
  readonly name: string;
  /** Attributes of the coordinate. Absent: the kind of level has no value, such as the surface. */
  readonly attributes?: CfAttributes;
  readonly value?: number;
  /** Lower and upper end of a layer. */
  readonly bounds?: readonly [number, number];
}

/** How values over an interval were made of instantaneous ones. */
export type Process = 'average' | 'accumulation' | 'maximum' | 'minimum' | 'difference' | 'other';

export interface FieldTime {
  /** Milliseconds since 1970, UTC. */
  readonly reference: number;
  readonly valid: number;
  /** Start of the interval; absent: values at a moment. */
  readonly from?: number;
  readonly process?: Process;
}

/** What identifies a parameter, for its name and unit. */
export interface Parameter {
  /** Fields with the same text have the same parameter. */
  readonly key: string;
  /** Numbers of its tables, for a parameter without a name. */
  readonly label: string;
  readonly standardName?: string;
  /** A complete message of one cell of the parameter. */
  readonly sample: Buffer;
}

/** How the values of a field are packed, and where. */
export interface FieldData {
  /** Number of the template of GRIB 2 (table 5.0). GRIB 1: 0. */
  readonly template: number;
  /** The section of the data representation of GRIB 2; of GRIB 1, the binary data section. */
  readonly representation: Buffer;
  /** Place of the packed values in the file; of GRIB 1, that of the section. */
  readonly at: number;
  readonly length: number;
  /** The decimal scale factor of GRIB 1, which stands in another section. */
  readonly decimal?: number;
  /** Place of the bits that say which cells have values; absent: all have. */
  readonly bitmap?: { readonly at: number; readonly length: number };
  /** Number of points of the message. */
  readonly points: number;
}

/** Values of one parameter at one time, level and member. */
export interface Field {
  /** Of the message, for errors. */
  readonly offset: number;
  readonly edition: 1 | 2;
  readonly parameter: Parameter;
  readonly level: FieldLevel;
  readonly time: FieldTime;
  /** Number of the member of an ensemble. */
  readonly member?: number;
  /** What distinguishes fields that are made of an ensemble, such as `mean of the members`. */
  readonly derived?: string;
  readonly grid: FieldGrid;
  readonly data: FieldData;
}
