import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Reads } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { migrationNames } from '../../platform/postgres/pending-update.ts';
import { readBuild } from '../../platform/telemetry/build.ts';
import { type App, Routes } from '../route.ts';
import { component, text } from '../rules/members.ts';
import { listMigrations } from './health.queries.ts';

const TIMEOUT_MS = 2000;
export const Build = component('Build', {
  version: text('Version of the platform.', '1.0.0'),
  commit: text(
    'Commit of its source; absent if it is not known.',
    '0f337d10c5b7e1d2a4f6089b3c5d7e9fa1b2c3d4',
  ).optional(),
});
const State = z.object({ status: text('`live` or `ready`.', 'live') });

/**
 * `/health`: what runs. `/health/live`: the process answers. `/health/ready`: the database answers, too, and is
 * migrated.
 */
export const healthRoutes = async (app: App, { db }: { db: Reads }): Promise<void> => {
  const routes = new Routes(app, { access: 'public', service: 'none', limit: 'free', tags: ['health'] });

  routes.get('/health', {
    operationId: 'getHealth',
    summary: 'Returns version and commit of the process that answers',
    response: { 200: Build },
    handler: async () => readBuild(),
  });

  routes.get('/health/live', {
    operationId: 'getHealthLive',
    summary: 'Liveness probe: the process answers',
    response: { 200: State },
    handler: async () => ({ status: 'live' }),
  });

  const expected = await migrationNames();
  routes.get('/health/ready', {
    operationId: 'getHealthReady',
    summary: 'Readiness probe: the server can serve requests',
    response: { 200: State },
    handler: async (request) => {
      const missing = await Promise.race([missingMigrations(db, expected), timeout()]).catch((error) => {
        request.log.warn({ err: error }, 'not ready');
        return undefined;
      });
      if (missing === undefined)
        throw new AppError('unavailable', 'The database cannot be reached.', { code: 'NotReady', retryAfter: 2 });
      if (missing.length > 0)
        throw new AppError('unavailable', 'The database is not migrated yet.', { code: 'NotReady', retryAfter: 2 });
      return { status: 'ready' };
    },
  });
};

/** After a stall timers run before what has arrived meanwhile is read: that still has its turn. */
async function timeout() {
  await sleep(TIMEOUT_MS, undefined, { ref: false });
  return nextTurn();
}

async function missingMigrations(db: Reads, expected: readonly string[]) {
  const applied = new Set(await listMigrations(db));
  return expected.filter((name) => !applied.has(name));
}
