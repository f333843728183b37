import { resolve } from 'node:path';
import { record, UsageError } from 'hydrofiles/terminal';
import { openAccountStore } from '../../src/accounts/open-store.ts';
import { Passwords } from '../../src/accounts/password.ts';
import { passwordRules, readPolicy } from '../../src/accounts/password-policy.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import type { Reads } from '../../src/db.ts';
import { listKeys } from '../../src/platform/keys/signing-keys.queries.ts';
import { withDatabase } from '../../src/platform/postgres/with-database.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { bootstrap } from '../../src/tenants/bootstrap.ts';
import { connectApi } from '../client.ts';
import type { Env } from '../env.ts';
import type { Io } from '../io.ts';

export interface FirstAdministrator {
  id: string;
  name?: string;
  email?: string;
  tenant?: string;
  /** Runs even if the platform of this folder uses another database. */
  yes?: boolean;
}

/** The password policy of the settings. */
export const policyOfSettings = ({ env }: Pick<Io, 'env'>) => readPolicy(loadConfig(env));

/**
 * Creates the first administrator in the database of the settings, whether the platform runs or not, and says which
 * database that is. Refuses if there is one, or if the running platform uses another database.
 */
export async function bootstrapAdministrator(
  io: Pick<Io, 'env' | 'json' | 'out' | 'note'>,
  { id, name, email, tenant, yes }: FirstAdministrator,
  password: string,
  stop: AbortSignal,
) {
  const config = loadConfig(io.env);
  await withDatabase(config, { name: 'platform admin', stop }, async (db) => {
    const place = describePlace(config);
    if (!yes) await refuseOtherDatabase(db, config, { env: io.env, place });
    if (!io.json) io.note(`Database: ${place}`);
    const log = createLog(config['log.level']);
    const store = await openAccountStore(config, db, log);
    const rules = passwordRules(config, log);
    const wanted = { accountId: id, password, name, email, tenantName: tenant };
    const made = await bootstrap(db, wanted, new Passwords(), { rules, store }).finally(() => store.close());
    io.out(
      io.json
        ? JSON.stringify({ accountId: id, ...made })
        : record({ id, 'user id': made.userId, tenant: made.tenantId }),
    );
  });
}

/** Describes where the database of the settings is, without its password. */
function describePlace(config: Pick<Config, 'database.url' | 'data'>): string {
  const address = config['database.url'];
  if (address === undefined) return `embedded, in ${resolve(config.data)}`;
  const { hostname, port, pathname } = new URL(address);
  return `${hostname}${port && `:${port}`}${pathname}`;
}

/**
 * Throws if a platform answers whose published signing keys this database does not have: an administrator made here
 * could not log in there. With key files the keys do not identify the database.
 */
async function refuseOtherDatabase(
  db: Reads,
  config: Pick<Config, 'tokens.keyFiles'>,
  { env, place }: { env: Env; place: string },
) {
  if (config['tokens.keyFiles'].length > 0) return;
  const running = await runningPlatform(env);
  const known = new Set((await listKeys(db, 'token')).map(({ kid }) => kid));
  if (running === undefined || running.keys.some(({ kid }) => known.has(kid))) return;
  throw new UsageError(
    `The platform that answers at ${running.url} uses another database than these settings (${place}), so the administrator could not log in there. Set PLATFORM_DATA or DATABASE_URL as that platform has it, or use --yes.`,
  );
}

/** Address and published keys of the platform of the settings. Undefined before its first start. */
async function runningPlatform(env: Env) {
  try {
    const api = connectApi(env);
    const { body } = await api.call<Published>('GET', '/.well-known/jwks.json', { anonymous: true });
    return body.keys && { url: api.url, keys: body.keys };
  } catch {
    // nobody answers, or something else than a platform; with PLATFORM_PORT=0 the address is known at the start only
    return undefined;
  }
}

interface Published {
  keys?: readonly { kid: string }[];
}
