import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { packBlocks } from 'hydrofiles/bytes';
import { FormatError } from 'hydrofiles/errors';
import { downloadName } from '../datasets/download-name.ts';
import { AppError } from '../errors.ts';
import { DEFAULT_MEMORY_MB } from '../transfers/queue/resource-request.ts';
import { ChildDied, scratchExceeded } from '../transfers/run/conversion.ts';
import type { Executor } from '../transfers/run/executor.ts';
import { ContentDamaged } from '../transfers/store/content-damaged.ts';
import { readerOf } from './content.ts';
import {
  beginStore,
  claimDigest,
  deleteOldest,
  failStore,
  finishStore,
  isEqualBeingMade,
  type Made,
  putOffStore,
  type StoreFormat,
  type StoreRun,
  type StoreSubject,
  uncountRun,
} from './previews.queries.ts';
import { RunWatch } from './run-watch.ts';

/** The writers of stores by the kind of the data. */
const STORES: Readonly<Record<string, { writer: string; format: StoreFormat }>> = {
  grid: { writer: 'MDWriter', format: 'md' },
  mesh: { writer: 'MDWriter', format: 'md' },
  array: { writer: 'MDWriter', format: 'md' },
  features: { writer: 'GISWriter', format: 'gis' },
  series: { writer: 'TSWriter', format: 'ts' },
};
const GB = 2 ** 30;
/** A store has at most so many times the bytes of its content, or these. */
const [MOST_TIMES, SMALL_BYTES] = [2, 2 ** 20];
/** Runs that ended with their process: one more would, too. */
const MOST_ATTEMPTS = 5;

/** How often an overview that is too large is made with a quarter of the cells. */
const MOST_TRIES = 3;

type Parts = Pick<
  Executor,
  'db' | 'blobs' | 'convert' | 'inspect' | 'writeOverview' | 'scratch' | 'scratchGb' | 'timeLimit'
> & {
  /** Setting `preview.overviewCells`. */
  readonly overviewCells: number;
  /** Bytes that all stores may have. */
  readonly mostBytes: number;
};

/**
 * Makes the store of a content that cannot be drawn as it is stored, and the overview of a large grid, with the limits
 * of a conversion. It may run twice; only the last run writes. Equal contents share them. A content that cannot be
 * converted fails with the sentence of the reader.
 */
export async function makeStore(parts: Parts, blob: string, signal: AbortSignal): Promise<void> {
  const { db, scratch } = parts;
  const subject = await db.transaction((tx) => beginStore(tx, blob));
  if (subject === null) return;
  const run = { blob, attempt: subject.attempt };
  const fail = (reason: string) => db.transaction((tx) => failStore(tx, run, reason));
  if (subject.attempt > MOST_ATTEMPTS) {
    await fail(`The preview was begun ${MOST_ATTEMPTS} times, and each time its worker ended before it was made.`);
    return;
  }
  const folder = join(scratch, `preview-${randomUUID()}`);
  await mkdir(folder, { mode: 0o700 });
  const watch = new RunWatch(parts, run);
  const stop = AbortSignal.any([signal, watch.outdated]);
  try {
    await convertAndStore(parts, { run, subject, folder, watch }, stop);
  } catch (error) {
    if (!signal.aborted && watch.outdated.aborted) return;
    if (signal.aborted || !isHopeless(error)) {
      // without it the run counts as one that ended with its process
      await db.transaction((tx) => uncountRun(tx, run)).catch(() => undefined);
      throw signal.aborted ? signal.reason : error;
    }
    await fail(reasonOf(error as Error));
  } finally {
    watch.end();
    await rm(folder, { recursive: true, force: true });
  }
}

function reasonOf(error: Error): string {
  if (error instanceof ChildDied) return 'The process that read the content has died.';
  // its message names the dataset, also to the holders of links
  return error instanceof ContentDamaged ? error.unnamed().message : error.message;
}

interface Making {
  readonly run: StoreRun;
  readonly subject: StoreSubject;
  readonly folder: string;
  readonly watch: RunWatch;
}

async function convertAndStore(parts: Parts, making: Making, signal: AbortSignal): Promise<void> {
  const { db, blobs } = parts;
  const { run, subject, folder } = making;
  const putOff = () =>
    db.transaction(async (tx) => {
      await uncountRun(tx, run);
      await putOffStore(tx, run.blob);
    });
  // before a fetch that would be in vain
  if (await isEqualBeingMade(db, run)) return putOff();
  const input = join(folder, 'input');
  if (subject.storageSize > parts.scratchGb * GB) throw scratchExceeded(parts.scratchGb);
  await blobs.fetch(run.blob, input, signal);
  const read = [subject.datasetFormat, ...(subject.needs === 'store' ? [] : [subject.needs])];
  const digest = await digestOf(input, JSON.stringify(read), signal);
  const claimed = await db.transaction((tx) => claimDigest(tx, run, digest));
  if (claimed === 'elsewhere') return putOff();
  if (claimed !== 'own') return;
  const most = Math.min(Math.max(SMALL_BYTES, MOST_TIMES * subject.storageSize), parts.mostBytes);
  const store = subject.needs === 'store' ? await convertTo(parts, making, most, signal) : undefined;
  const overview =
    store === undefined
      ? await overviewOf(parts, making, { path: input, kind: 'file', most }, signal)
      : store.format === 'md'
        ? await tryOverview(parts, making, { path: store.path, kind: 'store', most: most - store.size }, signal)
        : undefined;
  const made: Made = {
    ...(store && { store: { ...(await keep(blobs, store, signal)), format: store.format } }),
    ...(overview && { overview: await keep(blobs, overview, signal) }),
  };
  if (await db.transaction((tx) => finishStore(tx, run, made))) {
    // at once: between two clean-ups many stores may be made
    await db.transaction((tx) => deleteOldest(tx, parts.mostBytes));
    return;
  }
  for (const one of [made.store, made.overview]) if (one !== undefined) await blobs.remove(one.name);
}

