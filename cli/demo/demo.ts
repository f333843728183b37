import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Io } from '../io.ts';
import { stopSignal } from '../stop-signal.ts';
import { type Login, outline } from './outline.ts';
import { makePlaces } from './places.ts';
import { leaveRunning, startPlatform } from './platform.ts';
import { runStory } from './story.ts';

/**
 * Runs the demonstration on a temporary platform in a temporary folder. Stops the platform and deletes the folder; the
 * pictures that it draws stay.
 * @param keep a new folder that keeps the files and the platform, which goes on running; true: a temporary one
 */
export async function demo(io: Io, { keep: kept }: { keep?: string | true }): Promise<void> {
  const stop = stopSignal();
  stop.throwIfAborted();
  const interrupted = new Promise<never>((_, reject) => stop.addEventListener('abort', () => reject(stop.reason)));
  interrupted.catch(() => {});
  const folder = await mkdtemp(join(tmpdir(), 'platform-demo-'));
  const keep = kept === true ? await mkdtemp(join(tmpdir(), 'platform-valley-')) : kept;
  let stays = false;
  try {
    const places = await makePlaces(folder, keep);
    const home = keep === undefined ? folder : resolve(keep, 'platform');
    await mkdir(home, { recursive: true });
    const told = outline(io);
    told.step('A platform in an empty folder: database, API and one worker.', 'npm start');
    const starting = startPlatform(home, io.env, stop);
    let people: Login[];
    try {
      const platform = await Promise.race([starting, interrupted]);
      const story = runStory(io, platform, told, { places, stays: keep !== undefined, stop });
      people = await Promise.race([story, interrupted]).catch(async (error: Error) => {
        if (!stop.aborted) error.message += ` The platform said last: ${await platform.said()}`;
        throw error;
      });
      if (keep === undefined) {
        told.step('The end: everything but the pictures is stopped and deleted.');
        told.result(`Its console was at ${platform.url}/. To look around in one: npm run demo -- --keep`);
      }
    } finally {
      await starting.then((platform) => platform.stop()).catch(() => {});
    }
    if (keep === undefined) return;
    const platform = await starting;
    stop.throwIfAborted();
    const pid = await leaveRunning(home, platform, stop);
    stays = true;
    told.step(`The end: the files are in ${keep}, and the platform goes on running. Its console: ${platform.url}/`);
    for (const { id, password } of people) told.result(`login id ${id.padEnd(6)} password ${password}`);
    told.result(`to stop it: kill ${pid}`);
    told.result(`to start it again: PLATFORM_DATA=${join(home, 'data')} npm start`);
  } finally {
    const temporary = kept === true && !stays ? [folder, keep!] : [folder];
    // retries, because the interrupted demonstration may still be writing
    for (const one of temporary) await rm(one, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
