import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io } from '../io.ts';
import { stopSignal } from '../stop-signal.ts';
import { startPlatform } from './platform.ts';
import { tell } from './story.ts';

/**
 * The main job as a story, on a platform of its own in a folder of its own. Whatever happens, it stops what it started and removes the
 * folder; the picture that it made stays.
 */
export async function demo(io: Io): Promise<void> {
  const stop = stopSignal();
  const interrupted = new Promise<never>((_, reject) => stop.addEventListener('abort', () => reject(stop.reason)));
  interrupted.catch(() => {});
  const folder = await mkdtemp(join(tmpdir(), 'platform-demo-'));
  try {
    io.out('1  A platform in an empty folder: database, API and one worker.');
    io.out('   $ npm start');
    const starting = startPlatform(folder, io.env, stop);
    try {
      const platform = await Promise.race([starting, interrupted]);
      await Promise.race([tell(io, platform, folder, stop), interrupted]);
      io.out('10 The end: everything is stopped and removed, but for the picture.');
    } finally {
      await starting.then((platform) => platform.stop()).catch(() => {});
    }
  } finally {
    // the story may still be writing when it is broken off
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
