import { randomBytes } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { TestFn } from 'ava';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import pino from 'pino';
import { openAccountStore } from '../src/accounts/open-store.ts';
import { Passwords } from '../src/accounts/password.ts';
import { buildApp } from '../src/app.ts';
import type { BlobStore } from '../src/blobs/blobs.ts';
import { type Config, environmentName, loadConfig } from '../src/config.ts';
import type { Database } from '../src/db.ts';
import type { App } from '../src/http/route.ts';
import { openPool } from '../src/platform/sql/pool.ts';
import { bootstrap } from '../src/tenants/bootstrap.ts';
import { AccessTokens } from '../src/tokens/access.ts';
import { findIdentity, findIdentityOfLogin, type Identity, insertFamily } from '../src/tokens/queries.ts';
import { openOwnStore, storeSettings } from '../src/transfers/store/owner.ts';
import { type Client, clientOf } from './world/client.ts';
import { clock } from './world/clock.ts';
import { type TestDatabase, testDatabase } from './world/database.ts';

export type { Answer, Client } from './world/client.ts';
export type { TestDatabase } from './world/database.ts';
export { testDatabase } from './world/database.ts';

/** Hashing at its true cost would be most of the time of every test. */
export const PASSWORD_ITERATIONS = 10;
export const PASSWORD = 'Correct-horse-7';

export interface User {
  userId: string;
  /** The login id. */
  id: string;
  /** The home tenant. */
  tenantId: string;
}

/** A server on a database of its own, and people who call it. Its parts are there from the first test on. */
export interface World {
  readonly app: App;
  readonly config: Config;
  readonly db: Database;
  /** Connection URL of the superuser. */
  readonly url: string;
  /** Connection URL of the platform's runtime role. */
  readonly runtimeUrl: string;
  readonly blobs: BlobStore;
  readonly folder: string;
  /** A stranger, without a token. */
  readonly nobody: Client;
  /** Address of the server, which listens from the first call on. */
  listen(): Promise<string>;
  as(user: Pick<User, 'userId'>): Client;
  /** A statement on the world's database, for states that no route makes and for looking behind the answers. */
  sql<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /**
   * Resolves when the database has noticed that processes of this application name are gone: until then a statement
   * under way goes on.
   */
  untilLeft(applicationName: string): Promise<void>;
  /** Does this before the world ends: what ends after it would miss its database. */
  beforeEnd(work: () => Promise<void>): void;
  /** An access token, made as a login makes it; a new one if the account has changed or its login has ended. */
  tokenOf(user: Pick<User, 'userId'>): Promise<string>;
  /** The first administrator, Owner of a tenant; the same one at each call. */
  administrator(): Promise<User>;
  /** A new tenant without members. */
  tenant(name?: string): Promise<string>;
  /** A new account with the password `PASSWORD`; without more said, Member of the administrator's tenant. */
  account(wanted?: {
    id?: string;
    tenantId?: string;
    role?: 'Owner' | 'Member';
    name?: string;
    userGroups?: string[];
    roles?: string;
  }): Promise<User>;
}

/** A login of an account, as it was then. */
interface Session {
  familyId: string;
  identity: Identity;
  token: string;
}

/** Makes the keys of tokens once for all worlds: RSA keys take most of the start of a server. */
async function withTokenKeys(db: Database) {
  await AccessTokens.open(db, loadConfig({}));
}

/** The worlds of this thread by their settings, if its files share them. */
let worlds: Map<string, World> | undefined;

/** Lets the test files of this thread share worlds. */
export function shareWorlds(): void {
  worlds = new Map();
}

/**
 * Call it once at the top of a test file. `settings` are dotted names, as in a configuration file. Files of `test/api`
 * that run in one thread share the world of the same settings, so they make their own tenants, accounts and projects,
 * start no worker, and count nothing that others write. Others take an `ownWorld`.
 */
export function world(test: TestFn, settings: Record<string, string> = {}): World {
  if (worlds === undefined) return ownWorld(test, settings);
  const key = JSON.stringify(settings);
  const found = worlds.get(key) ?? ownWorld(test, settings);
  worlds.set(key, found);
  return found;
}

