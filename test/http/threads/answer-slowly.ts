import { answerTasks } from 'hydrofiles/threads';
import type { DrawContext } from '../../../src/tiles/draw-threads.ts';

/** Reads a byte of its source for each part of its work. */
answerTasks(async ({ name, parts }: { name: string; parts: number }, { ask, throwIfAborted }: DrawContext) => {
  for (let n = 0; n < parts; n++) {
    throwIfAborted();
    await ask({ offset: n, length: 1 });
  }
  if (name === 'broken') throw new Error('The tile is broken.');
  return Buffer.from(name);
});
