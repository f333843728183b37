import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const TRY_AGAIN_AFTER_MS = 1000;

/**
 * Hears the notifications of one channel on a connection of its own, made again whenever it is lost; what was said meanwhile is lost,
 * so whoever needs to know also looks now and then. Returns how to stop.
 */
export function listen(databaseUrl: string, channel: string, hear: (payload: string) => void): () => Promise<void> {
  const stopping = new AbortController();
  let current: pg.Client | undefined;

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
    client.on('notification', ({ payload }) => hear(payload ?? ''));
    current = client;
    try {
      await client.connect();
      await client.query(`set idle_session_timeout = 0; listen ${pg.escapeIdentifier(channel)}`);
      await lost;
    } finally {
      client.end().catch(() => {});
    }
  }
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await once().catch(() => {});
      await sleep(TRY_AGAIN_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = loop();
  return async () => {
    stopping.abort();
    await current?.end().catch(() => {});
    await running;
  };
}
