import { answerTasks } from '../../../threads/answer-tasks.ts';
import type { TileNumber } from '../vector-tile.ts';
import { type PyramidContent, PyramidDrawer, type PyramidJob } from './pyramid-drawer.ts';

/** Bytes of tiles that are sent together. */
const batchBytes = 4 << 20;

/** Tiles of a job. */
export interface TileBatch {
  readonly tiles: readonly TileNumber[];
  readonly sizes: readonly number[];
  /** The bytes of all tiles. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What is drawn comes first, then one job after the other. */
export type PyramidTask = { readonly content: PyramidContent } | { readonly job: PyramidJob };

let drawer: PyramidDrawer;

/** Answers a job with its last tiles. Asks the caller to take the ones before, and draws the next when it has. */
answerTasks<PyramidTask, TileBatch | undefined, TileBatch, void>(
  async (task, { ask }) => {
    if ('content' in task) {
      drawer = await PyramidDrawer.create(task.content);
      return undefined;
    }
    let tiles: TileNumber[] = [];
    let sizes: number[] = [];
    let [memory, size] = [new Uint8Array(batchBytes), 0];
    const batch = (): TileBatch => {
      const full = { tiles, sizes, bytes: memory.slice(0, size) };
      [tiles, sizes, size] = [[], [], 0];
      return full;
    };
    await drawer.draw(task.job, (tile, bytes) => {
      const add = () => {
        if (bytes.length > memory.length) memory = new Uint8Array(bytes.length);
        // Copied, because small buffers share their memory, so that it cannot be sent.
        memory.set(bytes, size);
        size += bytes.length;
        tiles.push(tile);
        sizes.push(bytes.length);
      };
      if (size === 0 || size + bytes.length <= batchBytes) return add();
      const full = batch();
      return ask(full, [full.bytes.buffer]).then(add);
    });
    return batch();
  },
  (last) => (last === undefined ? [] : [last.bytes.buffer]),
);
