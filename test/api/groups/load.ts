import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { limitRequests } from '../../world/client.ts';

const require = createRequire(import.meta.url);
const FOLDER = new URL('../', import.meta.url);
/** As many as the largest test sends at once. */
const MAX_REQUESTS = 100;
const GROUPS = readdirSync(new URL('./', import.meta.url)).filter((name) => name.endsWith('.test.ts')).length;

/**
 * Loads the tests of each nth file of `test/api` into this thread, which loads the modules of the API once for all of
 * them. Synchronous, because ava takes no test that is declared later.
 * @param group from 1
 */
export function loadGroup(group: number): void {
  limitRequests(MAX_REQUESTS);
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.test.ts'));
  for (const [n, file] of files.sort().entries()) if (n % GROUPS === group - 1) require(new URL(file, FOLDER).pathname);
}
