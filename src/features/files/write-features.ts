import type { Feature, FeatureCollection } from 'hydrofiles/data';
import type { TaskContext } from 'hydrofiles/threads';
import { type WriteAnswer, writeData } from '../../datasets/files/write-data.ts';
import { AppError } from '../../errors.ts';
import { placedIn } from '../placed.ts';
import { type FeatureQuery, Renderer } from '../renderer.ts';

/** Features that a file may have, and bytes of them in the store. */
export const [MOST_FEATURES, MOST_BYTES] = [100_000, 64 * 2 ** 20];

/** A file to write of the features that match a query. */
export interface FeatureFile {
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

type Context = TaskContext<Question, StoredFeatures | undefined>;

/** What to do instead, for those who ask for too much. */
const INSTEAD = 'Select fewer with bbox, filter or limit, or use POST /api/conversion/download-convert.';

async function* matches(renderer: Renderer, { skip, limit }: FeatureFile, context: Context): AsyncGenerator<Feature[]> {
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

export const write: WriteAnswer<FeatureFile> = async (file, target, context) => {
  const { query, name } = file;
  const renderer = await Renderer.create(query);
  try {
    const crs = query.output?.crs ?? query.stored;
    const data: FeatureCollection = {
      kind: 'features',
      name,
      ...(crs === undefined ? {} : { crs }),
      fields: renderer.fields,
      hasZ: query.header.hasZ,
      hasM: query.header.hasM,
      chunks: () => matches(renderer, file, context as Context),
    };
    return await writeData(data, target, context);
  } finally {
    renderer.close();
  }
};
