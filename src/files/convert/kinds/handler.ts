import type { Data, DataKind } from '../../data/data.ts';
import type { Context, JoinedSteps, Writer } from '../../formats/define.ts';
import type { AppendedCounts, ExistingDataset, PipelineResult, SideFile, Statistics } from '../conversion.ts';
import type { Inspection } from '../inspection.ts';
import type { SpatialInformation } from '../spatial-information.ts';
import type { StepContext } from '../steps/step-context.ts';
import type { Transformation } from '../steps/transformation-shapes.ts';
import type { PictureChoice } from './picture-choice.ts';
import type { stepNames } from './step-names.ts';

/** One function per transformation that a kind of data supports. */
export type Steps<D> = {
  readonly [T in Transformation['type']]?: (
    data: D,
    step: Extract<Transformation, { type: T }>,
    shared: StepContext,
  ) => D | Promise<D>;
};

/** All of the steps that `stepNames` lists for a kind of data. */
export type StepsOf<D extends Data> = Required<Pick<Steps<D>, (typeof stepNames)[D['kind']][number]>>;

/** Counts records and statistics while data are read. */
export interface Tally<D> {
  /** Cells of a grid, features of a layer. */
  readonly records: number;
  /** Wraps `data` so that reading counts. Calls `passed` with the fraction read so far, 0 if the total is unknown. */
  watch(data: D, signal: AbortSignal, passed: (fraction: number) => void): D;
  result(data: D): Statistics;
}

/** The part of a conversion request that the pipeline needs. */
export interface Work {
  readonly steps: readonly Transformation[];
  /** The kind of data after each step. */
  readonly kinds: readonly DataKind[];
  /** Local files of the side inputs of the steps. */
  readonly sideInputs: Readonly<Record<string, SideFile>>;
  /** CRS of the input by the request, `AUTHORITY:CODE`; overrides the file. */
  readonly srid: string | undefined;
  /** Name of the input file without its extension. */
  readonly stem: string;
}

/** Arguments of an append. */
export interface AppendWork {
  readonly existing: ExistingDataset;
  readonly writer: Writer;
  readonly steps: readonly Transformation[];
  write(data: Data): Promise<void>;
  /** Properties of the steps, reported by a writer that joins them itself. */
  joined(): JoinedSteps | undefined;
}

/** An append to a dataset: wraps the writer's `write`. */
export interface AppendSession {
  /** Context for reading and transforming the input, whose progress is only a part of the whole. */
  context: Context;
  write(added: Data): Promise<void>;
  /** Replaces statistics and extent of the input by those of the whole output. */
  finish(passed: PipelineResult): Promise<PipelineResult & { appended: AppendedCounts }>;
}

/** Functions of a kind of data that the pipeline (`pipeline.ts`) needs to read, transform and count its data. */
export interface StreamOperations<D extends Data = Data> {
  /** Progress is the fraction of the input read, if the size of the output is unknown, or of the output written. */
  readonly progress: 'input' | 'output';
  /** @param whole with all statistics of CalculateStatistics, not only those of a receipt */
  tally(data: D, whole: boolean): Tally<D>;
  /** Whether both read the same values, so that counting once is enough. */
  pullsSame(one: D, other: D): boolean;
  place(data: D, statistics: Statistics, context: Context): Promise<SpatialInformation | undefined>;
}

/** The functions that a conversion needs for one kind of data. */
export interface KindHandler<D extends Data = Data> {
  /** The transformations of `stepNames`. */
  readonly steps: Steps<D>;
  /** Absent: the data are copied, and transformations are ignored. */
  readonly stream?: StreamOperations<D>;
  /** Opens an existing dataset to append data of this kind. Absent: the kind cannot be appended. */
  append?(work: AppendWork, context: Context): Promise<AppendSession>;
  /** Completes `inspection`. Returns a PNG if a picture is requested and the data can be drawn. */
  inspect?(data: D, inspection: Inspection, options: InspectKind): Promise<Uint8Array | undefined>;
}

export interface InspectKind {
  /** Whether to read the values, for their statistics. Default: true. */
  readonly statistics?: boolean;
  /** Absent: no picture is drawn. */
  readonly picture?: PictureChoice | undefined;
  readonly signal: AbortSignal;
}
