import type { KnownCrs } from 'hydrofiles/crs';
import type { Crs } from 'hydrofiles/data';
import type { Header, Indexed } from 'hydrofiles/features';
import type { TileLayer, TileNumber } from 'hydrofiles/tile-drawing';
import type { TileKey } from 'hydrofiles/tiles';

/** A tile to be drawn. Plain data, so that it can be posted to a thread. */
export type VectorJob = FeatureJob | ElementJob;

/** A tile of a file of features: the thread searches its index, and reads and draws the features that it chooses. */
export interface FeatureJob {
  readonly kind: 'features';
  readonly tile: TileNumber;
  readonly crs: KnownCrs;
  /** The blob never changes, so what the thread keeps of it stays right. */
  readonly blob: string;
  readonly size: number;
  /** File descriptor of a local blob; of others the thread requests the bytes. */
  readonly descriptor?: number;
  readonly header: Header & Indexed;
  /** Places of the attributes among the fields of the file, and their keys. */
  readonly fields: readonly number[];
  readonly keys: readonly TileKey[];
}

/** A tile of polygons with values. The arrays are moved to the thread. */
export interface ElementJob {
  readonly kind: 'elements';
  readonly tile: TileNumber;
  readonly crs: Crs;
  readonly layer: TileLayer;
  /**
   * For each element: its id, where its coordinates begin and end, side, size, and 1 if it stands for others around it.
   */
  readonly numbers: Float64Array<ArrayBuffer>;
  /** x, y, … */
  readonly coordinates: Float64Array<ArrayBuffer>;
  /** For each attribute the values of all polygons; NaN is none. */
  readonly values: readonly Float64Array<ArrayBuffer>[];
}

/** Numbers of each element in a job. */
export const NUMBERS = 6;

/** Buffers that are transferred to the thread, not copied. */
export const movedBuffers = ({ numbers, coordinates, values }: ElementJob): ArrayBuffer[] => [
  numbers.buffer,
  coordinates.buffer,
  ...values.map(({ buffer }) => buffer),
];
