import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import { type LocalPostgres, startLocalPostgres } from './local-postgres.ts';
import { localRoles } from './local-roles.ts';
import { migrate } from './migrate.ts';
import { ownsTables } from './owner.ts';

/** A migrated database. An embedded one is restarted when it dies. */
export interface OpenDatabase {
  /** Connection string for `connect`. Contains the password. */
  url: string;
  /** Names of migrations that this call applied. */
  applied: string[];
  /** The role of `url` owns the tables: it could change the audit trail. See `OWNS_TABLES`. */
  ownsTables: boolean;
  /**
   * Resolves if the embedded database was restarted on another port, so that `url` is out of date: the process must
   * restart.
   */
  moved: Promise<void>;
  /** Detaches from the embedded database; the last process to detach stops it. End your own pools first. */
  close(): Promise<void>;
}

/** For the log of a process whose role owns the tables. */
export const OWNS_TABLES =
  'The role of DATABASE_URL owns the tables and could change the audit trail. Give API and workers a role of their own, and set PLATFORM_DATABASE_OWNER_URL to the owner, which migrates';

const RETRY_MS = 1000;

/**
 * Opens the database of `DATABASE_URL`, else the embedded one in the data folder, which it starts if necessary. Applies
 * pending migrations; of concurrent processes one does so and the others wait.
 * @param stop ends the waits for a server and for other processes: throws its reason
 */
export async function openDatabase(
  config: Pick<Config, 'database.url' | 'database.ownerUrl' | 'data'>,
  stop?: AbortSignal,
): Promise<OpenDatabase> {
  const external = config['database.url'];
  const owner = config['database.ownerUrl'];
  if (external !== undefined) {
    const applied = await migrate(owner ?? external, { runtimeUrl: owner && external, stop });
    return {
      url: external,
      applied,
      ownsTables: await ownsTables(external),
      moved: new Promise(() => {}),
      close: async () => {},
    };
  }
  const folder = join(config.data, 'postgres');
  const server = await startLocalPostgres(folder);
  try {
    const roles = await localRoles(server.url);
    const applied = await migrate(roles.owner, { runtimeUrl: roles.runtime, stop });
    const kept = new KeptServer(folder, server);
    return { url: roles.runtime, applied, ownsTables: false, moved: kept.moved, close: () => kept.close() };
  } catch (error) {
    await server.stopIfIdle();
    throw error;
  }
}

/** A database as it is: nothing was migrated. Roles whose passwords the addresses contain. */
export interface PresentDatabase {
  /** Connection string of the role of API and workers. */
  url: string;
  /** Connection string of the role that migrates. */
  ownerUrl: string;
  /** Role that gets the rights of API and workers; undefined: the migrating one keeps its own. */
  runtimeUrl: string | undefined;
  close(): Promise<void>;
}

/** Opens the database as `openDatabase` does, but applies no migrations. */
export async function openPresentDatabase(
  config: Pick<Config, 'database.url' | 'database.ownerUrl' | 'data'>,
): Promise<PresentDatabase> {
  const external = config['database.url'];
  const owner = config['database.ownerUrl'];
  if (external !== undefined)
    return {
      url: external,
      ownerUrl: owner ?? external,
      runtimeUrl: owner && external,
      close: async () => {},
    };
  const server = await startLocalPostgres(join(config.data, 'postgres'));
  try {
    const { owner: ownerUrl, runtime } = await localRoles(server.url);
    return { url: runtime, ownerUrl, runtimeUrl: runtime, close: async () => void (await server.stopIfIdle()) };
  } catch (error) {
    await server.stopIfIdle();
    throw error;
  }
}

/** An embedded server that is restarted when it dies. */
class KeptServer {
  readonly #folder: string;
  readonly #url: string;
  readonly #moved = Promise.withResolvers<void>();
  #isClosed = false;
  #current: Promise<LocalPostgres>;

  constructor(folder: string, server: LocalPostgres) {
    this.#folder = folder;
    this.#url = server.url;
    this.#current = Promise.resolve(server);
    void this.#watch(server);
  }

  get moved(): Promise<void> {
    return this.#moved.promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const server = await this.#current.catch(() => undefined);
    await server?.stopIfIdle();
  }

  async #watch(server: LocalPostgres): Promise<void> {
    if (server.url !== this.#url) this.#moved.resolve();
    await server.lost;
    if (this.#isClosed) return;
    this.#current = this.#restart();
    await this.#current.then(
      (next) => this.#watch(next),
      () => {},
    );
  }

  async #restart(): Promise<LocalPostgres> {
    for (;;) {
      try {
        return await startLocalPostgres(this.#folder);
      } catch (error) {
        if (this.#isClosed) throw error;
        await sleep(RETRY_MS);
      }
    }
  }
}
