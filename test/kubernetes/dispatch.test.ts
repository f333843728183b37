import { rm } from 'node:fs/promises';
import test from 'ava';
import pg from 'pg';
import { needsOfTemplate } from '../../src/kubernetes/scheduling/template.ts';
import { countClusterJobs, listDispatchCounts } from '../../src/operations/metrics/kubernetes.queries.ts';
import { kubernetesMetrics } from '../../src/operations/metrics/kubernetes-metrics.ts';
import { forgiveFailures, listServedClusters } from '../../src/transfers/cluster/cluster-jobs.queries.ts';
import { listReachedClusters, storeClusterTrouble } from '../../src/transfers/cluster/cluster-views.queries.ts';
import { Cluster } from '../../workers/kubernetes/cluster.ts';
import { Dispatch, type DispatchOptions } from '../../workers/kubernetes/dispatch.ts';
import { DispatchCounts } from '../../workers/kubernetes/dispatch-counts.ts';
import type { JobBody } from '../../workers/kubernetes/job.ts';
import { readTemplate } from '../../workers/kubernetes/template.ts';
import { send } from '../world/api-server.ts';
import { makeCertificate } from '../world/certificate.ts';
import { until } from '../world/hooks.ts';
import { ReplayedCluster } from '../world/kubernetes/replayed-cluster.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { world } from '../world.ts';

/** Rounds of a dispatcher on the world's database, against recorded answers of an API server. */
const certificate = await makeCertificate();
const PLACE = 'https://here work';
const w = world(test);
const secure = certificate ? test.serial : test.serial.skip;
if (!certificate) console.warn('Dispatchers are not tested: there is no openssl here.');
test.after.always(async () => certificate && rm(certificate.folder, { recursive: true }));

async function scene(t: { teardown(end: () => unknown): void }, more: Partial<DispatchOptions> = {}) {
  if (!certificate) throw new Error('There is no openssl here.');
  const replayed = await ReplayedCluster.open(certificate);
  const log = { info() {}, warn() {} };
  const cluster = new Cluster(replayed.client, {
    namespace: 'work',
    instance: 'here',
    log,
    onChange: () => {},
  });
  const ended: string[] = [];
  const counts = new DispatchCounts();
  const settings: DispatchOptions['settings'] = {
    template: await readTemplate(undefined),
    image: 'platform',
    storageClass: undefined,
    overheadMb: 512,
    data: '/data',
    instance: 'here',
    hash: 'h',
  };
  const options: DispatchOptions = {
    db: w.db,
    cluster,
    place: PLACE,
    counts,
    settings,
    takes: 'all',
    maxPending: 100,
    log,
    announce: (id) => void ended.push(id),
    isDraining: () => false,
    ...more,
  };
  const dispatch = new Dispatch(options);
  t.teardown(async () => {
    await cluster.stop();
    replayed.close();
    await w.sql('delete from transfers');
    await w.sql('delete from workers');
  });
  await until(async () => cluster.trouble === undefined);
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  return {
    replayed,
    cluster,
    counts,
    dispatch,
    /** A dispatcher of other settings on the same cluster. */
    other: new Dispatch({ ...options, settings: { ...settings, hash: 'other' } }),
    ended,
    client,
    async begin(request: object = {}): Promise<string> {
      const { body } = await start(client, copyRequest(projectId, await upload(w, client, 'words'), request));
      return body.id;
    },
    /** Takes rounds until this is true. */
    async rounds(check: () => unknown) {
      await until(async () => {
        await dispatch.run();
        return Boolean(await check());
      });
    },
    get: async (id: string) => (await client.get(`/api/conversion/transfer/${id}`)).body,
    /** As a pod that claims it, and whose worker may be lost. */
    async claim(id: string, host: string) {
      await w.sql(`insert into workers (pool, host, pid, concurrency, memory_mb, cores) values ($1, $2, 1, 1, 1, 1)`, [
        `one-${id}`,
        host,
      ]);
      await w.sql(
        `update transfers set status = 'InProgress', attempt = attempt + 1, worker_pool = $2, deadline = now() + interval '1 hour'
         where id = $1`,
        [id, `one-${id}`],
      );
    },
    async release(id: string) {
      await w.sql('delete from workers where pool = $1', [`one-${id}`]);
      await w.sql(`update transfers set status = 'Pending', worker_pool = null, deadline = null where id = $1`, [id]);
    },
    job: (id: string, number: number) => `transfer-${id}-${number}`,
  };
}

const reasonOf = async (id: string) => {
  const [row] = await w.sql<{ reason?: string }>('select reason from kubernetes_jobs where transfer_id = $1', [id]);
  return row?.reason;
};

