import { AppError } from '../../errors.ts';
import { formatDuration } from '../../platform/text/time.ts';
import { writeSeriesFile } from '../../series/to-file.ts';
import { fetchRemote, type ScratchRoom } from '../sources/remote.ts';
import { openSource } from '../sources/sources.ts';
import { creditsExceeded } from './conversion.ts';
import type { Executor } from './executor.ts';
import type { Report } from './report.ts';
import type { ClaimedRow } from './run.queries.ts';
import { inTime, type TimeLimit } from './time-limit.ts';

/** Share of the progress that fetching a remote file is. */
const FETCHING = 0.3;

/** Limits of a fetch. */
interface Bounds {
  report: Report;
  time: TimeLimit;
  room: ScratchRoom;
}

/** Fetches the input of a transfer to a local file. Gives the share of the progress that this was, from 0 to 1. */
export async function fetchInput(
  { blobs, db, sources }: Pick<Executor, 'blobs' | 'db' | 'sources'>,
  { inputBlob, inputSize = 0, inputDatasetId, sourceId, sealedSource, price }: ClaimedRow,
  path: string,
  { report, time, room }: Bounds,
): Promise<number> {
  let what = 'The input';
  const tooLong = () =>
    price?.maxCredits === undefined
      ? `${what} could not be fetched within the time limit of ${formatDuration(time.whole)}.`
      : creditsExceeded(price.maxCredits);
  return inTime(time, tooLong, async (stop) => {
    if (inputBlob !== undefined || inputDatasetId !== undefined) {
      if (inputSize > room.bytes) throw room.exceeded();
      if (inputBlob !== undefined) await blobs.fetch(inputBlob, path, stop);
      else if (!(await writeSeriesFile(db, inputDatasetId ?? '', path, { values: true, signal: stop }))) throw gone();
      return 0;
    }
    if (sourceId === undefined || sealedSource === undefined) throw gone();
    const source = await openSource(sources.sealer, sourceId, sealedSource);
    what = `The file at ${source.host}`;
    report.progress(0, 'Fetching');
    await fetchRemote(source, path, sources, {
      progress: (fraction) => report.progress(fraction * FETCHING, 'Fetching'),
      log: (level, message) => report.log(level, message),
      signal: stop,
      room,
    });
    return FETCHING;
  });
}

const gone = () => new AppError('gone', 'The input of this transfer no longer exists.');
