import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { FeatureReader } from '../../formats/flatgeobuf/feature-reader.ts';
import { InvalidRecord } from '../../formats/flatgeobuf/flat-table.ts';
import type { TileKey } from '../../geo/tiles/mvt.ts';
import { VectorTile } from '../../geo/tiles/vector-tile.ts';
import type { VectorJob } from './vector-threads.ts';

/** Draws one tile and answers with its gzipped bytes; undefined without features. */
async function draw({ tile, crs, header, blocks, fields, layer }: VectorJob): Promise<Uint8Array | undefined> {
  const stride = 2 + Number(header.hasZ) + Number(header.hasM);
  const drawn = await VectorTile.create(tile, crs, stride);
  try {
    const reader = new FeatureReader(header);
    for (const { bytes, offset, features } of blocks) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      for (const { number, at, size, side, gathered } of features) {
        try {
          const { id, geometry, values } = reader.read(buffer.subarray(at, at + size), offset + at);
          if (geometry === undefined) continue;
          const own = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : number + 1;
          drawn.add({ id: own, geometry, values: fields.map(({ index }) => values[index]), gathered, side });
        } catch (error) {
          // One broken feature does not hide the others.
          if (!(error instanceof InvalidRecord)) throw error;
        }
      }
    }
    const keys: TileKey[] = fields.map(({ name, real }) => ({ name, real }));
    const bytes = drawn.finish(layer, keys);
    return bytes === undefined ? undefined : gzipSync(bytes);
  } finally {
    drawn.close();
  }
}

parentPort?.on('message', (job: VectorJob) => {
  draw(job).then(
    (bytes) => parentPort?.postMessage({ bytes }),
    (error: unknown) =>
      parentPort?.postMessage({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
