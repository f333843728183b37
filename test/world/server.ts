import { type Started, startProcess } from './worker.ts';

/** A process `platform serve`. */
export interface ServerProcess extends Started {
  /** Base URL, without a trailing slash. */
  readonly url: string;
}

/**
 * Starts a server with the database and folder of a world, and waits until it listens. `settings` have dotted names.
 */
export async function startServer(
  world: { url: string; folder: string; program?: string },
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const { started, ready } = await startProcess('serve', world, { port: '0', ...settings });
  return { ...started, url: (ready as { address: string }).address };
}
