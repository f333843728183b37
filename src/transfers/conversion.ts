import type { ConversionHooks, ConversionRequest, ConversionResult } from '../formats/conversion.ts';

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

/** The process of a conversion died, or failed for no reason that it could name, without the worker's doing. */
export class ChildDied extends Error {
  override readonly name = 'ChildDied';
}
