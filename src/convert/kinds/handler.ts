import type { Crs } from '../../data/crs-reference.ts';
import type { Data } from '../../data/data.ts';
import type { Context, Writer } from '../../formats/define.ts';
import type { AppendedCounts, Passed, Present, Statistics } from '../conversion.ts';
import type { Inspection } from '../inspection.ts';
import type { SpatialInformation } from '../spatial-information.ts';
import type { Transformation } from '../steps/transformation-shapes.ts';

/** What the transformations of one conversion share. */
export interface StepContext {
  readonly context: Context;
  /** Closed when the output was written. */
  readonly held: AsyncDisposableStack;
  /** One sentence per reprojection; complete when all data were pulled. */
  readonly operations: (() => string)[];
  /** The coordinate system of the last reprojection. */
  to?: Crs;
  /** The whole input is read before the first byte is written. */
  readFirst?: boolean;
}

/** What a kind of data does for each transformation that it is offered. */
export type Steps<D> = {
  readonly [T in Transformation['type']]?: (
    data: D,
    step: Extract<Transformation, { type: T }>,
    shared: StepContext,
  ) => D | Promise<D>;
};

/** Counts data while they are pulled. */
export interface Tally<D> {
  /** Cells of a grid, features of a layer. */
  readonly records: number;
  /** The same data, counted; `passed` is told the share of them that was pulled, as far as that is known. */
  watch(data: D, signal: AbortSignal, passed: (fraction: number) => void): D;
  result(data: D): Statistics;
}

/** A request for one conversion, as a kind sees it. */
export interface Work {
  readonly steps: readonly Transformation[];
  /** What the request says of the input's coordinate system. */
  readonly srid: string | undefined;
  /** Name of the input file without its extension. */
  readonly stem: string;
}

/** What an append needs. */
export interface AppendWork {
  readonly present: Present;
  readonly writer: Writer;
  readonly steps: readonly Transformation[];
  write(data: Data): Promise<void>;
}

/** Takes the place of a writer's `write` where the input is added to what a dataset holds. */
export interface AppendSession {
  /** For the way of the input to `write`: its progress is only a part. */
  context: Context;
  write(added: Data): Promise<void>;
  /** Figures of the whole in place of those of the input alone. */
  told(passed: Passed): Promise<Passed & { appended: AppendedCounts }>;
}

/** What a kind of data that transformations apply to tells the pipeline (`pipeline.ts`). */
export interface Pulled<D> {
  readonly steps: Steps<D>;
  /** Progress follows what is read (an output whose size is not known beforehand) or what is written. */
  readonly progress: 'input' | 'output';
  /** @param whole with all figures that CalculateStatistics asks for, not only those of a receipt */
  tally(data: D, whole: boolean): Tally<D>;
  /** Both pull the same values, so that they need not be counted twice. */
  pullsSame(one: D, other: D): boolean;
  place(data: D, statistics: Statistics, context: Context): Promise<SpatialInformation | undefined>;
}

/** All that a conversion must know of a kind of data. */
export interface KindHandler<D extends Data = Data> {
  /** Absent: the kind has no transformations, and those of a request are ignored. */
  readonly steps?: Steps<D>;
  /** Leads data through their transformations to the writer. */
  pass(data: D, work: Work, write: (data: Data) => Promise<void>, context: Context): Promise<Passed>;
  /** Opens what a dataset holds, so that data of this kind can be added to it. Absent: the kind cannot be appended. */
  append?(work: AppendWork, context: Context): Promise<AppendSession>;
  /** Completes `inspection` with what the data hold; gives a picture (PNG) where one is asked for and can be drawn. */
  inspect?(data: D, inspection: Inspection, options: InspectKind): Promise<Uint8Array | undefined>;
}

export interface InspectKind {
  readonly picture: boolean;
  readonly signal: AbortSignal;
}
