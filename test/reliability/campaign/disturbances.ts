import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerProcess } from '../../world/worker.ts';
import type { Choices } from '../flags.ts';
import { childrenOf, OWN_NAME, type Platform, signal } from './platform.ts';

/** Something bad that happens to a platform. It says whether it happened: there may be nothing to do it to. */
export interface Disturbance {
  name: string;
  /** How often, beside the others. */
  weight: number;
  /** Whether it ends a process or a connection. */
  kills: boolean;
  happen(platform: Platform, choose: Choices): Promise<boolean>;
}

export const DISTURBANCES: readonly Disturbance[] = [
  {
    name: 'worker killed',
    weight: 14,
    kills: true,
    async happen(platform, choose) {
      const worker = aWorker(platform, choose);
      if (worker === undefined) return false;
      platform.expectEnd(worker);
      worker.process.kill('SIGKILL');
      return true;
    },
  },
  {
    name: 'conversion killed',
    weight: 10,
    kills: true,
    async happen(platform, choose) {
      const worker = aWorker(platform, choose);
      const children = worker === undefined ? [] : await childrenOf(worker.pid);
      return children.length > 0 && signal(choose.of(children), 'SIGKILL');
    },
  },
  {
    name: 'connection ended',
    weight: 24,
    kills: true,
    async happen(platform, choose) {
      const backends = await platform.sql<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and backend_type = 'client backend' and application_name <> $1 order by pid`,
        [OWN_NAME],
      );
      if (backends.length === 0) return false;
      await platform.sql('select pg_terminate_backend($1)', [choose.of(backends).pid]);
      return true;
    },
  },
  {
    name: 'API killed',
    weight: 5,
    kills: true,
    async happen(platform) {
      const api = platform.api();
      if (api === undefined) return false;
      platform.expectEnd(api);
      return api.process.kill('SIGKILL');
    },
  },
  ...(['SIGINT', 'SIGQUIT', 'SIGKILL'] as const).map((how) => ({
    name: `Postgres restarted after ${how}`,
    weight: 1,
    kills: true,
    async happen(platform: Platform) {
      await platform.restartPostgres(how);
      return true;
    },
  })),
  {
    name: 'worker stopped for a while',
    weight: 5,
    kills: false,
    async happen(platform, choose) {
      const worker = aWorker(platform, choose);
      if (worker === undefined) return false;
      worker.process.kill('SIGSTOP');
      void sleep(choose.between(200, 3000)).then(() => worker.process.kill('SIGCONT'));
      return true;
    },
  },
  {
    name: 'worker stopped beyond the deadline of what it runs, and woken up later',
    weight: 4,
    kills: false,
    async happen(platform, choose) {
      const worker = aWorker(platform, choose);
      if (worker === undefined) return false;
      worker.process.kill('SIGSTOP');
      platform.expectEnd(worker);
      await platform.sql(
        `update transfers set deadline = now() - interval '31 seconds'
         where status = 'InProgress' and worker_pool = (select pool from workers where pid = $1)`,
        [worker.pid],
      );
      void sleep(choose.between(2000, 8000)).then(() => worker.process.kill('SIGCONT'));
      return true;
    },
  },
  {
    name: 'a tenth of the queue deleted',
    weight: 4,
    kills: false,
    async happen(platform, choose) {
      await platform.sql(
        `delete from graphile_worker._private_jobs where id in (
           select id from graphile_worker._private_jobs order by md5(id::text || $1)
           limit (select ceil(count(*) / 10.0) from graphile_worker._private_jobs))`,
        [String(choose.share())],
      );
      return true;
    },
  },
];

const aWorker = ({ workers }: Platform, choose: Choices): WorkerProcess | undefined =>
  workers.size === 0 ? undefined : choose.of([...workers]);

/**
 * Runs disturbances one after another until `kills` have killed a process; returns the counts of each.
 * @param mix name of a disturbance → how often it happens; the others do not happen, and `kills` does not count
 */
export async function disturb(
  platform: Platform,
  choose: Choices,
  kills: number,
  mix?: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const left = mix && dealt(mix);
  const urn = left ?? DISTURBANCES.flatMap((each) => Array.from({ length: each.weight }, () => each));
  for (let killed = 0; left ? left.length > 0 : killed < kills; ) {
    // many kills of Postgres alone would keep the API from starting, so that nothing is under way
    while (left && (platform.api() === undefined || platform.workers.size === 0)) await sleep(100);
    await sleep(choose.between(...PAUSE_MS));
    const chosen = choose.of(urn);
    // the target process may just be restarting
    const deadline = Date.now() + PATIENCE_MS;
    let happened = await chosen.happen(platform, choose);
    while (!happened && Date.now() < deadline) {
      await sleep(100);
      happened = await chosen.happen(platform, choose);
    }
    if (!happened) continue;
    counts.set(chosen.name, (counts.get(chosen.name) ?? 0) + 1);
    if (chosen.kills) killed++;
    left?.splice(left.indexOf(chosen), 1);
  }
  return counts;
}

function dealt(mix: ReadonlyMap<string, number>): Disturbance[] {
  return [...mix].flatMap(([name, times]) => {
    const named = DISTURBANCES.find((each) => each.name === name);
    if (named === undefined)
      throw new Error(
        `There is no disturbance '${name}'. There are: ${DISTURBANCES.map((each) => each.name).join(', ')}.`,
      );
    return Array.from({ length: times }, () => named);
  });
}

const PAUSE_MS = [100, 900] as const;
const PATIENCE_MS = 20_000;
