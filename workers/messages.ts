import type { ConversionRequest, ConversionResult, LogLevel } from 'hydrofiles';

/** Worker → child: a request, one at a time. */
export interface RequestMessage {
  request: ConversionRequest;
}

/**
 * Child → worker. A failure is `invalid` (bad file or request; its message is for the user), `outage` (an error of the
 * machine, such as a full disk), or `bug` (anything else). After the last two the child is not used again.
 */
export type Report =
  | { is: 'ready' }
  | { is: 'progress'; fraction: number; phase: string }
  | { is: 'log'; level: LogLevel; message: string }
  | { is: 'done'; result: ConversionResult }
  | { is: 'failed'; why: 'invalid' | 'outage' | 'bug'; message: string };
