import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const EVERY_MS = 250;
/** Unit of `blocks` of `lstat`, in bytes. Blocks do not count holes of sparse files. */
const BLOCK = 512;

/**
 * Calls `exceeded` once when the files of a folder take more than this many bytes. Returns the function that stops
 * watching.
 */
export function watchFolder(folder: string, maxBytes: number, exceeded: () => void): () => void {
  let checking = false;
  const check = async () => {
    if (checking) return;
    checking = true;
    try {
      if ((await measureFolder(folder)) <= maxBytes || stopped) return;
      stop();
      exceeded();
    } finally {
      checking = false;
    }
  };
  let stopped = false;
  const timer = setInterval(check, EVERY_MS);
  function stop() {
    stopped = true;
    clearInterval(timer);
  }
  return stop;
}

/** In bytes. May miss files that are created or deleted meanwhile. */
async function measureFolder(folder: string): Promise<number> {
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
