import { readdir } from 'node:fs/promises';

/**
 * Names of all that lies in a folder and below it. A folder may vanish while they are read: then they are read again.
 */
export async function namesBelow(folder: string): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await readdir(folder, { recursive: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === 100) throw error;
    }
  }
}
