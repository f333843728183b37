import type { Series, SeriesChunk } from '../data/series.ts';

/** Bytes of values that stay in memory. */
const MOST_BYTES = 64 << 20;

/** Buffers of values may be used again by whoever has read them. */
const copyOf = ({ firstStep, offsets, values }: SeriesChunk): SeriesChunk => ({
  firstStep,
  offsets: offsets.slice(),
  values: values.map((column) => column.slice()),
});

const bytesOf = ({ offsets, values }: SeriesChunk): number =>
  values.reduce((sum, column) => sum + column.byteLength, offsets.byteLength);

/**
 * The same series. After all values were read once they stay in memory, if they are few: texts are parsed only once.
 */
export function keptSeries(series: Series): Series {
  let kept: readonly SeriesChunk[] | undefined;
  return {
    ...series,
    async *chunks() {
      if (kept !== undefined) {
        for (const chunk of kept) yield copyOf(chunk);
        return;
      }
      const read: SeriesChunk[] = [];
      let bytes = 0;
      for await (const chunk of series.chunks()) {
        bytes += bytesOf(chunk);
        if (bytes <= MOST_BYTES) read.push(copyOf(chunk));
        else read.length = 0;
        yield chunk;
      }
      if (bytes <= MOST_BYTES) kept = read;
    },
  };
}
