import test from 'ava';
import type { NodeView } from '../../src/kubernetes/scheduling/node-view.ts';
import { needsOfTemplate } from '../../src/kubernetes/scheduling/template.ts';
import type { ClusterSettings } from '../../src/transfers/cluster/cluster-view.ts';
import {
  listClusterViews,
  storeClusterTrouble,
  storeClusterView,
} from '../../src/transfers/cluster/cluster-views.queries.ts';
import { sweep } from '../../src/transfers/queue/sweep.ts';
import { machines } from '../cli/machine.ts';
import { until } from '../world/hooks.ts';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { workHere } from '../world/worker-here.ts';
import { ownWorld } from '../world.ts';

/** What transfers say that wait for a cluster, as its dispatcher described it. Serial: the views are of all. */
const w = ownWorld(test);
const machine = machines(w);
const MB = 2 ** 20;

test.beforeEach(() => w.sql('delete from cluster_views'));

const settings: ClusterSettings = {
  takes: 'all',
  overheadMb: 512,
  scratchIsVolume: false,
  template: needsOfTemplate({}, 'transfer'),
  classes: [],
};

const node = (name: string, freeMb: number, labels: Record<string, string> = {}): NodeView => ({
  name,
  labels: { 'kubernetes.io/hostname': name, ...labels },
  taints: [],
  allocatable: { cpu: 3920, memory: 16_384 * MB, 'ephemeral-storage': 2 ** 35, pods: 110 },
  daemons: { memory: 256 * MB, pods: 1 },
  used: { memory: (16_384 - freeMb) * MB, pods: 4 },
});

const store = (nodes: readonly NodeView[] | undefined, more: Partial<ClusterSettings> = {}, name = 'here') =>
  w.db.transaction((tx) =>
    storeClusterView(tx, { name, cluster: name }, { settings: { ...settings, ...more }, nodes }),
  );

async function scene() {
  const user = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(user);
  const projectId = await newProject(client);
  const file = await upload(w, client, 'words');
  return {
    client,
    user,
    begin: async (more: object = {}): Promise<string> =>
      (await start(client, copyRequest(projectId, file, more))).body.id,
    warnings: async (more: object): Promise<string[]> =>
      (await client.post('/api/conversion/upload-convert?dryRun=true', copyRequest(projectId, file, more))).body
        .warnings,
    /** When the transfer says the same reason, which a sweep stores. */
    async why(id: string) {
      const { body } = await client.get(`/api/conversion/transfer/${id}/why`);
      await until(async () => {
        // undefined: a worker sweeps at this moment
        await sweep(w.db, { thorough: false, patience: 60_000 });
        return (await client.get(`/api/conversion/transfer/${id}`)).body.waitingReason === body.reason;
      });
      return body;
    },
  };
}

test.serial('a transfer says whether a cluster could ever take it, or only not now', async (t) => {
  const s = await scene();
  const [plain, large, gpu, fine] = await Promise.all([
    s.begin(),
    s.begin({ memoryRequestMb: 65_536 }),
    s.begin({ requiredLabels: ['gpu'] }),
    s.begin({ cpuCoresRequest: 3.9, memoryRequestMb: 8192 }),
  ]);
  t.like(await s.why(plain), { reason: 'No worker is running.', verdict: undefined });

  await store([node('n1', 4000), node('n2', 2000)]);
  const waits = await s.why(plain);
  t.like(waits, {
    status: 'Pending',
    verdict: 'notNow',
    reason: 'It waits until n1 has 4608 MB of memory free (now 4000 MB of memory).',
    node: 'n1',
    lacks: ['4608 MB of memory'],
    since: (await s.client.get(`/api/conversion/transfer/${plain}`)).body.createdAt,
  });
  const { run } = await machine(t);
  const shown = await run(['transfer', 'why', plain], { env: { PLATFORM_TOKEN: await w.tokenOf(s.user) } });
  t.regex(shown.out, /^waits since +\d{4}-/m, shown.err);
  t.regex(shown.out, /^could run +later, but not now$/m);
  t.regex(shown.out, /^nearest node +n1$/m);
  t.regex(shown.out, /^which lacks +4608 MB of memory$/m);
  const never = 'Its pod needs 66048 MB of memory; the largest node, n1, offers 16128 MB of memory.';
  t.like(await s.why(large), { verdict: 'never', reason: never, node: 'n1', lacks: ['66048 MB of memory'] });
  t.deepEqual(await s.warnings({ memoryRequestMb: 65_536 }), [never]);
  t.deepEqual(await s.warnings({ memoryRequestMb: 8192 }), []);
  t.like(await s.why(gpu), { verdict: 'never', reason: "No node of the Kubernetes cluster has the label 'gpu'." });

  await store([node('n1', 16_000)], {
    classes: [{ name: 'a100', labels: { gpu: 'a100' }, taints: [], cores: 8, memoryMb: 32_768 }],
  });
  for (const id of [plain, fine]) {
    const { verdict, reason, workers } = await s.why(id);
    t.deepEqual([verdict, reason, workers], [undefined, undefined, []], 'there is room');
  }
  t.like(await s.why(gpu), { verdict: 'notNow', reason: "It waits for a new node of the class 'a100'.", node: 'a100' });
});

