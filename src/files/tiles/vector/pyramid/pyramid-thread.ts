import { parentPort } from 'node:worker_threads';
import type { TileNumber } from '../vector-tile.ts';
import { type PyramidContent, PyramidDrawer, type PyramidJob } from './pyramid-drawer.ts';

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

/** What is drawn comes first, then one job after the other. */
export type PyramidMessage = { readonly content: PyramidContent } | { readonly job: PyramidJob } | 'taken';

let drawer: Promise<PyramidDrawer>;
let taken: (() => void) | undefined;

async function draw(job: PyramidJob): Promise<void> {
  let tiles: TileNumber[] = [];
  let sizes: number[] = [];
  let [batch, size] = [new Uint8Array(batchBytes), 0];
  const send = (isLast: boolean) => {
    const bytes = batch.slice(0, size);
    parentPort!.postMessage({ tiles, sizes, bytes, isLast } satisfies TileBatch, [bytes.buffer]);
    [tiles, sizes, size] = [[], [], 0];
  };
  const sendAndWait = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    taken = resolve;
    send(false);
    return promise;
  };
  await (await drawer).draw(job, (tile, bytes) => {
    const isFull = size + bytes.length > batchBytes && size > 0;
    const take = () => {
      if (bytes.length > batch.length) batch = new Uint8Array(bytes.length);
      // Copied, because small buffers share their memory, so that it cannot be sent.
      batch.set(bytes, size);
      size += bytes.length;
      tiles.push(tile);
      sizes.push(bytes.length);
    };
    return isFull ? sendAndWait().then(take) : take();
  });
  send(true);
}

parentPort?.on('message', (message: PyramidMessage) => {
  if (message === 'taken') taken?.();
  else if ('content' in message) {
    drawer = PyramidDrawer.create(message.content);
    // The first job reports a failure.
    drawer.catch(() => {});
  } else
    draw(message.job).catch((error: unknown) => {
      // Ends the thread, which the conversion sees.
      setImmediate(() => {
        throw error;
      });
    });
});
