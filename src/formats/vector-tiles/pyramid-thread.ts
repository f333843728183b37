import { parentPort, workerData } from 'node:worker_threads';
import type { TileNumber } from '../../geo/tiles/vector-tile.ts';
import type { PyramidContent, PyramidJob } from './pyramid-drawer.ts';
import { PyramidDrawer } from './pyramid-drawer.ts';

/** Bytes of tiles that are sent together. */
const batchBytes = 4 << 20;

/** Tiles of a job. The next ones are drawn when they were taken. */
export interface TileBatch {
  readonly tiles: readonly TileNumber[];
  readonly sizes: readonly number[];
  /** The bytes of all tiles. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether they are the last ones of the job. */
  readonly isLast: boolean;
}

let drawer: Promise<PyramidDrawer> | undefined;
let taken: (() => void) | undefined;

async function draw(job: PyramidJob): Promise<void> {
  drawer ??= PyramidDrawer.create(workerData as PyramidContent);
  let tiles: TileNumber[] = [];
  let pieces: Uint8Array[] = [];
  let size = 0;
  const send = (isLast: boolean) => {
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    const sizes = pieces.map(({ length }) => length);
    parentPort!.postMessage({ tiles, sizes, bytes, isLast } satisfies TileBatch, [bytes.buffer]);
    [tiles, pieces, size] = [[], [], 0];
  };
  await (await drawer).draw(job, async (tile, bytes) => {
    tiles.push(tile);
    pieces.push(bytes);
    size += bytes.length;
    if (size < batchBytes) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    taken = resolve;
    send(false);
    await promise;
  });
  send(true);
}

parentPort?.on('message', (message: PyramidJob | 'taken') => {
  if (message === 'taken') taken?.();
  else
    draw(message).catch((error: unknown) => {
      // Ends the thread, which the conversion sees.
      setImmediate(() => {
        throw error;
      });
    });
});