test.serial('without the right to list nodes, and from views that nobody renews, there is no verdict', async (t) => {
  const s = await scene();
  const id = await s.begin({ memoryRequestMb: 65_536 });
  await store(undefined);
  t.like(await s.why(id), { verdict: undefined, reason: undefined });
  t.deepEqual(await s.warnings({ memoryRequestMb: 65_536 }), []);
  await store([]);
  t.like(await s.why(id), { verdict: 'never', reason: 'The Kubernetes cluster has no nodes.' });
  await w.sql(`update cluster_views set seen_at = now() - interval '2 minutes'`);
  t.like(await s.why(id), { verdict: undefined, reason: 'No worker is running.' });
});

test.serial('of several clusters each could take a transfer; a live worker counts as well', async (t) => {
  const s = await scene();
  const id = await s.begin({ memoryRequestMb: 2048, requiredLabels: ['zone=north'] });
  await store([node('n1', 100)]);
  await store([node('n2', 100, { zone: 'north' })], {}, 'there');
  t.like(await s.why(id), { verdict: 'notNow', node: 'n2' });
  await store([node('n2', 8000, { zone: 'north' })], {}, 'there');
  t.like(await s.why(id), { verdict: undefined, reason: undefined });

  await w.sql('delete from cluster_views');
  await store([]);
  t.like(await s.why(id), { verdict: 'never' });
  const worker = await workHere(w, { 'worker.labels': 'zone=south', 'worker.memory': '4096' });
  try {
    t.like(await s.why(id), {
      verdict: 'never',
      reason: "The Kubernetes cluster has no nodes. No worker has the label 'zone=north'.",
    });
    const local = await s.begin({ requiredLabels: ['zone=south'] });
    t.is((await untilEnd(s.client, local)).status, 'Completed');
    t.deepEqual(await s.warnings({ requiredLabels: ['zone=south'], memoryRequestMb: 4096 }), []);
  } finally {
    await worker.stop();
  }
});

test.serial(
  'two dispatchers write one view; an unchanged one moves its time alone; old ones are deleted',
  async (t) => {
    const nodes = Array.from({ length: 40 }, (_, n) => node(`n${n}`, 1000 + n));
    await Promise.all([store(nodes), store([...nodes].reverse()), store([], {}, 'gone')]);
    const views = await listClusterViews(w.db);
    t.deepEqual(views.map(({ nodes: all }) => all?.length).sort(), [0, 40]);
    const here = views.find(({ nodes: all }) => all?.length === 40);
    const byName = (a: NodeView, b: NodeView) => (a.name < b.name ? -1 : 1);
    t.deepEqual([...(here?.nodes ?? [])].sort(byName), [...nodes].sort(byName));
    const size = async () =>
      (await w.sql<{ size: number }>(`select length(nodes::text) as size from cluster_views where name = 'here'`))[0]
        ?.size;
    t.true(((await size()) ?? 0) < 40 * 80, 'equal nodes are stored once');

    const state = async () =>
      w.sql<{ late: boolean }>(
        `select seen_at > now() - interval '1 second' as late from cluster_views where name = 'here'`,
      );
    await w.sql(`update cluster_views set seen_at = now() - interval '40 seconds' where name = 'here'`);
    await w.sql(`update cluster_views set seen_at = now() - interval '2 hours' where name = 'gone'`);
    await store(nodes);
    t.like((await state())[0], { late: true });
    t.deepEqual(await w.sql('select name from cluster_views'), [{ name: 'here' }]);
  },
);

test.serial('that nobody hears the cluster is the reason, unless another dispatcher does', async (t) => {
  const s = await scene();
  const id = await s.begin();
  const trouble = 'The Kubernetes API server at https://here does not answer: connect ECONNREFUSED.';
  const tell = () =>
    w.db.transaction((tx) => storeClusterTrouble(tx, { name: 'here', cluster: 'here' }, settings, trouble));
  await tell();
  t.like(await s.why(id), { verdict: undefined, reason: trouble });
  await store([node('n1', 8000)]);
  await tell();
  t.like(await s.why(id), { verdict: undefined, reason: undefined });
  await w.sql(`update cluster_views set seen_at = now() - interval '13 seconds'`);
  await tell();
  t.like(await s.why(id), { verdict: undefined, reason: trouble });
  await store([node('n1', 8000)]);
  t.like(await s.why(id), { verdict: undefined, reason: undefined });
});