/** A world that no other file sees, whatever runs in the same thread. */
export function ownWorld(test: TestFn, settings: Record<string, string> = {}): World {
  let database: TestDatabase;
  let app: App;
  let config: Config;
  let blobs: BlobStore;
  let tokens: AccessTokens;
  let plain: pg.Pool;
  let first: Promise<User> | undefined;
  let address: Promise<string> | undefined;
  const sessions = new LRUCache<string, Session>({ max: 1000, ttl: 60_000 });
  const endings: (() => Promise<void>)[] = [];

  test.before('the world', async () => {
    database = await testDatabase(10, 'runtime', withTokenKeys);
    // everybody in a test calls from the same address
    const patient = {
      'loginDelay.first': '1ms',
      'loginDelay.maxWaiting': '10000',
      'limits.rate': 'off',
      'limits.concurrent': '0',
      'limits.heavyRate': 'off',
      'limits.heavyConcurrent': '0',
    };
    const environment = Object.entries({ data: database.folder, ...patient, ...settings });
    config = loadConfig(Object.fromEntries(environment.map(([name, value]) => [environmentName(name), value])));
    const log = pino({ level: process.env.TEST_LOG ?? 'fatal' });
    blobs = await openOwnStore(database.db, storeSettings(config), log);
    app = await buildApp({
      config,
      db: database.db,
      databaseUrl: database.runtimeUrl,
      blobs,
      log,
      passwordIterations: PASSWORD_ITERATIONS,
      clock,
    });
    await app.ready();
    // an ended pool does not wait for its connections, which the removal of the database may break
    plain = openPool({ connectionString: database.url, max: 2 });
    tokens = await AccessTokens.open(database.db, config);
    // for threads and processes that start before this one ends
    flushCompileCache();
  });
  test.after.always('the end of the world', async () => {
    await Promise.all(endings.map((end) => end()));
    await app?.close();
    await plain?.end();
    await database?.close();
  });

  const as = (user: Pick<User, 'userId'>) =>
    clientOf(
      () => app,
      async () => ({ authorization: `Bearer ${await tokenOf(user)}` }),
    );
  async function tokenOf({ userId }: Pick<User, 'userId'>) {
    const known = sessions.get(userId);
    if (known !== undefined) {
      const present = await findIdentityOfLogin(database.db, userId, { familyId: known.familyId });
      if (isDeepStrictEqual(present, known.identity)) return known.token;
    }
    const identity = await findIdentity(database.db, userId);
    if (!identity) throw new Error(`There is no account ${userId}.`);
    const login = await database.db.transaction((tx) =>
      insertFamily(tx, userId, {
        lifetimeMs: config['tokens.accessLifetime'],
        refreshes: false,
        origin: { address: '127.0.0.1' },
      }),
    );
    const { token } = await tokens.issue(identity, login);
    // tests with a short lifetime are about it
    if (settings['tokens.accessLifetime'] === undefined)
      sessions.set(userId, { familyId: login.familyId, identity, token });
    return token;
  }
  async function makeAdministrator(): Promise<User> {
    const id = 'root';
    const store = await openAccountStore(config, database.db, pino({ level: 'silent' }));
    const wanted = { accountId: id, password: PASSWORD };
    const made = await bootstrap(database.db, wanted, new Passwords(PASSWORD_ITERATIONS), { store });
    await store.close();
    return { id, ...made };
  }
  function administrator() {
    first ??= makeAdministrator();
    return first;
  }
  /** Through the public door, as the administrator. */
  async function post(url: string, body: unknown, headers?: Record<string, string>) {
    const answer = await as(await administrator()).post(url, body, headers);
    if (answer.status >= 300) throw new Error(`POST ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  return {
    get app() {
      return app;
    },
    get config() {
      return config;
    },
    get db() {
      return database.db;
    },
    get url() {
      return database.url;
    },
    get runtimeUrl() {
      return database.runtimeUrl;
    },
    get blobs() {
      return blobs;
    },
    get folder() {
      return database.folder;
    },
    nobody: clientOf(() => app),
    listen: () => (address ??= app.listen({ host: '127.0.0.1', port: 0 })),
    as,
    sql: async <Row>(text: string, values: unknown[] = []) => (await plain.query(text, values)).rows as Row[],
    async untilLeft(applicationName) {
      const there = () =>
        plain.query('select from pg_stat_activity where datname = current_database() and application_name = $1', [
          applicationName,
        ]);
      while ((await there()).rows.length > 0) await sleep(20);
    },
    beforeEnd: (work) => void endings.push(work),
    tokenOf,
    administrator,
    async tenant(name = unique('tenant')) {
      return (await post('/api/iam/tenant', { name })).id;
    },
    async account({ id = unique('user'), tenantId, role = 'Member', ...rest } = {}) {
      const headers: Record<string, string> = tenantId === undefined ? {} : { 'svc-tenant-id': tenantId };
      const account = await post('/api/accounts', { id, password: PASSWORD, activated: true, ...rest }, headers);
      const { userId } = account;
      if (role === 'Owner') await post(`/api/iam/tenant/${account.tenantId}/member`, { userId, role });
      return { id, userId, tenantId: account.tenantId };
    },
  };
}

const unique = (noun: string) => `${noun}-${randomBytes(4).toString('hex')}`;
