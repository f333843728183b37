import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from './app.ts';
import { checkBlobStore } from './blobs/open.ts';
import type { Config } from './config.ts';
import { Database } from './db.ts';
import { cannotListen, checkListening } from './platform/net/listening.ts';
import { OWNS_TABLES, openDatabase } from './platform/postgres/database.ts';
import { readBuild } from './platform/telemetry/build.ts';
import { createLog } from './platform/telemetry/log.ts';
import { openOwnStore, storeSettings } from './transfers/store/owner.ts';

export interface Server {
  /** `http://127.0.0.1:8080`. */
  url: string;
  /** Resolves if the embedded database moved to another port: the process must restart. */
  databaseMoved: Promise<void>;
  /** Graceful shutdown: accepts no more requests, and aborts those that have not finished after `patienceMs`. */
  close(patienceMs?: number): Promise<void>;
}

/** Time that open requests have to finish when the server closes. */
const PATIENCE_MS = 6000;

/**
 * Opens and migrates the database, then listens.
 * @param stop ends the wait for the database: throws its reason
 */
export async function serve(config: Config, stop?: AbortSignal): Promise<Server> {
  const log = createLog(config['log.level']);
  await checkListening(config);
  await checkBlobStore(config['blobs.url']);
  const database = await openDatabase(config, stop);
  if (database.ownsTables) log.warn({}, OWNS_TABLES);
  const db = new Database(database.url, config['database.poolSize'], 'platform serve');
  const release = async () => {
    await Promise.race([db.end(), sleep(1000)]);
    await database.close();
  };
  try {
    const blobs = await openOwnStore(db, storeSettings(config), log);
    const app = await buildApp({ config, db, databaseUrl: database.url, blobs, log });
    const url = await app.listen({ host: config.host, port: config.port }).catch((error) => {
      throw cannotListen(error, config);
    });
    log.info({ ...readBuild(), url }, 'API ready');
    return {
      url,
      databaseMoved: database.moved,
      async close(patienceMs = PATIENCE_MS) {
        const giveUp = setTimeout(() => app.server.closeAllConnections(), patienceMs);
        await app.close();
        clearTimeout(giveUp);
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}
