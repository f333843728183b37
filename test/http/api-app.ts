import type { ExecutionContext } from 'ava';
import Fastify from 'fastify';
import { Passwords } from '../../src/accounts/password.ts';
import { loadConfig } from '../../src/config.ts';
import type { Database } from '../../src/db.ts';
import { apiRules } from '../../src/http/api-rules.ts';
import type { Caller } from '../../src/http/caller.ts';
import { Limits } from '../../src/http/limits/limits.ts';
import type { App } from '../../src/http/route.ts';
import { CallerLimits } from '../../src/http/rules/limit.ts';
import { closeMethods } from '../../src/http/rules/methods.ts';
import { serverOptions } from '../../src/http/server-options.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';

/** A caller for each of these tokens. */
export const callers: Record<string, Caller> = Object.fromEntries(
  ['anna', 'berta', 'admin'].map((name, index) => [
    name,
    {
      userId: `00000000-0000-4000-8000-00000000000${index}`,
      accountId: name,
      foldedId: name,
      tenants: [{ id: '018f3c1e-7a4b-7c2d-9e1f-001122334455', role: 'Member' }],
      groups: name === 'admin' ? ['Administrators'] : [],
      roles: [],
      scopes: [],
      via: 'token',
      address: '127.0.0.1',
      requestId: 'test',
    },
  ]),
);

export const bearer = (name: string) => ({ authorization: `Bearer ${name}` });

type Log = ReturnType<typeof createLog>;

/** An app with the rules of the API and routes of the test's own; callers sign in with their name as token. */
export async function apiApp(
  t: ExecutionContext,
  routes: (app: App) => void,
  { db, env = {}, log = createLog('silent') }: { db?: Database; env?: Record<string, string>; log?: Log } = {},
): Promise<App> {
  const config = loadConfig(env);
  const passwords = new Passwords(10);
  const app: App = Fastify(serverOptions(config, log));
  await app.register(apiRules, {
    config,
    db: db as Database,
    fingerprint: (secret, salt, address) => passwords.fingerprint(secret, salt, address),
    identitiesChanged: () => {},
    limits: new CallerLimits(new Limits(), config),
    findProjectOf: async () => undefined,
    gates: { guards: () => false, check: async () => {} },
    findCaller: ({ headers }) => callers[headers.authorization?.slice('Bearer '.length) ?? ''],
  });
  routes(app);
  closeMethods(app);
  t.teardown(() => app.close());
  return app;
}