secure('waiting transfers are handed over once each, however many dispatchers there are', async (t) => {
  const s = await scene(t);
  const ids = [await s.begin(), await s.begin(), await s.begin()];
  await Promise.all([s.dispatch.run(), s.dispatch.run()]);
  await s.dispatch.run();
  t.deepEqual(s.replayed.calls.toSorted(), ids.map((id) => `create ${s.job(id, 1)}`).toSorted());
});

secure('transfers go out in the fair order of tenants', async (t) => {
  const s = await scene(t, { maxPending: 3 });
  const many = [await s.begin(), await s.begin(), await s.begin()];
  const other = w.as(await w.account({ tenantId: await w.tenant() }));
  const { body } = await start(other, copyRequest(await newProject(other), await upload(w, other, 'words')));
  await s.dispatch.run();
  t.is(s.replayed.calls.length, 3);
  t.true(s.replayed.calls.includes(`create ${s.job(body.id, 1)}`));
  t.false(s.replayed.calls.includes(`create ${s.job(many[2] ?? '', 1)}`));
});

secure('no more Jobs of equal needs than the setting says have no node; others do not wait for them', async (t) => {
  const s = await scene(t, { maxPending: 2 });
  const [first] = [await s.begin(), await s.begin(), await s.begin()];
  await s.begin({ memoryRequestMb: 8192 });
  await s.dispatch.run();
  await s.dispatch.run();
  t.is(s.replayed.jobs.length, 3);
  s.replayed.node('n1', 'node');
  s.replayed.pod(s.job(first, 1), 'running');
  await s.rounds(() => s.replayed.jobs.length === 4);
  t.pass();
});

secure('a draining dispatcher hands nothing over, nor one that cannot see the cluster', async (t) => {
  const s = await scene(t, { isDraining: () => true });
  await s.begin();
  await s.dispatch.run();
  t.deepEqual(s.replayed.calls, []);
});

secure('with `rest`, what a live worker could take stays in the platform', async (t) => {
  const s = await scene(t, { takes: 'rest' });
  await w.sql(`insert into workers (pool, host, pid, concurrency, memory_mb, cores, scratch_gb)
    values ('local', 'here', 1, 4, 4096, 4, 100)`);
  await s.begin();
  const large = await s.begin({ memoryRequestMb: 65_536 });
  await s.dispatch.run();
  t.deepEqual(s.replayed.calls, [`create ${s.job(large, 1)}`]);
});

secure('a Job that somebody deletes is made again, under the next number', async (t) => {
  const s = await scene(t);
  const id = await s.begin();
  await s.rounds(() => s.cluster.jobs.size === 1);
  s.replayed.remove(s.job(id, 1));
  await w.sql(`update kubernetes_jobs set handed_over_at = now() - interval '1 minute'`);
  await s.rounds(() => s.replayed.jobs.includes(s.job(id, 2)));
  t.deepEqual(s.replayed.calls, [`create ${s.job(id, 1)}`, `create ${s.job(id, 2)}`]);
});

secure('a transfer that was claimed and handed back goes out again, and its Job goes', async (t) => {
  const s = await scene(t);
  const id = await s.begin();
  await s.rounds(() => s.cluster.jobs.size === 1);
  s.replayed.node('n1', 'node');
  s.replayed.pod(s.job(id, 1), 'running');
  await until(async () => s.cluster.findPod(s.job(id, 1)) !== undefined);
  await s.claim(id, `${s.job(id, 1)}-abcde`);
  await s.dispatch.run();
  t.is((await s.get(id)).status, 'InProgress');
  await s.release(id);
  await s.dispatch.run();
  t.is(s.replayed.calls.length, 1);
  s.replayed.node('n1', 'nodeNotReady');
  await s.rounds(() => s.replayed.jobs.includes(s.job(id, 2)));
  await s.rounds(() => !s.replayed.jobs.includes(s.job(id, 1)));
  t.pass();
});

secure('the second pod that is killed for its memory ends the transfer', async (t) => {
  const s = await scene(t);
  const id = await s.begin();
  for (const number of [1, 2]) {
    await s.rounds(() => s.cluster.jobs.has(s.job(id, number)));
    s.replayed.pod(s.job(id, number), 'oom');
  }
  await s.rounds(async () => (await s.get(id)).status === 'Error');
  t.regex(
    (await s.get(id)).errorMessage,
    /^It was killed 2 times .* 4096 MB, and 512 MB for the worker\. Ask for more/,
  );
  t.deepEqual(s.ended, [id]);
});

