import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const RETRY_MS = 1000;

/**
 * Listens to a channel (LISTEN) on a separate connection, and reconnects when it breaks. Notifications during a
 * reconnect are lost, so callers must also poll. Returns a function that stops.
 */
export function listen(
  databaseUrl: string,
  channel: string,
  onNotification: (payload: string) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  let stopCurrent: () => Promise<void> = async () => {};

  async function once() {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'platform listen',
      keepAlive: true,
    });
    const lost = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    client.on('notification', ({ payload }) => onNotification(payload ?? ''));
    // `end` waits for the server, and `connect` would never settle after it
    stopCurrent = async () => void client.connection.stream.destroy();
    try {
      await client.connect();
      stopCurrent = () => client.end().catch(() => {});
      await client.query(`set idle_session_timeout = 0; listen ${pg.escapeIdentifier(channel)}`);
      await lost;
    } finally {
      client.end().catch(() => {});
    }
  }
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await once().catch(() => {});
      await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = loop();
  return async () => {
    stopping.abort();
    await stopCurrent();
    await running;
  };
}
