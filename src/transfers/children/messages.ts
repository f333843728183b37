import type {
  ConversionRequest,
  ConversionResult,
  Inspection,
  InspectOptions,
  LogLevel,
  StartInspection,
} from 'hydrofiles';
import type { ThumbnailOptions } from 'hydrofiles/pictures';
import type { OverviewRequest } from 'hydrofiles/preview';

/** A file to describe, or with the `size` of the whole file its start. Sent as JSON. */
export type InspectRequest = Omit<InspectOptions, 'signal' | 'picture'> & { size?: number };

/** A file of which to draw a thumbnail. Sent as JSON. */
export type ThumbnailRequest = Omit<ThumbnailOptions, 'signal'>;

/** Pictures of a file in base64; absent: it cannot be drawn. */
export interface Drawn {
  pictures?: readonly string[];
}

/** Whether there is an overview of a file. */
export interface OverviewResult {
  written: boolean;
}

/** Of a file, or of its start. */
export type AnyInspection = Inspection | StartInspection;

/** To the child: a conversion, an inspection, a drawing or an overview, one at a time. */
export type RequestMessage =
  | { request: ConversionRequest }
  | { inspect: InspectRequest }
  | { thumbnail: ThumbnailRequest }
  | { overview: OverviewRequest };

/** What the child has made of it. */
export type Result = ConversionResult | AnyInspection | Drawn | OverviewResult;

/**
 * From the child. A failure is `invalid` (bad file or request; its message is for the user), `outage` (an error of the
 * machine, such as a full disk), or `bug` (anything else). After the last two the child is not used again.
 */
export type Report =
  | { is: 'ready' }
  | { is: 'progress'; fraction: number; phase: string }
  | { is: 'log'; level: LogLevel; message: string }
  | { is: 'done'; result: Result }
  | { is: 'failed'; why: 'invalid' | 'outage' | 'bug'; message: string };
