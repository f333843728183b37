import type { ConversionHooks, ConversionRequest, ConversionResult } from '../../convert/conversion.ts';
import { AppError } from '../../errors.ts';
import { inWords } from '../../platform/text/time.ts';

export interface ConversionLimits {
  memoryMb: number;
  /** What may lie in its folder. */
  scratchGb: number;
  /** Milliseconds from now. */
  time: number;
  /** What the whole time was, for the sentence. */
  timeLimit: number;
}

/**
 * How a worker converts: apart from itself, within limits.
 * Throws `AppError` or `FormatError` with a sentence for the transfer, `ChildDied`, the signal's reason, or what befell the worker's machine.
 */
export type Convert = (
  request: ConversionRequest,
  limits: ConversionLimits,
  hooks: ConversionHooks,
) => Promise<ConversionResult>;

export const timeExceeded = (limit: number) => `The conversion took longer than its time limit of ${inWords(limit)}.`;

/** @param limitGb what may lie in the folder of a transfer */
export const scratchExceeded = (limitGb: number) =>
  new AppError('unprocessable', `The conversion needed more than its ${limitGb} GB of scratch space.`);

/** The process of a conversion died, or failed for no reason that it could name, without the worker's doing. */
export class ChildDied extends Error {
  override readonly name = 'ChildDied';
}
