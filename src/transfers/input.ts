import { AppError } from '../errors.ts';
import type { Sealer } from '../sealing.ts';
import { inWords } from '../time.ts';
import type { RemoteLimits } from './remote.ts';
import { fetchRemote } from './remote.ts';
import type { Report } from './report.ts';
import type { ClaimedRow } from './run.queries.ts';
import type { RunParts } from './run.ts';
import { openSource } from './sources.ts';

/** Of the progress of a transfer, what fetching a remote file stands for. */
const FETCHING = 0.3;
/** A longer one would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What a worker needs to fetch remote files. */
export interface RemoteSources extends RemoteLimits {
  sealer: Sealer;
}

/**
 * Brings what a transfer reads to a local file. Gives the share of the progress that this was.
 * @param time milliseconds that are left to the transfer
 */
export async function fetchInput(
  { blobs, sources, timeLimit }: Pick<RunParts, 'blobs' | 'sources' | 'timeLimit'>,
  { inputBlob, sourceId, sealedSource }: ClaimedRow,
  path: string,
  { report, signal, time }: { report: Report; signal: AbortSignal; time: number },
): Promise<number> {
  // not AbortSignal.timeout, whose clock goes on for hours after a short transfer
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), Math.min(time, LONGEST_TIMER_MS));
  const stop = AbortSignal.any([signal, limit.signal]);
  let what = 'The input';
  try {
    if (inputBlob !== undefined) {
      await blobs.fetch(inputBlob, path, stop);
      return 0;
    }
    if (sourceId === undefined || sealedSource === undefined)
      throw new AppError('gone', 'The input of this transfer is no longer there.');
    const source = await openSource(sources.sealer, sourceId, sealedSource);
    what = `The file at ${source.host}`;
    report.progress(0, 'Fetching');
    await fetchRemote(source, path, sources, {
      progress: (fraction) => report.progress(fraction * FETCHING, 'Fetching'),
      log: report.log,
      signal: stop,
    });
    return FETCHING;
  } catch (error) {
    if (signal.aborted || !limit.signal.aborted) throw error;
    const sentence = `${what} could not be fetched within the time limit of ${inWords(timeLimit)}.`;
    throw new AppError('unprocessable', sentence);
  } finally {
    clearTimeout(timer);
  }
}
