import { join } from 'node:path';
import type { ByteSource } from '../../data/bytes.ts';
import { strideOf } from '../../data/dimensions.ts';
import type { FeatureCollection } from '../../data/feature-collection.ts';
import { type FeatureStatistics, FeatureTally, watchedFeatures } from '../../data/feature-statistics.ts';
import { ConversionError, NEEDS_STORE } from '../../errors.ts';
import { gisReader, gisWriter } from '../../formats/flatgeobuf/format.ts';
import { FileSink, FileSource } from '../../formats/io/bytes.ts';
import { type Header, readHeader } from '../../formats/io/flatgeobuf/header-reader.ts';
import type { ReadInput } from '../open-input.ts';

/** Features of a FlatGeobuf whose values are read for their ranges; of one with more, only the header is. */
const MOST_RANGED = 100_000;

/** Features in a FlatGeobuf with a spatial index. */
export interface IndexedFeatures {
  readonly source: ByteSource;
  readonly header: Header;
  /** Statistics of all features and fields. Absent for many features. */
  readonly statistics?: FeatureStatistics;
}

/**
 * The input if it is a FlatGeobuf with an index; else one in the folder of the preview.
 * @throws ConversionError with the code `NEEDS_STORE` for more features than the input allows
 */
export async function indexFeatures(
  data: FeatureCollection,
  { reader, source, context, mostIndexed = Number.POSITIVE_INFINITY }: ReadInput,
): Promise<IndexedFeatures> {
  if (reader.name === gisReader.name) {
    const header = await readHeader(source);
    if (header.index !== undefined) {
      const isShort = header.count <= MOST_RANGED;
      return { source, header, ...(isShort && { statistics: await scanFeatures(data, context.signal) }) };
    }
  }
  const tally = new FeatureTally(data.fields);
  const path = join(context.scratch, 'features.fgb');
  const check = (features: number) => {
    if (features <= mostIndexed) return;
    throw new ConversionError(`There are more than ${mostIndexed} features.`, NEEDS_STORE);
  };
  check(data.count ?? 0);
  {
    await using sink = await FileSink.create(path, { checksum: false });
    await gisWriter.write(watchedFeatures(data, tally, context.signal, check), {}, sink, context);
    await sink.flush();
  }
  const written = await FileSource.open(path, { checksum: false });
  context.onEnd(() => written.close());
  return { source: written, header: await readHeader(written), statistics: tally.result() };
}

/** Statistics of the features and their fields; of the first ones, if there are many. */
export async function scanFeatures(data: FeatureCollection, signal: AbortSignal): Promise<FeatureStatistics> {
  const tally = new FeatureTally(data.fields);
  for await (const chunk of data.chunks()) {
    signal.throwIfAborted();
    tally.add(chunk, strideOf(data), data.hasZ);
    if (tally.features >= MOST_RANGED) break;
  }
  return tally.result();
}
