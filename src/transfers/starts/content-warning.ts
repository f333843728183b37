import { detect, type Reader } from 'hydrofiles';
import type { BlobSources } from '../../blobs/blob-source.ts';
import { findBytes } from '../../datasets/bytes.queries.ts';
import type { Transaction } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { findStaged } from '../../uploads/staged.queries.ts';

/** A dry run waits this long for the store. */
const PATIENCE_MS = 5000;
/** The API process reads at most this many bytes of the directory of an uploaded zip. */
const MAX_DIRECTORY_BYTES = 1 << 20;

/** Input of a transfer, as in its row. */
interface Input {
  stagedBlob?: string | undefined;
  inputDatasetId?: string | undefined;
}

/** Name of the stored bytes that a transfer would read; undefined: a remote file, or nothing was uploaded yet. */
export async function storedInput(tx: Transaction, { stagedBlob, inputDatasetId }: Input): Promise<string | undefined> {
  if (inputDatasetId !== undefined) return (await findBytes(tx, inputDatasetId))?.blob;
  return stagedBlob === undefined ? undefined : (await findStaged(tx, stagedBlob))?.blob;
}

/**
 * What a dry run says of stored content that its reader cannot read. Only signatures are looked at, by ranges of the
 * blob: parsing is for workers, which do it in a process of its own. A store that does not answer is a warning, because
 * a start would not need it either.
 */
export async function contentWarning(sources: BlobSources, blob: string, reader: Reader): Promise<string | undefined> {
  if (reader.produces === 'bytes') return undefined;
  try {
    const source = await sources.open(blob, { signal: AbortSignal.timeout(PATIENCE_MS) });
    try {
      if (source.size === 0) return `The input is empty, which ${reader.name} cannot read.`;
      const found = await detect(source, MAX_DIRECTORY_BYTES);
      if (found === undefined || [found.format, found.maybe].includes(reader.format)) return undefined;
      return `The input looks like ${found.name}, which ${reader.name} cannot read.`;
    } finally {
      await source.close();
    }
  } catch (error) {
    const why = error instanceof AppError ? error.message : 'The blob store did not answer.';
    return `The content of the input was not checked: ${why}`;
  }
}
