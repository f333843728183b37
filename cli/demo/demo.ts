import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io } from '../io.ts';
import { stopSignal } from '../stop-signal.ts';
import { startPlatform } from './platform.ts';
import { runStory } from './story.ts';

/**
 * Runs the demonstration on a temporary platform in a temporary folder. Always stops the platform and deletes the folder; keeps the picture
 * that it draws.
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
      await Promise.race([runStory(io, platform, folder, stop), interrupted]);
      io.out('10 The end: everything but the picture is stopped and deleted.');
    } finally {
      await starting.then((platform) => platform.stop()).catch(() => {});
    }
  } finally {
    // retries, because the interrupted demonstration may still be writing
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
