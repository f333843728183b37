import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from './errors.ts';

/** Creates a folder for temporary files, which `open` deletes. */
export async function temporaryFolder(inside: string, open: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(inside, '.platform-')).catch((error) => {
    throw new UsageError(`Cannot write to ${inside}: ${error.message}`);
  });
  return open.adopt(folder, (one) => rm(one, { recursive: true, force: true }));
}
