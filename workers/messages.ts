import type { ConversionRequest, ConversionResult } from '../src/convert/conversion.ts';
import type { LogLevel } from '../src/formats/define.ts';

/** Worker → child: do this. One at a time. */
export interface Order {
  request: ConversionRequest;
}

/**
 * Child → worker. `hopeless` carries a sentence for the transfer; `outage` is what befell the machine (a full disk); `bug` is anything
 * else. After the last two the child is not used again.
 */
export type Report =
  | { is: 'ready' }
  | { is: 'progress'; fraction: number; phase: string }
  | { is: 'log'; level: LogLevel; message: string }
  | { is: 'done'; result: ConversionResult }
  | { is: 'failed'; why: 'hopeless' | 'outage' | 'bug'; message: string };
