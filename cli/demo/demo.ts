import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io } from '../io.ts';
import { stopSignal } from '../stop-signal.ts';
import { outline } from './outline.ts';
import { makePlaces } from './places.ts';
import { startPlatform } from './platform.ts';
import { runStory } from './story.ts';

/**
 * Runs the demonstration on a temporary platform in a temporary folder. Always stops the platform and deletes the
 * folder; keeps the pictures that it draws, and its files if they are in a folder `keep`.
 */
export async function demo(io: Io, { keep }: { keep?: string }): Promise<void> {
  const stop = stopSignal();
  stop.throwIfAborted();
  const interrupted = new Promise<never>((_, reject) => stop.addEventListener('abort', () => reject(stop.reason)));
  interrupted.catch(() => {});
  const folder = await mkdtemp(join(tmpdir(), 'platform-demo-'));
  try {
    const places = await makePlaces(folder, keep);
    const told = outline(io);
    told.step('A platform in an empty folder: database, API and one worker.', 'npm start');
    const starting = startPlatform(folder, io.env, stop);
    try {
      const platform = await Promise.race([starting, interrupted]);
      await Promise.race([runStory(io, platform, told, places, stop), interrupted]).catch(async (error: Error) => {
        if (!stop.aborted) error.message += ` The platform said last: ${await platform.said()}`;
        throw error;
      });
      told.step(
        keep === undefined
          ? 'The end: everything but the pictures is stopped and deleted.'
          : `The end: the platform is stopped and deleted. The files are in ${keep}.`,
      );
    } finally {
      await starting.then((platform) => platform.stop()).catch(() => {});
    }
  } finally {
    // retries, because the interrupted demonstration may still be writing
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