secure('why a pod does not start is the waiting reason, until it has started', async (t) => {
  const s = await scene(t);
  const id = await s.begin();
  await s.rounds(() => s.cluster.jobs.size === 1);
  const name = s.job(id, 1);
  const reason = (pattern: RegExp) =>
    s.rounds(async () => {
      const [row] = await w.sql<{ reason: string }>(
        'select coalesce(reason, unscheduled) as reason from kubernetes_jobs',
      );
      return pattern.test(row?.reason ?? '');
    });
  s.replayed.event(name, 'quota');
  await reason(/^Kubernetes creates no pod for it: exceeded quota: q/);
  s.replayed.suspend(name);
  await reason(/^Its Job in Kubernetes is suspended/);
  s.replayed.pod(name, 'unscheduled');
  await reason(/suspended/);
  s.replayed.remove(name);
  await w.sql(`update kubernetes_jobs set handed_over_at = now() - interval '1 minute'`);
  await s.rounds(() => s.cluster.jobs.has(s.job(id, 2)));
  s.replayed.pod(s.job(id, 2), 'unscheduled');
  await reason(/^No node of the cluster can take it now: 0\/2 nodes are available/);
  s.replayed.node('n1', 'node');
  s.replayed.pod(s.job(id, 2), 'image');
  await reason(/^The image cannot be pulled on node n1: Back-off pulling image "missing"/);
  s.replayed.pod(s.job(id, 2), 'running');
  await reason(/^$/);
  t.pass();
});

secure('a label that Kubernetes refuses is the waiting reason, and no Job is made', async (t) => {
  const s = await scene(t);
  const id = await s.begin({ requiredLabels: ['zone=north_'] });
  await s.dispatch.run();
  await s.dispatch.run();
  t.deepEqual(s.replayed.calls, []);
  const [row] = await w.sql<{ reason: string }>('select reason from kubernetes_jobs where transfer_id = $1', [id]);
  t.regex(row?.reason ?? '', /^Kubernetes takes no label 'zone=north_': the value 'north_'/);
});

secure('a Job that the API server refuses is tried again later, and why is the waiting reason', async (t) => {
  const s = await scene(t);
  const message = 'jobs.batch "x" is forbidden: exceeded quota: q, requested: count/jobs.batch=1';
  s.replayed.refuse = (response) =>
    send(403, { kind: 'Status', reason: 'Forbidden', message, code: 403 })({} as never, response);
  const id = await s.begin();
  await s.dispatch.run();
  const [row] = await w.sql<{ reason: string; waits: boolean }>(
    'select reason, not_before > now() as waits from kubernetes_jobs where transfer_id = $1',
    [id],
  );
  t.deepEqual(row, { reason: `Kubernetes refused to create jobs: ${message}.`, waits: true });
  s.replayed.refuse = undefined;
  await w.sql('update kubernetes_jobs set not_before = now()');
  await s.rounds(() => s.replayed.jobs.includes(s.job(id, 2)));
});

secure('the Job of a cancelled transfer is deleted at once, and forgotten', async (t) => {
  const s = await scene(t);
  const id = await s.begin();
  await s.rounds(() => s.cluster.jobs.size === 1);
  t.is((await s.client.post(`/api/conversion/transfer/${id}/cancel`)).status, 202);
  await s.rounds(() => s.replayed.jobs.length === 0);
  await s.rounds(async () => (await w.sql('select from kubernetes_jobs')).length === 0);
  t.deepEqual(s.replayed.calls, [`create ${s.job(id, 1)}`, `delete ${s.job(id, 1)}`]);
});

secure('a transfer that a worker outside of the cluster runs needs no Job', async (t) => {
  const s = await scene(t);
  const id = await s.begin();
  await s.rounds(() => s.cluster.jobs.size === 1);
  await s.claim(id, 'another-machine');
  await s.rounds(() => s.replayed.jobs.length === 0);
  t.is((await s.get(id)).status, 'InProgress');
});

secure('a pod that no other one would better is followed by none, until the settings change', async (t) => {
  const s = await scene(t);
  const id = await s.begin();
  await s.rounds(() => s.cluster.jobs.size === 1);
  s.replayed.pod(s.job(id, 1), 'exit8');
  await s.rounds(async () => /^Its pod ended with exit code 8: the worker/.test((await reasonOf(id)) ?? ''));
  await s.dispatch.run();
  t.deepEqual(s.replayed.jobs, [s.job(id, 1)]);
  const { other } = s;
  await other.run();
  t.true(s.replayed.jobs.includes(s.job(id, 2)));
  s.replayed.pod(s.job(id, 2), 'exit8');
  await until(async () => s.cluster.findPod(s.job(id, 2))?.exit !== undefined);
  await other.run();
  await other.run();
  await s.dispatch.run();
  t.is(s.replayed.jobs.length, 2);
  // as a dispatcher that starts
  await w.db.transaction((tx) => forgiveFailures(tx, 'h'));
  await s.dispatch.run();
  t.true(s.replayed.jobs.includes(s.job(id, 3)));
});

