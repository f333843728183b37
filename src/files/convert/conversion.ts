import type { Crs } from '../data/crs-reference.ts';
import type { FeatureStatistics } from '../data/feature-statistics.ts';
import type { GridStatistics } from '../data/grid-statistics.ts';
import type { ItemStatistics } from '../data/item-statistics.ts';
import type { Figures } from '../data/value-tally.ts';
import type { CrsChange, LogLevel } from '../formats/define.ts';
import type { FileType } from '../formats/file-type.ts';
import type { Checksum } from '../formats/io/bytes.ts';
import type { SpatialInformation } from './spatial-information.ts';
import type { TemporalInformation } from './temporal-information.ts';

/** A local file, and its original name for the receipt. */
export interface InputFile {
  path: string;
  name: string;
}

/** Sent to a child process as JSON, and so is the result: members must survive JSON. */
export interface ConversionRequest {
  input: InputFile;
  /** Files that the first transformation, a mosaic or a stack, joins with `input`, in this order after it. */
  otherInputs?: readonly InputFile[];
  output: { path: string; name?: string };
  /** Folder for temporary files of this conversion only; the caller deletes it. */
  scratch: string;
  /** Maximum number of computing threads; absent: the number of cores. The output does not depend on it. */
  threads?: number;
  reader: { name: string; parameters?: Record<string, unknown> };
  writer: { name: string; parameters?: Record<string, unknown> };
  transformations?: readonly unknown[];
  /**
   * Local files of the side inputs that the transformations name (`sideInputsOf`): dataset id, upload URL or path, as
   * the transformation has it → file.
   */
  sideInputs?: Readonly<Record<string, SideFile>>;
  onBadRecord?: 'fail' | 'skip';
  /** The dataset to append the input to. The output then contains both. */
  existing?: ExistingDataset;
  /** The content that the output replaces, if the writer keeps something of it. */
  replaced?: { path: string };
  /** Path of the GeoJSON file with the skipped records; written only if there are any. */
  badRecords?: { path: string };
}

/** The local file of a side input. */
export interface SideFile {
  path: string;
  /** The original name, for messages. */
  name: string;
  /** Absent: the reader that the content asks for. A transformation may name another one. */
  reader?: { name: string; parameters?: Record<string, unknown> };
}

export interface ConversionHooks {
  /** `fraction` of the conversion, 0 to 1, never decreases. Called for each block, so the callee must throttle. */
  progress(fraction: number, phase: string): void;
  log(level: LogLevel, message: string): void;
  signal: AbortSignal;
}

export type Statistics = GridStatistics | FeatureStatistics | ItemStatistics;

/** Quality of the elements of a generated mesh. */
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
  /** All files that were joined, the first one included. Only of a mosaic or stack. */
  inputs?: ({ name: string } & Checksum)[];
  output: { name?: string } & Checksum;
  crs?: CrsChange;
  /** Only for a mesh that was made from polygons or points. */
  mesh?: MeshQuality;
  /** Only if the conversion appended to an existing dataset. */
  appended?: AppendedCounts;
  /** Sentences about parts of the input that the output does not have. */
  lost: string[];
  /** Sentences about repairs, guesses and defaults. */
  remarks: string[];
  statistics: { before?: Statistics; after?: Statistics };
}

export interface ConversionResult {
  receipt: Receipt;
  /** Cells of a grid (all bands that were read) or features of a layer; 1 for a copied file. */
  recordsRead: number;
  recordsWritten: number;
  recordsSkipped: number;
  /** Type of the output file where it is not the usual one of the writer. */
  fileType?: FileType;
  /** The GeoJSON file of skipped records was written. */
  badRecordsWritten?: true;
  spatialInformation?: SpatialInformation;
  temporalInformation?: TemporalInformation;
  /** To merge into the properties of the output dataset. */
  properties?: { statistics: Statistics | readonly Figures[] };
}

/** The content of a dataset before an append. */
export interface ExistingDataset {
  path: string;
  /** `datasetFormat`; the reader of this format reads the file. */
  format: string;
  /** CRS of the dataset's metadata, for formats whose files cannot store every CRS. */
  crs?: { wkt: string; srid?: number };
}

/** Numbers of records. */
export interface AppendedCounts {
  present: number;
  added: number;
}

/** The part of the conversion result that depends on the kind of data. */
export type PipelineResult = Omit<ConversionResult, 'receipt'> &
  Pick<Receipt, 'crs' | 'statistics'> & { inputCrs?: Crs };