/** A local file that was made. */
interface MadeFile {
  readonly path: string;
  readonly size: number;
}

/** Stores a file under a name of its own, so that a run that was overtaken never overwrites another one's. */
async function keep(blobs: Parts['blobs'], { path, size }: MadeFile, signal: AbortSignal) {
  const name = `dataset/preview-${randomUUID()}`;
  await blobs.adopt(path, name, signal);
  return { name, size };
}

const limitsOf = ({ scratchGb, timeLimit }: Parts) => ({
  memoryMb: DEFAULT_MEMORY_MB,
  scratchGb,
  time: timeLimit,
  timeLimit,
});

/** @throws AppError `unprocessable` if the content is of no kind that has a store, or the store has too many bytes */
async function convertTo(
  parts: Parts,
  { subject, folder, watch }: Making,
  most: number,
  signal: AbortSignal,
): Promise<MadeFile & { readonly format: StoreFormat }> {
  const [input, output] = [join(folder, 'input'), join(folder, 'output')];
  const name = downloadName(subject);
  const limits = limitsOf(parts);
  const inspection = await parts.inspect(
    {
      path: input,
      name,
      scratch: folder,
      reader: { name: readerOf(subject.datasetFormat) },
      statistics: false,
    },
    limits,
    signal,
  );
  const { kind = 'bytes' } = inspection;
  const store = STORES[kind];
  if (store === undefined)
    throw new AppError('unprocessable', `There is no preview: the content is ${inspection.looksLike ?? 'not known'}.`);
  await parts.convert(
    {
      input: { path: input, name },
      output: { path: output },
      scratch: folder,
      reader: { name: inspection.reader! },
      writer: { name: store.writer },
      threads: 1,
      onBadRecord: 'skip',
      badRecords: { path: join(folder, 'bad-records') },
    },
    limits,
    { signal, progress: (fraction) => watch.note(fraction), log() {} },
  );
  let path = output;
  if (store.format === 'gis') {
    // rows of text are short beside a FlatGeobuf and its index
    path = join(folder, 'packed');
    await packBlocks(output, path, signal);
    await rm(output);
  }
  const { size } = await stat(path);
  if (size > most)
    throw new AppError(
      'unprocessable',
      `A store for the preview would have ${size} bytes, more than the ${most} that it may have.`,
    );
  return { path, size, format: store.format };
}

interface Source {
  readonly path: string;
  readonly kind: 'file' | 'store';
  /** Bytes of the overview at most. */
  readonly most: number;
}

/**
 * The overview of a grid, coarser if it would have too many bytes.
 * @throws AppError `unprocessable` if there is none
 */
async function overviewOf(
  parts: Parts,
  { subject, folder, watch }: Making,
  { path, kind, most }: Source,
  signal: AbortSignal,
): Promise<MadeFile> {
  const output = join(folder, 'overview');
  const reader = kind === 'store' ? 'MDReader' : readerOf(subject.datasetFormat);
  const input = { path, kind, name: downloadName(subject), ...(reader !== undefined && { reader }) };
  let size = 0;
  for (let n = 0; n < MOST_TRIES; n++) {
    const mostCells = Math.max(1, Math.floor(parts.overviewCells / 4 ** n));
    const written = await parts.writeOverview(
      { input, output: { path: output }, scratch: folder, mostCells },
      limitsOf(parts),
      { signal, progress: (fraction) => watch.note(fraction), log() {} },
    );
    if (!written)
      throw new AppError(
        'unprocessable',
        `The content is no grid of more than ${mostCells} cells, so it has no overview.`,
      );
    size = (await stat(output)).size;
    if (size <= most) return { path: output, size };
  }
  throw new AppError('unprocessable', `An overview would have ${size} bytes, more than the ${most} that it may have.`);
}

/** The overview of a store that can be drawn without one. */
async function tryOverview(
  parts: Parts,
  making: Making,
  source: Source,
  signal: AbortSignal,
): Promise<MadeFile | undefined> {
  try {
    return await overviewOf(parts, making, source, signal);
  } catch (error) {
    if (isHopeless(error)) return undefined;
    throw error;
  }
}

/** Whether one more run would end the same way. */
const isHopeless = (error: unknown): boolean =>
  [AppError, FormatError, ChildDied].some((kind) => error instanceof kind) &&
  !(error instanceof AppError && error.kind === 'unavailable');

/** SHA-256 of a file and of how it is read. */
async function digestOf(path: string, format: string, signal: AbortSignal): Promise<Buffer> {
  const hash = createHash('sha256').update(`${format}\n`);
  await pipeline(createReadStream(path), hash, { signal });
  return hash.digest();
}
