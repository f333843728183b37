import { AppError } from '../errors.ts';
import type { ClaimedRow } from './run.queries.ts';
import type { RunParts } from './run.ts';

/** Brings what a transfer reads to a local file. */
export async function fetchInput(
  { blobs }: Pick<RunParts, 'blobs'>,
  { inputBlob }: ClaimedRow,
  path: string,
): Promise<void> {
  if (inputBlob === undefined) throw new AppError('gone', 'The input of this transfer is no longer there.');
  await blobs.fetch(inputBlob, path);
}
