import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { grant, serviceAccount } from '../world/kubernetes/rights.ts';
import { eventually, kubernetesScene } from '../world/kubernetes/scene.ts';

/** Rates of a dispatcher, on a real control plane and a node that has room for all. Programs sleep in place of work. */
const s = await kubernetesScene(test, { n1: '--cpu 500 --memory 4000Gi --pods 900' });
const real = s === undefined ? test.serial.skip : test.serial;
const scene = () => s as NonNullable<typeof s>;
const MANY = 1000;

const quantile = (sorted: readonly number[], part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;

real('at three Jobs a second, a pod starts within three seconds of its request', async (t) => {
  const { cluster, dispatch, begin } = scene();
  await dispatch({}, { program: ['sh', '-c', 'sleep 60', '--'] });
  await begin();
  const begun = new Map<string, number>();
  for (let n = 0; n < 45; n++) {
    const next = performance.now() + 1000 / 3;
    const now = Date.now();
    begun.set(await begin(), now);
    await sleep(Math.max(0, next - performance.now()));
  }
  const started = () =>
    cluster.logOf('n1').then((log) =>
      [...log.matchAll(/^(\S+) n1 started transfer-(.{36})-1-/gm)].flatMap(([, time = '', id = '']) => {
        const since = begun.get(id);
        return since === undefined ? [] : [(Date.parse(time) - since) / 1000];
      }),
    );
  await eventually(60, 'all pods', async () => (await started()).length === begun.size);
  const times = (await started()).sort((a, b) => a - b);
  t.log(`request to start: p50 ${quantile(times, 0.5).toFixed(2)} s, p95 ${quantile(times, 0.95).toFixed(2)} s`);
  const made = (await cluster.audit())
    .filter(({ verb, objectRef }) => verb === 'create' && objectRef?.resource === 'jobs')
    .flatMap(({ objectRef, stageTimestamp }) => {
      const [, id = ''] = /^transfer-(.{36})-1$/.exec(objectRef?.name ?? '') ?? [];
      const since = begun.get(id);
      return since === undefined ? [] : [(Date.parse(stageTimestamp) - since) / 1000];
    })
    .sort((a, b) => a - b);
  t.log(`request to Job: p50 ${quantile(made, 0.5).toFixed(2)} s, p95 ${quantile(made, 0.95).toFixed(2)} s`);
  t.true(quantile(times, 0.95) <= 3);
});

real('a thousand waiting transfers are handed over as fast as kubectl applies Jobs, with few calls', async (t) => {
  const { cluster, dispatch, begin, w } = scene();
  await w.sql('delete from transfers');
  const first = await begin({ requiredLabels: ['no=such'] });
  const columns = await w.sql<{ name: string }>(
    `select quote_ident(column_name) as name from information_schema.columns
     where table_name = 'transfers' and is_generated = 'NEVER' and column_name <> 'id'`,
  );
  const names = columns.map(({ name }) => name).join(', ');
  await w.sql(
    `insert into transfers (${names}) select ${names} from transfers, generate_series(2, ${MANY}) where id = $1`,
    [first],
  );
  const settings = { 'kubernetes.kubeconfig': await serviceAccount(cluster), 'kubernetes.namespace': 'work' };
  await grant(cluster);
  const dispatcher = await dispatch({ ...settings, 'kubernetes.maxPending': String(MANY) });
  const lines = async (namespace: string) =>
    (await cluster.audit()).filter(
      ({ verb, objectRef }) => verb === 'create' && objectRef?.resource === 'jobs' && objectRef.namespace === namespace,
    );
  const rate = async (namespace: string) => {
    const times = (await lines(namespace))
      .map(({ stageTimestamp }) => Date.parse(stageTimestamp))
      .sort((a, b) => a - b);
    return (1000 * (times.length - 1)) / ((times.at(-1) ?? 0) - (times[0] ?? 0));
  };
  await eventually(200, 'all Jobs', async () => (await lines('work')).length >= MANY + 1);
  const ours = await rate('work');
  const calls = (await cluster.audit()).filter(({ user }) => user.username.endsWith(':work:dispatcher')).length / MANY;
  await dispatcher.stop();
  const [job] = await scene().jobs(first);
  const manifest = Array.from({ length: MANY }, (_, n) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: `plain-${n}`, namespace: 'plain' },
    spec: {
      backoffLimit: 0,
      template: { spec: { ...(job as unknown as { spec: { template: { spec: object } } }).spec.template.spec } },
    },
  }));
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'plain' } });
  await cluster.apply(...manifest);
  const theirs = await rate('plain');
  t.log(`${ours.toFixed(0)} Jobs/s, kubectl ${theirs.toFixed(0)} Jobs/s; ${calls.toFixed(2)} calls a Job`);
  t.true(ours >= 0.8 * theirs);
  t.true(calls <= 3);
});
