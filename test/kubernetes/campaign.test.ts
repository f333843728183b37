import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { command } from '../world/empty-place.ts';
import { descendants, KUBE_TEST } from '../world/kubernetes/cluster.ts';
import { eventually, kubernetesScene } from '../world/kubernetes/scene.ts';
import { ownPostgres } from '../world/own-postgres.ts';
import { randomOf } from '../world/random.ts';
import { environmentOf, type Started } from '../world/worker.ts';

/**
 * Kills parts of the platform and of the cluster while transfers run: none is lost, none runs to an end twice.
 * `KUBE_KILLS` is the number of kills, `KUBE_SEED` repeats a campaign.
 */
const NODES = ['n1', 'n2', 'n3'];
const postgres = KUBE_TEST === undefined ? undefined : await ownPostgres();
const s = await kubernetesScene(test, Object.fromEntries(NODES.map((name) => [name, '--cpu 2 --memory 10Gi'])));
postgres?.endAfter(test);
const real = s === undefined ? test.serial.skip : test.serial;
const scene = () => s as NonNullable<typeof s>;
const KILLS = Number(process.env.KUBE_KILLS ?? 20);
const SEED = Number(process.env.KUBE_SEED ?? Date.now() % 100_000);
const IN_FLIGHT = 3;

real(`nothing is lost and nothing runs to an end twice while ${KILLS} parts are killed`, async (t) => {
  const { cluster, dispatch, beginStalled, w } = scene();
  // answers may fail while Postgres is away
  const get = (id: string) =>
    scene()
      .get(id)
      .catch(() => ({ status: 'unknown' }) as const);
  t.log(`KUBE_SEED=${SEED}`);
  const random = randomOf(SEED);
  const choose = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T;
  let dispatcher: Started = await dispatch();
  let stopping = false;
  const supervising = (async () => {
    while (!stopping) {
      await dispatcher.ended;
      // it may be hit while it starts
      if (!stopping) dispatcher = await dispatch().catch(() => dispatcher);
    }
  })();

  const ids: string[] = [];
  const working = Array.from({ length: IN_FLIGHT }, async () => {
    while (!stopping) {
      const { id, answer } = await beginStalled();
      ids.push(id);
      await eventually(240, `transfer ${id} runs`, async () =>
        ['InProgress', 'Completed', 'Error'].includes((await get(id)).status),
      );
      await sleep(500 + 4000 * random());
      answer();
      await eventually(240, `the end of ${id}`, async () => ['Completed', 'Error'].includes((await get(id)).status));
    }
  });
  const isRunning = async () =>
    (await w.sql("select from transfers where status = 'InProgress'").catch(() => [])).length > 0;

  const kills: Record<string, () => Promise<unknown>> = {
    dispatcher: async () => dispatcher.process.kill('SIGKILL'),
    pod: async () => {
      const children = (
        await Promise.all(NODES.map(async (node) => (await descendants(await cluster.pidOf(node))).slice(1)))
      ).flat();
      const victim = children.length > 0 && choose(children);
      if (victim) process.kill(victim, 'SIGKILL');
    },
    node: async () => restart(choose(NODES)),
    apiServer: () => restart('kube-apiserver'),
    etcd: () => restart('etcd'),
    scheduler: () => restart('kube-scheduler'),
    postgres: async () => postgres?.kill(500 + 2500 * random()),
    connections: () =>
      w.sql(`select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and application_name ~ '^platform (work|listen)'`),
  };
  async function restart(part: string) {
    await cluster.up('kill', part);
    await sleep(500 + 2500 * random());
    await cluster.up('start', part);
  }

  const counts: Record<string, number> = {};
  const last: string[] = [];
  for (let n = 0; n < KILLS; n++) {
    await eventually(240, 'running work', isRunning).catch(async (error) => {
      t.log(`after ${n} kills, the last ones ${last.slice(-5).join(', ')}: ${dispatcher.output().slice(-5000)}`);
      t.log(await cluster.up('status').catch(String));
      t.log(await w.sql('select * from kubernetes_jobs').catch(String));
      throw error;
    });
    const part = choose(Object.keys(kills));
    counts[part] = (counts[part] ?? 0) + 1;
    last.push(`${part} at ${new Date().toISOString()}`);
    await kills[part]?.().catch((error: Error) => t.log(`${part}: ${error.message}`));
    await sleep(1000 + 3000 * random());
  }
  stopping = true;
  await Promise.all(working);
  await dispatcher.stop();
  await supervising;

  const ends = await Promise.all(ids.map(get));
  const bad = ends.filter(({ status }) => status !== 'Completed');
  t.log(`${ids.length} transfers, kills ${JSON.stringify(counts)}`);
  t.deepEqual(bad, []);
  const [made] = await w.sql<{ count: number }>('select count(*)::int as count from datasets');
  t.is(made?.count, ids.length);
  const checked = await command(['integrity', '--read', '--json'], environmentOf(w, {}));
  t.deepEqual(JSON.parse(checked.out).findings, [], checked.err);
});
