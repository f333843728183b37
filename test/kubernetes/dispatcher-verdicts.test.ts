import test from 'ava';
import { until } from '../world/hooks.ts';
import { KUBE_TEST, TestCluster } from '../world/kubernetes/cluster.ts';
import { startDispatcher } from '../world/kubernetes/dispatcher.ts';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { ownWorld } from '../world.ts';

/** Verdicts of a real dispatcher on a real control plane. */
const w = ownWorld(test);
const real = KUBE_TEST === undefined ? test.serial.skip : test.serial;

real(
  'a dispatcher tells what its cluster could take; without the right to list nodes there is no verdict',
  async (t) => {
    t.timeout(10 * 60_000);
    const cluster = await TestCluster.start();
    t.teardown(() => cluster.stop());
    await cluster.node('n1', '--cpu 4 --memory 8Gi --labels zone=north');
    const classes = [{ name: 'gpu', labels: { gpu: 'a100' }, cores: 8, memoryMb: 65_536 }];
    const settings = { 'kubernetes.nodeClasses': JSON.stringify(classes) };
    const dispatcher = await startDispatcher(w, cluster, settings);
    t.teardown(() => dispatcher.stop());
    const client = w.as(await w.account({ tenantId: await w.tenant(), role: 'Owner' }));
    const projectId = await newProject(client);
    const file = await upload(w, client, 'words');
    const begin = async (more: object): Promise<string> =>
      (await start(client, copyRequest(projectId, file, more))).body.id;
    const why = async (id: string) => (await client.get(`/api/conversion/transfer/${id}/why`)).body;
    /** The verdict as soon as its reason, and that of the transfer, are this. */
    const said = async (id: string, reason: RegExp) => {
      await until(async () => reason.test((await why(id)).reason ?? ''));
      await until(async () =>
        reason.test((await client.get(`/api/conversion/transfer/${id}`)).body.waitingReason ?? ''),
      );
      return (await why(id)).verdict;
    };
    const [large, label, gpu, four] = [
      await begin({ memoryRequestMb: 131_072 }),
      await begin({ requiredLabels: ['zone=south'] }),
      await begin({ requiredLabels: ['gpu'], memoryRequestMb: 32_768 }),
      await begin({ cpuCoresRequest: 4 }),
    ];
    t.is(
      await said(large, /^Its pod needs 131584 MB of memory; the largest node, the class 'gpu', offers 65536/),
      'never',
    );
    t.is(await said(label, /^No node and no class .* has the label 'zone=south'\.$/), 'never');
    t.is(await said(gpu, /^It waits for a new node of the class 'gpu'\.$/), 'notNow');
    t.is((await untilEnd(client, four)).status, 'Completed');

    // a pod of somebody else, in another namespace
    const pod = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'others' },
      spec: {
        nodeName: 'n1',
        containers: [
          { name: 'c', image: 'x', command: ['sleep', '600'], resources: { requests: { cpu: '3', memory: '64Mi' } } },
        ],
      },
    });
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'others' } });
    await until(async () => (await cluster.kubectl('get', 'serviceaccounts', '-n', 'others')).includes('default'));
    await cluster.apply(pod('busy'));
    await until(async () => (await cluster.kubectl('get', 'pods', '-n', 'others')).includes('busy'));
    const next = await begin({ cpuCoresRequest: 2 });
    t.is(await said(next, /^It waits until n1 has 2 cores free \(now 1 core\), or for/), 'notNow');
    await cluster.kubectl('delete', 'pod', '-n', 'others', 'busy', '--grace-period=1');
    t.is((await untilEnd(client, next)).status, 'Completed');
    await dispatcher.stop();

    // the account of another one has no ClusterRole
    const rules = [{ apiGroups: ['', 'batch'], resources: ['*'], verbs: ['*'] }];
    const metadata = { name: 'out', namespace: 'others' };
    const rbac = 'rbac.authorization.k8s.io';
    await cluster.apply(
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
      { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules },
      {
        apiVersion: `${rbac}/v1`,
        kind: 'RoleBinding',
        metadata,
        subjects: [{ kind: 'ServiceAccount', ...metadata }],
        roleRef: { apiGroup: rbac, kind: 'Role', name: 'out' },
      },
    );
    const kubeconfig = (await cluster.up('kubeconfig', 'others', 'out')).split('\n').at(-1) ?? '';
    await w.sql('delete from cluster_views');
    const blind = await startDispatcher(w, cluster, {
      'kubernetes.kubeconfig': kubeconfig,
      'kubernetes.namespace': 'others',
    });
    t.teardown(() => blind.stop());
    await until(async () => (await w.sql('select from cluster_views where nodes is null')).length === 1);
    // in the words of the scheduler alone
    t.is(
      await said(large, /^No node of the cluster can take it now: 0\/1 nodes are available: 1 Insufficient memory/),
      undefined,
    );
    t.is((await untilEnd(client, await begin({}))).status, 'Completed');
  },
);
