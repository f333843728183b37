import type { ConversionHooks, ConversionRequest, ConversionResult } from 'hydrofiles';
import type { ThumbnailOptions } from 'hydrofiles/pictures';
import type { OverviewRequest } from 'hydrofiles/preview';
import { AppError } from '../../errors.ts';
import { formatDuration } from '../../platform/text/time.ts';
import type { AnyInspection, InspectRequest } from '../children/messages.ts';

export interface ConversionLimits {
  memoryMb: number;
  /** Maximum size of the conversion's scratch folder. */
  scratchGb: number;
  /** Milliseconds from now. */
  time: number;
  /** The whole time limit in milliseconds, for the error message. */
  timeLimit: number;
  /** Maximum price, if it limits the run time. */
  maxCredits?: number | undefined;
}

/**
 * Converts local files in a child process, within limits.
 * Throws `AppError` or `FormatError` with a sentence for the transfer, `ChildDied`, the signal's reason, or an error of
 * the machine.
 */
export type Convert = (
  request: ConversionRequest,
  limits: ConversionLimits,
  hooks: ConversionHooks,
) => Promise<ConversionResult>;

/** Describes a local file in a child process, within limits. Throws as `Convert` does. */
export type Inspect = (
  request: InspectRequest,
  limits: ConversionLimits,
  signal: AbortSignal,
) => Promise<AnyInspection>;
/**
 * Draws a thumbnail of a local file in a child process, within limits. Undefined: the content cannot be drawn. Throws
 * like `Convert`.
 */
export type Draw = (
  file: Omit<ThumbnailOptions, 'signal'>,
  limits: ConversionLimits,
  signal: AbortSignal,
) => Promise<Uint8Array[] | undefined>;

/**
 * Writes the overview of a local file in a child process, within limits. Resolves to whether there is one. Throws like
 * `Convert`.
 */
export type MakeOverview = (
  request: OverviewRequest,
  limits: ConversionLimits,
  hooks: ConversionHooks,
) => Promise<boolean>;

/** What a child process does with a file, for messages. */
export type Work = 'conversion' | 'inspection' | 'drawing' | 'overview';

export const timeExceeded = (limit: number, maxCredits?: number, work: Work = 'conversion') =>
  maxCredits === undefined
    ? `The ${work} took longer than its time limit of ${formatDuration(limit)}.`
    : creditsExceeded(maxCredits);

/** Message of a transfer whose time limit came from its credits. */
export const creditsExceeded = (maxCredits: number) =>
  `The transfer would have cost more than its maxCredits of ${maxCredits}.`;

/** @param limitGb maximum size of the folder of a transfer */
export const scratchExceeded = (limitGb: number, work: Work = 'conversion') =>
  new AppError('unprocessable', `The ${work} needed more than its ${limitGb} GB of scratch space.`);

/** The child process of a conversion died, or failed without a reason, and the worker did not kill it. */
export class ChildDied extends Error {
  override readonly name = 'ChildDied';
}
