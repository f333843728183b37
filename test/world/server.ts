import type { Started } from './worker.ts';
import { startProcess } from './worker.ts';

/** The API alone, as the command line starts it. */
export interface ServerProcess extends Started {
  /** Where it listens, without a slash at its end. */
  readonly url: string;
}

/** Starts a server on a world's database and folder, and waits until it listens. `settings` are dotted names. */
export async function startServer(
  world: { url: string; folder: string },
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const { started, ready } = await startProcess('serve', world, { port: '0', ...settings });
  return { ...started, url: (ready as { address: string }).address };
}
