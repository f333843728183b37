import { openAccountStore } from '../../src/accounts/open-store.ts';
import { openPasswords } from '../../src/accounts/password.ts';
import { passwordRules, policyOf } from '../../src/accounts/password-policy.ts';
import { loadConfig } from '../../src/config.ts';
import { connect } from '../../src/db.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { bootstrap } from '../../src/tenants/bootstrap.ts';
import type { Io } from '../io.ts';
import { record } from '../table.ts';

export interface FirstAdministrator {
  id: string;
  name?: string;
  email?: string;
  tenant?: string;
}

/** The password policy of the settings. */
export const policyOfSettings = ({ env }: Pick<Io, 'env'>) => policyOf(loadConfig(env));

/**
 * Creates the first administrator in the database of the settings, whether the platform runs or not. Refuses if there is one. Needs no login:
 * whoever can read the data folder or the address of the database may run it.
 */
export async function bootstrapAdministrator(
  io: Pick<Io, 'env' | 'json' | 'out'>,
  { id, name, email, tenant }: FirstAdministrator,
  password: string,
  stop: AbortSignal,
) {
  const config = loadConfig(io.env);
  const database = await openDatabase(config, stop);
  try {
    stop.throwIfAborted();
    const db = await connect(database.url, 2, 'platform admin');
    try {
      const log = createLog(config['log.level']);
      const store = await openAccountStore(config, db, log);
      const rules = passwordRules(config, log);
      const wanted = { accountId: id, password, name, email, tenantName: tenant };
      const made = await bootstrap(db, wanted, openPasswords(), { rules, store }).finally(() => store.close());
      io.out(
        io.json
          ? JSON.stringify({ accountId: id, ...made })
          : record({ id, 'user id': made.userId, tenant: made.tenantId }),
      );
    } finally {
      await db.end();
    }
  } finally {
    await database.close();
  }
}
