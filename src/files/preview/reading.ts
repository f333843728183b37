import type { ByteSource } from '../data/bytes.ts';
import { readerOf } from './open-input.ts';
import type { PreviewInput } from './preview.ts';

/** How the content of a preview can be read. Plain JSON. */
export interface Reading {
  /** Parts of the values are read without most of the rest. */
  readonly parts: boolean;
  /** About how many seconds it takes to read all of it. Absent: few. */
  readonly seconds?: number;
}

/**
 * Tells from the beginning of a content how it can be read.
 * @throws FormatError for malformed content, ConversionError for content that no reader reads
 */
export async function readingOf(source: ByteSource, { reader: name }: Pick<PreviewInput, 'reader'>): Promise<Reading> {
  const reader = await readerOf(source, name);
  const { megabytesPerSecond } = reader;
  return {
    parts: (await reader.readsParts?.(source)) ?? false,
    ...(megabytesPerSecond && { seconds: source.size / (megabytesPerSecond * 1e6) }),
  };
}
