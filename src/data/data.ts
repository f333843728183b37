import type { Crs } from '../geo/crs/crs.ts';

/** Random access to the bytes of an input. `read` gives fewer bytes than asked for only at the end of the source. */
export interface ByteSource {
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Where a writer puts its bytes. `append` may be called without waiting for the last one; order is kept. */
export interface ByteSink {
  /** Bytes appended so far. */
  readonly position: number;
  /** Waits only while too much is on its way to the disk. The bytes belong to the sink from then on. */
  append(bytes: Uint8Array): Promise<void>;
  /** Changes bytes that were appended before. */
  patch(offset: number, bytes: Uint8Array): Promise<void>;
  /** Forgets everything that was appended. */
  restart(): Promise<void>;
}

/** What is in a file, told apart by `kind`. Readers make one of these, writers take some of them; big parts are pulled, never held. */
export type Data = Bytes | Grid | Features | Mesh | Series | Cube;
export type DataKind = Data['kind'];

/** A file that nobody looks into. */
export interface Bytes {
  readonly kind: 'bytes';
  readonly source: ByteSource;
}

/** Type of a sample as a file stores it. 64-bit integers are handed over as Float64 (`Band.integer64`). */
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

/**
 * GDAL's order, corner based: x = t[0] + column · t[1] + row · t[2], y = t[3] + column · t[4] + row · t[5],
 * where (0, 0) is the outer corner of the first cell and rows count from the first row of `rows()`.
 */
export type Affine = readonly [number, number, number, number, number, number];

export interface Band {
  readonly name?: string;
  readonly unit?: string;
  /** What a sample stands for is sample · scale + offset; absent: 1 and 0. */
  readonly scale?: number;
  readonly offset?: number;
  /** Absent: known only when all rows were pulled (a text format); then each block has the narrowest type for all values so far. */
  readonly type?: SampleType;
  /** The value that means "nothing here", as a number of the band's type; NaN is possible. */
  readonly nodata?: number;
  /** The samples are whole numbers of 64 bits, handed over as Float64; blocks have them exactly beside that. */
  readonly integer64?: 'Int64' | 'UInt64';
  /** `nodata` of such a band where a double cannot say it. */
  readonly exactNodata?: bigint;
  /** What the samples are in a picture. */
  readonly role?: 'red' | 'green' | 'blue' | 'alpha' | 'palette';
  /** Colours of the values 0, 1, 2 … of a palette: all reds, all greens, all blues, 0 to 65535. */
  readonly palette?: readonly number[];
}

/** Whole rows of one band: `samples.length === rowCount * width`. The samples belong to the caller. */
export interface RowBlock {
  readonly firstRow: number;
  readonly rowCount: number;
  readonly samples: Samples;
  /** Of a band of 64-bit integers, where the way from the file was straight. */
  readonly exact?: BigInt64Array | BigUint64Array;
}

/** Rows `first … end - 1`. */
export interface RowRange {
  readonly first: number;
  readonly end: number;
}

/** A raster in memory order: row 0 is the first row of the file, the top one when `affine[5] < 0`. */
export interface Grid {
  readonly kind: 'grid';
  readonly width: number;
  readonly height: number;
  readonly affine: Affine;
  /** The file does not say where it is: `affine` only counts cells. */
  readonly located?: false;
  readonly crs?: Crs;
  /** At least one. For data of items over time, the items. */
  readonly bands: readonly Band[];
  /** Time of each step in milliseconds since 1970 UTC; absent: one step without a time. */
  readonly times?: readonly number[];
  /**
   * All rows of a band, in order. May be asked for again; one iteration at a time. Both counts start at 0. Where only some rows are
   * `wanted`, blocks that hold none of them may be left out.
   */
  rows(band: number, step?: number, wanted?: RowRange): AsyncIterable<RowBlock>;
  /** Any rows of a band, where the format can give them cheaply (`spill.ts` makes a grid that can). Types of all bands are known then. */
  read?(band: number, firstRow: number, rowCount: number, step?: number): Promise<Samples>;
}

/** A grid whose types are known before its rows are pulled. */
export type TypedGrid = Grid & { readonly bands: readonly TypedBand[] };
export type TypedBand = Band & { readonly type: SampleType };

/** A grid whose rows can be read in any order. */
export type RandomGrid = TypedGrid & { readonly read: NonNullable<Grid['read']> };

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
export interface Features {
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
  /** All features in order; one iteration at a time. */
  chunks(): AsyncIterable<readonly Feature[]>;
}

/** One quantity of a mesh or of a set of time series. */
export interface Item {
  readonly name: string;
  readonly unit?: string;
  readonly type: 'Float32' | 'Float64';
  readonly location: 'node' | 'cell' | 'point';
  readonly nodata?: number;
}

/** Nodes and elements of 2 to 8 nodes, with items over time. */
export interface Mesh {
  readonly kind: 'mesh';
  readonly crs?: Crs;
  /** x, y, z of each node. */
  readonly nodes: Float64Array;
  /** Node numbers (from 0) of all elements, one after the other; element e has `connectivity[offsets[e] … offsets[e + 1])`. */
  readonly connectivity: Uint32Array;
  readonly offsets: Uint32Array;
  /** 1 for a flat mesh; a layered one counts its elements from the bottom up in each column. */
  readonly layers: number;
  readonly items: readonly Item[];
  readonly times: readonly number[];
  values(item: number, step: number): Promise<Float32Array | Float64Array>;
}

/** Items over time, each at a place or nowhere. */
export interface Series {
  readonly kind: 'series';
  readonly crs?: Crs;
  readonly items: readonly (Item & { readonly position?: readonly number[] })[];
  /** Milliseconds since 1970 UTC, pulled in chunks together with one array of values per item. */
  chunks(): AsyncIterable<{ readonly times: Float64Array; readonly values: readonly Float64Array[] }>;
}

/** Several dimensions with names: the axes from slowest to fastest, one slice along the first axis pulled at a time. */
export interface Cube {
  readonly kind: 'cube';
  readonly crs?: Crs;
  readonly axes: readonly { readonly name: string; readonly unit?: string; readonly values: Float64Array }[];
  readonly items: readonly Item[];
  slice(item: number, first: number): Promise<Float32Array | Float64Array>;
}
