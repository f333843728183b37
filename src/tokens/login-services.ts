import { LoginDelay } from '../accounts/login-delay.ts';
import { openAccountStore } from '../accounts/open-store.ts';
import { Passwords } from '../accounts/password.ts';
import { passwordRules } from '../accounts/password-policy.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import type { KeyStore } from '../platform/keys/key-store.ts';
import type { Sealer } from '../platform/keys/sealing.ts';
import { AccessTokens } from './access.ts';
import { Identities } from './identities.ts';

export interface LoginServiceParts {
  db: Database;
  settings: Config;
  keyStore: KeyStore;
  sealer: Sealer;
  log: Parameters<typeof openAccountStore>[2];
  /** Cost of new password hashes. Only for tests. */
  passwordIterations?: number | undefined;
  /** Milliseconds since 1970, for one-time passwords; default: the time. Only for tests. */
  clock?: (() => number) | undefined;
}

/** What accounts, groups, logins and tokens share. */
export async function openLoginServices(parts: LoginServiceParts) {
  const { db, settings, keyStore, sealer, log, clock = Date.now } = parts;
  const metadataKey = settings['twoFactor.metadataKey'];
  const store = await openAccountStore(settings, db, log);
  const accounts = {
    db,
    store,
    passwords: new Passwords(parts.passwordIterations),
    rules: passwordRules(settings, log),
  };
  const login = {
    ...accounts,
    delay: new LoginDelay(db, settings),
    lockout: { after: settings['accounts.lockoutAfter'], duration: settings['accounts.lockoutDuration'] },
    secondFactor: { sealer, metadataKey, clock },
    freshLogin: settings['tokens.freshLogin'],
    tokens: await AccessTokens.open(db, settings, keyStore),
    identities: new Identities(db),
  };
  return { accounts, groups: { db, sealer, secondFactorKey: metadataKey }, login };
}
