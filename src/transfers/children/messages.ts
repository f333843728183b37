import type {
  ConversionRequest,
  ConversionResult,
  Inspection,
  InspectOptions,
  LogLevel,
  StartInspection,
} from 'hydrofiles';

/** A file to describe, or with the `size` of the whole file its start. Sent as JSON. */
export type InspectRequest = Omit<InspectOptions, 'signal' | 'picture'> & { size?: number };

/** Of a file, or of its start. */
export type AnyInspection = Inspection | StartInspection;

/** To the child: a conversion or an inspection, one at a time. */
export type RequestMessage = { request: ConversionRequest } | { inspect: InspectRequest };

/**
 * From the child. A failure is `invalid` (bad file or request; its message is for the user), `outage` (an error of the
 * machine, such as a full disk), or `bug` (anything else). After the last two the child is not used again.
 */
export type Report =
  | { is: 'ready' }
  | { is: 'progress'; fraction: number; phase: string }
  | { is: 'log'; level: LogLevel; message: string }
  | { is: 'done'; result: ConversionResult | AnyInspection }
  | { is: 'failed'; why: 'invalid' | 'outage' | 'bug'; message: string };
