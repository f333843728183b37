import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders in which the demonstration writes. */
export interface Places {
  /** Folder of its input and output. */
  files: string;
  /** Folder that is always deleted. */
  scratch: string;
  /** Writes a picture, which stays. Returns its path. */
  keepPicture(name: string, png: Uint8Array): Promise<string>;
}

/**
 * Files in a new or empty folder `keep`. Without it in a temporary folder, and pictures with names of their own beside
 * it.
 * @throws if the folder holds something
 */
export async function makePlaces(temporary: string, keep: string | undefined): Promise<Places> {
  const files = keep ?? join(temporary, 'files');
  const scratch = join(temporary, 'scratch');
  for (const folder of [files, scratch]) await mkdir(folder, { recursive: true });
  if ((await readdir(files)).length > 0) throw new Error(`The folder ${files} is not empty. Choose a new one.`);
  const unique = `platform-demo-${randomBytes(4).toString('hex')}`;
  return {
    files,
    scratch,
    async keepPicture(name, png) {
      const path = keep === undefined ? join(tmpdir(), `${unique}-${name}`) : join(keep, name);
      await writeFile(path, png, { flag: 'wx' });
      return path;
    },
  };
}
