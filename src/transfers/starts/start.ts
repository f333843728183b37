import type { BlobSources } from '../../blobs/blob-source.ts';
import type { Db } from '../../db.ts';
import { invalidMember } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import type { NodeSize } from '../../platform/settings/settings.ts';
import { decodedOnce, parseOwnAddress } from '../../uploads/address.ts';
import { nameStagedBlob } from '../../uploads/staged.ts';
import type { Summary } from '../queries.ts';
import { resourcesOf } from '../queue/resources.ts';
import type { Sources } from '../sources/sources.ts';
import { keepSource, shownAddress } from '../sources/sources.ts';
import { whyNobody } from '../views/why.ts';
import type { Beginning } from './begin.ts';
import { begin } from './begin.ts';
import type { CheckedConversion, ConversionWish } from './check.ts';
import { contentWarning, storedInput } from './content-warning.ts';
import type { AcceptedRequest } from './request.ts';

/** What is said of a dataset that is to be made. */
export interface DatasetData {
  name: string;
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  properties?: Record<string, unknown> | undefined;
}

export interface UploadedFile {
  originalFileName: string;
  /** One of our upload places, or the address of a remote file. */
  uploadUrl: string;
}

/** What a start of a transfer needs. */
export interface StartParts {
  db: Db;
  sources: Sources;
  /** Stored content, which a dry run looks into. */
  contents: BlobSources;
  /** Machine types that a request may name. */
  nodeSizes: readonly NodeSize[];
}

/** What a start says when it only tries. */
export interface DryRun {
  valid: true;
  warnings: string[];
}

/** What a start makes of its wish. */
export interface Planned extends Omit<Beginning, 'format' | 'memoryMb' | 'cores' | 'flags'> {
  /** Size of what is read; absent where nobody knows it yet. */
  inputBytes?: number;
  /** Size of the dataset that is added to. */
  presentBytes?: number;
}

/** Of a dry run: what would be refused, or would wait, if it were started now. */
export type Warn = (sentence: string) => void;

/** One transaction: what it names, its row, its place in the queue, its event. */
export async function start(
  { db, contents }: Pick<StartParts, 'db' | 'contents'>,
  caller: Caller,
  wish: ConversionWish,
  { reader, writer, warnings }: CheckedConversion,
  dryRun: boolean,
  plan: (tx: Db, warn: Warn | undefined) => Promise<Planned>,
): Promise<Summary | DryRun> {
  let input: string | undefined;
  const started = await tried(db, dryRun, warnings, async (tx) => {
    const warn = dryRun ? (sentence: string) => void warnings.push(sentence) : undefined;
    const { inputBytes, presentBytes, ...planned } = await plan(tx, warn);
    const resources = resourcesOf(wish, { inputBytes, presentBytes, copied: reader.produces === 'bytes' });
    if (warn) {
      const nobody = await whyNobody(tx, resources.flags);
      if (nobody !== undefined) warn(nobody);
      input = await storedInput(tx, planned);
    }
    return begin(tx, caller, { ...planned, ...resources, format: writer.format });
  });
  // no transaction waits for the store
  const warning = input === undefined ? undefined : await contentWarning(contents, input, reader);
  if (warning !== undefined) warnings.push(warning);
  return started;
}

/** A transaction that begins a transfer. A dry run does the same and takes it all back. */
export async function tried(
  db: Db,
  dryRun: boolean,
  warnings: string[],
  work: (tx: Db) => Promise<Summary>,
): Promise<Summary | DryRun> {
  class TakenBack extends Error {}
  try {
    return await db.transaction(async (tx) => {
      const summary = await work(tx);
      if (dryRun) throw new TakenBack();
      return summary;
    });
  } catch (error) {
    if (error instanceof TakenBack) return { valid: true, warnings };
    throw error;
  }
}

export const accepted = (
  wish: ConversionWish,
  { reader, writer, readerParameters, writerParameters, transformations }: CheckedConversion,
): Omit<AcceptedRequest, 'inputName'> => ({
  readerName: reader.name,
  writerName: writer.name,
  readerParameters,
  writerParameters,
  transformations: [...transformations],
  ...(wish.onBadRecord === undefined ? {} : { onBadRecord: wish.onBadRecord }),
  ...(wish.storageSizeGb === undefined ? {} : { storageSizeGb: wish.storageSizeGb }),
  ...(wish.requiredLabels === undefined ? {} : { requiredLabels: [...wish.requiredLabels] }),
  ...(wish.older === undefined ? {} : { older: wish.older }),
});

/**
 * What a transfer reads, for its row (`input`) and its `request`. An address whose path is that of an upload place is ours whatever its
 * host: nobody can read such a place over HTTP, neither ours nor that of another platform. Everything else is remote. Nobody has to
 * upload a large file only to try.
 */
export async function uploaded(
  tx: Db,
  caller: Caller,
  sources: Sources,
  { originalFileName: inputName, uploadUrl }: UploadedFile,
  warn: Warn | undefined,
): Promise<{
  input: { stagedBlob: string; inputBytes?: number } | { sourceId: string };
  request: { inputName: string; uploadUrl: string };
}> {
  if (parseOwnAddress(uploadUrl)?.area === 'staging') {
    const { name, size } = await nameStagedBlob(tx, caller, uploadUrl);
    if (size === undefined) {
      const nothing = `Nothing was uploaded to '${name}' yet.`;
      if (!warn) throw invalidMember('uploadUrl', nothing);
      warn(nothing);
    }
    return {
      input: { stagedBlob: name, ...(size === undefined ? {} : { inputBytes: size }) },
      request: { inputName, uploadUrl: shownAddress(new URL(decodedOnce(uploadUrl))) },
    };
  }
  const { id, shown } = await keepSource(tx, sources, uploadUrl);
  return { input: { sourceId: id }, request: { inputName, uploadUrl: shown } };
}

export const datasetData = ({ name, description, metadata = {}, properties = {} }: DatasetData) => ({
  name,
  ...(description === undefined ? {} : { description }),
  metadata,
  properties,
});
