import type { Crs } from '../data/crs-reference.ts';
import type { FeatureStatistics } from '../data/feature-statistics.ts';
import type { GridStatistics } from '../data/grid-statistics.ts';
import type { ItemStatistics } from '../data/item-statistics.ts';
import type { Figures } from '../data/value-tally.ts';
import type { CrsChange, LogLevel } from '../formats/define.ts';
import type { Checksum } from '../formats/io/bytes.ts';
import type { SpatialInformation } from './spatial-information.ts';
import type { TemporalInformation } from './temporal-information.ts';

/** Everything in it, and in the result, survives JSON: it travels to a child process and back. */
export interface ConversionRequest {
  /** `name` is the file's own name, for the receipt; its bytes are at `path`. */
  input: { path: string; name: string };
  output: { path: string; name?: string };
  /** A folder of this conversion alone, on a disk with room; its owner removes it. */
  scratch: string;
  /** Threads that may compute at a time; absent: as many as there are cores. What is written does not depend on it. */
  threads?: number;
  reader: { name: string; parameters?: Record<string, unknown> };
  writer: { name: string; parameters?: Record<string, unknown> };
  transformations?: readonly unknown[];
  onBadRecord?: 'fail' | 'skip';
  /** What the output's dataset holds already: the input is added to it. */
  present?: Present;
  /** Where a GeoJSON of the skipped records goes; it is written only when there are any. */
  badRecords?: { path: string };
}

export interface ConversionHooks {
  /** `fraction` of the whole, 0 to 1, never falling; called for each block, so throttle what is done with it. */
  progress(fraction: number, phase: string): void;
  log(level: LogLevel, message: string): void;
  signal: AbortSignal;
}

export type Statistics = GridStatistics | FeatureStatistics | ItemStatistics;

/** How well the elements of a mesh are shaped. */
export interface MeshQuality {
  nodes: number;
  elements: number;
  /** Degrees. */
  smallestAngle: number;
  /** Area in square units of the coordinate system. */
  largestElement: number;
}

export interface Receipt {
  input: { name: string } & Checksum;
  output: { name?: string } & Checksum;
  /** What became of the coordinate system. */
  crs?: CrsChange;
  /** Of a mesh that was made of polygons or points. */
  mesh?: MeshQuality;
  /** Where a dataset has grown. */
  appended?: AppendedCounts;
  lost: string[];
  statistics: { before?: Statistics; after?: Statistics };
}

export interface ConversionResult {
  receipt: Receipt;
  /** Cells of a grid (of all bands that were pulled), features of a layer; 1 for a file that is only copied. */
  recordsRead: number;
  recordsWritten: number;
  recordsSkipped: number;
  /** The GeoJSON of the skipped records was written. */
  badRecordsWritten?: true;
  spatialInformation?: SpatialInformation;
  temporalInformation?: TemporalInformation;
  /** What the record of a dataset made of it tells beside what its maker said. */
  properties?: { statistics: Statistics | readonly Figures[] };
}

/** What a dataset holds now, to which an input is added. */
export interface Present {
  path: string;
  /** The dataset's; its own reader follows. */
  format: string;
  /** What the dataset's record says, for what its content cannot say. */
  crs?: { wkt: string; srid?: number };
}

/** Records that were there, and that came to them. */
export interface AppendedCounts {
  present: number;
  added: number;
}

/** What a kind of data tells of its way from reader to writer. */
export type Passed = Omit<ConversionResult, 'receipt'> & Pick<Receipt, 'crs' | 'statistics'> & { inputCrs?: Crs };
