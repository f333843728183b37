import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { shareWorlds } from '../world.ts';
import { limitRequests } from './client.ts';
import { filesOfThread } from './threads.ts';

const require = createRequire(import.meta.url);
/** As many as the largest test sends at once. */
const MAX_REQUESTS = 100;
/** Its files make their own tenants, and start no worker. */
const SHARES_WORLDS = 'api';

/**
 * Loads test files into this thread, which loads the modules of the platform once for all of them. Synchronous, because
 * ava takes no test that is declared later.
 * @param url of the file in `groups`
 */
export function loadGroup(url: string): void {
  const { folder, paths } = filesOfThread(fileURLToPath(url));
  limitRequests(MAX_REQUESTS);
  if (folder === SHARES_WORLDS) shareWorlds();
  for (const path of paths) {
    try {
      require(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_REQUIRE_ASYNC_MODULE') throw error;
      throw new Error(`${path} awaits before its tests, so it needs '// Own thread: …' in a line of its own.`);
    }
  }
}
