import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const EVERY_MS = 250;
/** `lstat` counts the space of a file in these, so that holes count for nothing. */
const BLOCK = 512;

/** Calls `exceeded` once when what lies in the folder takes more than this. Returns how to stop watching. */
export function watchFolder(folder: string, mostBytes: number, exceeded: () => void): () => void {
  let looking = false;
  const look = async () => {
    if (looking) return;
    looking = true;
    try {
      if ((await spaceOf(folder)) <= mostBytes || stopped) return;
      stop();
      exceeded();
    } finally {
      looking = false;
    }
  };
  let stopped = false;
  const timer = setInterval(look, EVERY_MS);
  function stop() {
    stopped = true;
    clearInterval(timer);
  }
  return stop;
}

/** What comes or goes while it is looked at may be left out. */
async function spaceOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map((entry) =>
      lstat(join(folder, entry)).then(
        ({ blocks }) => blocks * BLOCK,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
