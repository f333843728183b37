import { completeParameters, findWriter } from 'hydrofiles';
import { FileSink } from 'hydrofiles/bytes';
import type { Feature, FeatureCollection } from 'hydrofiles/data';
import { ConversionError } from 'hydrofiles/errors';
import { answerTasks, type TaskContext } from 'hydrofiles/threads';
import { AppError, asAppError } from '../../errors.ts';
import { placedIn } from '../placed.ts';
import { type FeatureQuery, Renderer } from '../renderer.ts';

/** Features that a file may have, and bytes of them in the store. */
export const [MOST_FEATURES, MOST_BYTES] = [100_000, 64 * 2 ** 20];

/** A file to write of the features that match a query. */
export interface FileTask {
  /** Name of the writer. */
  readonly writer: string;
  readonly path: string;
  /** Folder for temporary files. */
  readonly scratch: string;
  /** Of the layer. */
  readonly name: string;
  readonly query: FeatureQuery;
  /** Matches to pass over, and to write at most. */
  readonly skip: number;
  readonly limit: number | undefined;
}

/** The thread asks for the first features of the store, or the next ones; undefined: there are no more. */
export type Question = 'first' | 'next';

/** A part of the features of the store. */
export interface StoredFeatures {
  readonly bytes: Uint8Array;
  /** Offset of the bytes in the file. */
  readonly offset: number;
  /** Number, position in the bytes, size and offset in the file of each feature. */
  readonly features: Float64Array;
}

export interface WrittenFile {
  /** Sentences about what the file does not have of the features. */
  readonly lost: readonly string[];
}

type Context = TaskContext<Question, StoredFeatures | undefined>;

/** What to do instead, for those who ask for too much. */
const INSTEAD = 'Select fewer with bbox, filter or limit, or use POST /api/conversion/download-convert.';

async function* matches(renderer: Renderer, { skip, limit }: FileTask, context: Context): AsyncGenerator<Feature[]> {
  const isWhole = limit === undefined || limit > MOST_FEATURES;
  let [toPass, left, size] = [skip, isWhole ? MOST_FEATURES : limit, 0];
  for (let block = await context.ask('first'); block !== undefined; block = await context.ask('next')) {
    context.throwIfAborted();
    const { offset, features } = block;
    const bytes = Buffer.from(block.bytes.buffer, block.bytes.byteOffset, block.bytes.length);
    const found = renderer.select({ bytes, offset, features: placedIn(features) }, { skip: toPass, limit: left });
    toPass -= found.passed;
    const [wrong] = found.skipped;
    if (wrong !== undefined)
      throw new AppError('unprocessable', `Feature ${wrong.number} cannot be written: ${wrong.reason}`);
    left -= found.features.length;
    size += found.bytes;
    if (size > MOST_BYTES)
      throw new AppError('tooLarge', `The features have more than ${MOST_BYTES} bytes. ${INSTEAD}`);
    yield found.features;
    if (found.beyond === undefined) continue;
    if (isWhole) throw new AppError('tooLarge', `More than ${MOST_FEATURES} features match. ${INSTEAD}`);
    return;
  }
}

async function writeFeatures(task: FileTask, context: Context): Promise<WrittenFile> {
  await using open = new AsyncDisposableStack();
  const { query, name, scratch } = task;
  const renderer = await Renderer.create(query);
  open.defer(() => renderer.close());
  const crs = query.output?.crs ?? query.stored;
  const data: FeatureCollection = {
    kind: 'features',
    name,
    ...(crs === undefined ? {} : { crs }),
    fields: renderer.fields,
    hasZ: query.header.hasZ,
    hasM: query.header.hasM,
    chunks: () => matches(renderer, task, context),
  };
  const lost = new Set<string>();
  const writer = findWriter(task.writer)!;
  const sink = open.use(await FileSink.create(task.path, { checksum: false }));
  await writer.write(data, completeParameters(writer, {}), sink, {
    signal: new AbortController().signal,
    scratch,
    log() {},
    progress: () => context.throwIfAborted(),
    reportLoss: (sentence) => void lost.add(sentence),
    remark() {},
    reportBadRecord({ reason }) {
      throw reason;
    },
    onEnd: (close) => open.defer(close),
  });
  await sink.flush();
  return { lost: [...lost] };
}

answerTasks((task: FileTask, context: Context) =>
  writeFeatures(task, context).catch((error: unknown) => {
    throw error instanceof ConversionError ? asAppError(error) : error;
  }),
);
