import { answerTasks } from 'hydrofiles/threads';
import {
  type GeometryPlacer,
  type SourceFeature,
  type TileLayer,
  VectorTile,
  zippedTile,
} from 'hydrofiles/tile-drawing';
import type { DrawContext } from '../draw-threads.ts';
import { readFeatures } from './file-features.ts';
import { type ElementJob, NUMBERS, type VectorJob } from './vector-job.ts';

function elementsOf({ numbers, coordinates, values }: ElementJob, { throwIfAborted }: DrawContext): SourceFeature[] {
  return Array.from({ length: numbers.length / NUMBERS }, (_, n) => {
    const [id, from, to, side, size, stands] = numbers.subarray(NUMBERS * n, NUMBERS * (n + 1));
    const coalesced = stands === 1;
    return {
      side: side!,
      size: size!,
      coalesced,
      placed(placer: GeometryPlacer) {
        throwIfAborted();
        const geometry = { type: 'Polygon' as const, coordinates: coordinates.subarray(from, to) };
        return {
          id: id!,
          geometries: coalesced ? placer.placeFirst(geometry) : placer.place(geometry),
          values: values.map((column) => (Number.isNaN(column[n]!) ? undefined : column[n])),
        };
      },
    };
  });
}

async function drawn(job: VectorJob, layer: TileLayer, features: readonly SourceFeature[]) {
  // Numbers per vertex.
  const stride = job.kind === 'features' ? 2 + Number(job.header.hasZ) + Number(job.header.hasM) : 2;
  const tile = await VectorTile.create(job.tile, job.crs, stride);
  try {
    return tile.draw(layer, features);
  } finally {
    tile.close();
  }
}

/** Draws one tile and answers with its gzipped bytes; undefined if nothing lies in it. */
answerTasks(
  async (job: VectorJob, context: DrawContext): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    context.throwIfAborted();
    let bytes: Uint8Array | undefined;
    if (job.kind === 'elements') bytes = await drawn(job, job.layer, elementsOf(job, context));
    else {
      const { features, ...sorted } = await readFeatures(job, context);
      if (features.length > 0) bytes = await drawn(job, { name: 'features', keys: job.keys, ...sorted }, features);
    }
    return bytes === undefined ? undefined : new Uint8Array(zippedTile(bytes));
  },
  (bytes) => (bytes === undefined ? [] : [bytes.buffer]),
);
