import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { FeatureReader } from '../../formats/flatgeobuf/feature-reader.ts';
import { InvalidRecord } from '../../formats/flatgeobuf/flat-table.ts';
import type { TileKey } from '../../geo/tiles/mvt.ts';
import type { SourceFeature } from '../../geo/tiles/vector-tile.ts';
import { VectorTile } from '../../geo/tiles/vector-tile.ts';
import type { VectorJob } from './vector-threads.ts';
import { NUMBERS } from './vector-threads.ts';

/** Draws one tile and answers with its gzipped bytes; undefined without features. */
async function draw(job: VectorJob): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { tile, crs, header, fields, layer, lines, side } = job;
  const stride = 2 + Number(header.hasZ) + Number(header.hasM);
  const drawn = await VectorTile.create(tile, crs, stride);
  try {
    const keys: TileKey[] = fields.map(({ name, real }) => ({ name, real }));
    const bytes = drawn.draw({ name: layer, keys, lines, side }, featuresOf(job));
    return bytes === undefined ? undefined : new Uint8Array(gzipSync(bytes));
  } finally {
    drawn.close();
  }
}

function featuresOf({ header, fields, features: { bytes, numbers } }: VectorJob): SourceFeature[] {
  const reader = new FeatureReader(header);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: numbers.length / NUMBERS }, (_, n) => {
    const [number, from, to, side, size, gathered] = numbers.subarray(NUMBERS * n, NUMBERS * (n + 1)) as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    return {
      side,
      size,
      gathered: gathered === 1,
      read() {
        try {
          const { id, geometry, values } = reader.read(buffer.subarray(from, to), from);
          if (geometry === undefined) return undefined;
          const own = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : number + 1;
          return { id: own, geometry, values: fields.map(({ index }) => values[index]) };
        } catch (error) {
          // One broken feature does not hide the others.
          if (error instanceof InvalidRecord) return undefined;
          throw error;
        }
      },
    };
  });
}

parentPort?.on('message', (job: VectorJob) => {
  draw(job).then(
    (bytes) => parentPort?.postMessage({ bytes }, bytes === undefined ? [] : [bytes.buffer]),
    (error: unknown) =>
      parentPort?.postMessage({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
