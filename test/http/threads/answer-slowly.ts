import { answerJobs } from '../../../src/tiles/thread-jobs.ts';

/** Reads a byte of its source for each part of its work. */
answerJobs<{ name: string; parts: number }>(async ({ name, parts }, { read, throwIfCancelled }) => {
  for (let n = 0; n < parts; n++) {
    throwIfCancelled();
    await read(n, 1);
  }
  if (name === 'broken') throw new Error('The tile is broken.');
  return Buffer.from(name);
});