secure('dispatchers of two clusters leave the Jobs of each other alone, until nobody serves a cluster', async (t) => {
  const s = await scene(t);
  const id = await s.begin();
  await s.dispatch.run();
  await s.rounds(() => s.cluster.jobs.size === 1);
  await w.sql(
    `update kubernetes_jobs set cluster = 'https://there work', handed_over_at = now() - interval '1 minute'`,
  );
  await w.sql(`insert into workers (pool, host, pid, concurrency, memory_mb, cores, hands_over, cluster)
    values ('other', 'there', 1, 1, 1, 1, 'all', 'https://there work')`);
  const dispatcher = new pg.Client({ connectionString: w.url });
  await dispatcher.connect();
  await dispatcher.query(`select pg_advisory_lock(hashtextextended('other', 0))`);
  s.replayed.remove(s.job(id, 1));
  await s.rounds(() => s.cluster.jobs.size === 0);
  const after61s = async () => {
    await s.dispatch.run();
    const { now } = performance;
    performance.now = () => now.call(performance) + 61_000;
    await s.dispatch.run();
    performance.now = now;
  };
  await after61s();
  t.deepEqual(s.replayed.jobs, []);
  await dispatcher.end();
  await s.rounds(async () => (await listServedClusters(w.db)).length === 0);
  t.deepEqual(s.replayed.jobs, []);
  await after61s();
  t.deepEqual(s.replayed.jobs, [s.job(id, 2)]);
  t.deepEqual(await w.sql('select cluster from kubernetes_jobs'), [{ cluster: PLACE }]);
});

secure('a Job whose creation nobody answers is neither given up nor made twice', async (t) => {
  const s = await scene(t);
  let lost = 0;
  s.replayed.refuse = (response) => {
    lost++;
    response.destroy();
  };
  const id = await s.begin();
  await s.dispatch.run();
  t.is(lost, 1);
  s.replayed.refuse = undefined;
  await w.sql(`update kubernetes_jobs set handed_over_at = now() - interval '1 minute'`);
  await s.rounds(() => s.replayed.jobs.length === 1);
  t.deepEqual(s.replayed.jobs, [s.job(id, 2)]);
});

secure('no Job goes to a node that an operator drains', async (t) => {
  const s = await scene(t);
  await w.sql(`insert into drains (scope, name, account_id) values ('host', 'n1', 'ann'), ('host', 'PC_7', 'ann')`);
  t.teardown(() => w.sql('delete from drains'));
  await s.begin();
  await s.dispatch.run();
  const made = s.replayed.server.received.filter(({ method }) => method === 'POST').map(({ body }) => body as JobBody);
  t.is(made.length, 1);
  t.deepEqual(made[0]?.spec.template.spec.affinity, {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [], matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] },
        ],
      },
    },
  });
});

secure('what dispatchers do is counted in the database', async (t) => {
  const s = await scene(t);
  await w.sql('delete from kubernetes_metrics');
  const id = await s.begin();
  await s.rounds(() => s.cluster.jobs.size === 1);
  s.replayed.pod(s.job(id, 1), 'oom');
  await s.rounds(() => s.replayed.jobs.includes(s.job(id, 2)));
  await s.counts.flush(w.db);
  await s.counts.flush(w.db);
  const rows = await w.sql(
    'select name, labels, count::int, sum > 0 as sum from kubernetes_metrics order by name, labels',
  );
  t.deepEqual(rows, [
    { name: 'failures', labels: { reason: 'memory' }, count: 1, sum: false },
    { name: 'handover', labels: {}, count: 1, sum: true },
  ]);
  await w.db.transaction(async (tx) => {
    const view = {
      takes: 'all',
      overheadMb: 512,
      scratchIsVolume: true,
      template: needsOfTemplate({}, 'work'),
    } as const;
    await storeClusterTrouble(
      tx,
      { name: `${PLACE} 0123`, cluster: PLACE },
      { ...view, classes: [] },
      'It does not answer.',
    );
  });
  const [jobs, counted, reached] = await Promise.all([
    countClusterJobs(w.db),
    listDispatchCounts(w.db),
    listReachedClusters(w.db),
  ]);
  const values = kubernetesMetrics(jobs, counted, reached).flatMap(({ name, values: all }) =>
    all
      .filter(({ value, metricName }) => value > 0 && !metricName?.endsWith('_bucket') && !metricName?.endsWith('_sum'))
      .map(({ metricName = name, labels, value }) => [metricName, ...Object.values(labels), value].join(' ')),
  );
  t.deepEqual(values, [
    'platform_kubernetes_jobs waiting 1',
    'platform_kubernetes_handover_seconds_count 1',
    'platform_kubernetes_job_failures_total memory 1',
  ]);
  t.deepEqual(reached, [{ cluster: PLACE, up: false }]);
});
