import { gzipSync } from 'node:zlib';
import { FeatureReader } from '../../formats/flatgeobuf/feature-reader.ts';
import { InvalidRecord } from '../../formats/flatgeobuf/flat-table.ts';
import type { SourceFeature } from '../../geo/tiles/vector-tile.ts';
import { GZIP, VectorTile } from '../../geo/tiles/vector-tile.ts';
import { answerJobs } from '../thread-jobs.ts';
import type { ElementContent, FeatureContent, VectorJob } from './vector-job.ts';
import { NUMBERS } from './vector-job.ts';

/** Numbers per vertex. */
const strideOf = (content: FeatureContent | ElementContent): number =>
  content.kind === 'features' ? 2 + Number(content.header.hasZ) + Number(content.header.hasM) : 2;

/** Reads the n-th feature or element of a job by its number, and where its bytes or coordinates begin and end. */
type Read = (n: number, number: number, from: number, to: number) => ReturnType<SourceFeature['read']>;

function sourceFeatures(numbers: Float64Array, read: Read): SourceFeature[] {
  return Array.from({ length: numbers.length / NUMBERS }, (_, n) => {
    const at = NUMBERS * n;
    return {
      side: numbers[at + 3]!,
      size: numbers[at + 4]!,
      gathered: numbers[at + 5] === 1,
      read: () => read(n, numbers[at]!, numbers[at + 1]!, numbers[at + 2]!),
    };
  });
}

function featureReader({ header, fields, bytes }: FeatureContent): Read {
  const reader = new FeatureReader(header);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return (_, number, from, to) => {
    try {
      const { id, geometry, values } = reader.read(buffer.subarray(from, to), from);
      if (geometry === undefined) return undefined;
      const own = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : number + 1;
      return { id: own, geometry, values: fields.map((field) => values[field]) };
    } catch (error) {
      // One broken feature does not hide the others.
      if (error instanceof InvalidRecord) return undefined;
      throw error;
    }
  };
}

const elementReader =
  ({ coordinates, values }: ElementContent): Read =>
  (n, id, from, to) => ({
    id,
    geometry: { type: 'Polygon', coordinates: coordinates.subarray(from, to) },
    values: values.map((column) => (Number.isNaN(column[n]!) ? undefined : column[n])),
  });

/** Draws one tile and answers with its gzipped bytes; undefined if nothing lies in it. */
answerJobs<VectorJob>(async ({ tile, crs, layer, numbers, content }, { throwIfCancelled }) => {
  throwIfCancelled();
  const drawn = await VectorTile.create(tile, crs, strideOf(content));
  try {
    const read = content.kind === 'features' ? featureReader(content) : elementReader(content);
    const bytes = drawn.draw(
      layer,
      sourceFeatures(numbers, (...which) => {
        throwIfCancelled();
        return read(...which);
      }),
    );
    return bytes === undefined ? undefined : new Uint8Array(gzipSync(bytes, GZIP));
  } finally {
    drawn.close();
  }
});
