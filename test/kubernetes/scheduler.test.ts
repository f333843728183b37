import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { listAll } from '../../src/kubernetes/resources.ts';
import { GB, MB } from '../../src/kubernetes/scheduling/amounts.ts';
import { loadOfPod, type NodeClass, viewOfNode, withLoads } from '../../src/kubernetes/scheduling/node-view.ts';
import { needsOfTemplate, type TemplateSpec } from '../../src/kubernetes/scheduling/template.ts';
import { judge } from '../../src/kubernetes/scheduling/verdict.ts';
import { type ClusterNode, findCondition, type Pod } from '../../src/kubernetes/types.ts';
import { inLanes } from '../../src/operations/backup/copy-blobs.ts';
import { podRequest } from '../../src/transfers/cluster/pod-request.ts';
import { estimateResources } from '../../src/transfers/queue/resource-request.ts';
import { type JobSettings, makeJob } from '../../workers/kubernetes/job.ts';
import { CONTAINER, readTemplate, type Template } from '../../workers/kubernetes/template.ts';
import { KUBE_TEST, TestCluster } from '../world/kubernetes/cluster.ts';
import { type MadeCluster, nodeObject, podObject, READY, randomCluster } from '../world/kubernetes/random-cluster.ts';

/**
 * Verdicts on random clusters, compared with what the scheduler of Kubernetes does. The nodes are objects alone: no
 * kubelet, and the controller of their life waits for an hour. `KUBE_CASES` is their number, `KUBE_SEED` the first.
 */
const CASES = Number(process.env.KUBE_CASES ?? 500);
const FIRST = Number(process.env.KUBE_SEED ?? 1);
const LANES = 8;
const HOUR_S = 3600;

interface Case {
  seed: number;
  made: MadeCluster;
  settings: JobSettings;
  verdict: string;
  reason: string | undefined;
}

const real = KUBE_TEST === undefined ? test.skip : test;

real('verdicts are those of the scheduler, and never stays never in an empty cluster', async (t) => {
  t.timeout(30 * 60_000);
  const cluster = await TestCluster.start(HOUR_S);
  t.teardown(() => cluster.stop());
  const { client } = cluster;
  const post = (path: string, body: object) =>
    client.request({ method: 'POST', path, body, action: { verb: 'create', resource: 'objects' } });
  const send = (method: 'PATCH' | 'DELETE', path: string, body: object) =>
    client.request({
      method,
      path,
      body,
      contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      action: { verb: 'patch', resource: 'objects' },
    });
  const PODS = '/api/v1/namespaces/default/pods';
  const pods = () => listAll<Pod>(client, { resource: 'pods', namespace: 'default' });

  const cases = await Promise.all(Array.from({ length: CASES }, (_, n) => caseOf(FIRST + n)));
  const addNode = (one: Case, node: ReturnType<typeof nodeObject>) => post('/api/v1/nodes', inCase(one, node));
  await inLanes(cases, LANES, async (one) => {
    for (const node of one.made.nodes) await addNode(one, nodeObject(node));
    for (const pod of one.made.pods) {
      const { metadata, spec, status } = podObject(pod);
      const name = `c${one.seed}-${metadata.name}`;
      // without an owner, which the garbage collector would miss, and evicted by no taint
      await post(PODS, {
        metadata: { name },
        spec: { ...spec, nodeName: `c${one.seed}-${spec.nodeName}`, tolerations: [{ operator: 'Exists' }] },
      });
      if (pod.ended) await send('PATCH', `${PODS}/${name}/status`, { status: { phase: status.phase } });
    }
  });
  await until('all nodes are ready', async () => {
    const { items } = await listAll<ClusterNode>(client, { resource: 'nodes' });
    return items.every(({ spec }) => spec?.taints?.every(({ key }) => key !== 'node.kubernetes.io/not-ready') ?? true);
  });

  /** Whether the scheduler found a node for each pod, when it has tried. */
  const schedule = async (suffix: string, chosen: readonly Case[]) => {
    await inLanes(chosen, LANES, (one) => post(PODS, podOf(one, suffix)).then(() => {}));
    const found = new Map<number, boolean>();
    await until('the scheduler has tried all pods', async () => {
      const byName = new Map((await pods()).items.map((pod) => [pod.metadata.name, pod]));
      for (const { seed } of chosen) {
        const status = findCondition(byName.get(`c${seed}-${suffix}`), 'PodScheduled')?.status;
        if (status !== undefined) found.set(seed, status === 'True');
      }
      return found.size === chosen.length;
    });
    return found;
  };
  const counts: Record<string, number> = { room: 0, notNow: 0, never: 0 };
  const now = await schedule('now', cases);
  for (const { seed, verdict, reason } of cases) {
    t.is(verdict === 'room', now.get(seed) === true, `seed ${seed}: ${verdict}: ${reason}`);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
  }

  // were they empty of all but DaemonSets, not cordoned, and with a node of each class
  const waiting = cases.filter(({ verdict }) => verdict !== 'room');
  await inLanes(waiting, LANES, async (one) => {
    await send('DELETE', `${PODS}/c${one.seed}-now`, { gracePeriodSeconds: 0 });
    for (const { name, isDaemon } of one.made.pods)
      if (!isDaemon) await send('DELETE', `${PODS}/c${one.seed}-${name}`, { gracePeriodSeconds: 0 });
    for (const { name, unschedulable } of one.made.nodes)
      if (unschedulable) await send('PATCH', `/api/v1/nodes/c${one.seed}-${name}`, { spec: { unschedulable: null } });
    for (const each of one.made.classes) await addNode(one, nodeOfClass(each));
  });
  await until('no node is cordoned', async () => {
    const { items } = await listAll<ClusterNode>(client, { resource: 'nodes' });
    const seeds = new Set(waiting.map(({ seed }) => String(seed)));
    return items
      .filter(({ metadata }) => seeds.has(metadata.labels?.case ?? ''))
      .every(({ spec }) => spec?.taints?.every(({ key }) => !key.startsWith('node.kubernetes.io/')) ?? true);
  });
  const later = await schedule('later', waiting);
  for (const { seed, verdict, reason } of waiting)
    t.is(verdict === 'notNow', later.get(seed) === true, `seed ${seed}, empty: ${verdict}: ${reason}`);
  t.log(`${CASES} cases from seed ${FIRST}: ${JSON.stringify(counts)}`);
});

/** Marks the nodes of a case: its pods select no others. */
const inCase = ({ seed }: Pick<Case, 'seed'>, node: ReturnType<typeof nodeObject>) => ({
  ...node,
  metadata: {
    ...node.metadata,
    name: `c${seed}-${node.metadata.name}`,
    labels: { ...node.metadata.labels, case: String(seed) },
  },
});

async function caseOf(seed: number): Promise<Case> {
  const made = randomCluster(seed);
  const { nodeSelector, tolerations, notZone } = made.template;
  const template = await readTemplate(
    JSON.stringify({
      spec: {
        nodeSelector: { ...nodeSelector, case: String(seed) },
        tolerations,
        ...(notZone !== undefined && { affinity: notIn(notZone) }),
        // those of the transfer alone
        containers: [{ name: 'work', resources: { requests: { cpu: '10m' } } }],
      },
    }),
  );
  const settings = {
    template,
    image: 'example.org/none:1',
    storageClass: undefined,
    overheadMb: made.request.overheadMb,
    data: '/data',
    instance: 'test',
    hash: 'none',
  };
  const nodes = made.nodes.map((node) => viewOfNode(inCase({ seed }, nodeObject(node)) as unknown as ClusterNode));
  const loads = made.pods.flatMap((pod) => {
    const { metadata, spec, status } = podObject(pod);
    return loadOfPod({ metadata, spec: { ...spec, nodeName: `c${seed}-${spec.nodeName}` }, status }) ?? [];
  });
  const classes = made.classes.map((one) => ({ ...one, labels: { ...one.labels, case: String(seed) } }));
  const found = judge(
    podRequest(flagsOf(made), { ...settings, scratchIsVolume: false, template: needsOf(template) }),
    withLoads(nodes, loads),
    classes,
  );
  return { seed, made, settings, verdict: found?.verdict ?? 'room', reason: found?.sentence };
}

const needsOf = ({ spec }: Template) => needsOfTemplate(spec as TemplateSpec, CONTAINER);

const requestOf = ({ request: { memoryMb, cores, scratchGb, labels } }: MadeCluster) => ({
  memoryRequestMb: memoryMb,
  cpuCoresRequest: cores,
  storageSizeGb: scratchGb,
  requiredLabels: labels,
  nodeSizes: [],
});
const flagsOf = (made: MadeCluster) => estimateResources(requestOf(made), { inputBytes: 1, copied: true }).flags;

/** The pod of the Job of this transfer. */
function podOf({ seed, made, settings }: Case, suffix: string) {
  const { memoryMb, cores } = estimateResources(requestOf(made), { inputBytes: 1, copied: true });
  const transfer = { id: '00000000-0000-4000-8000-000000000000', flags: flagsOf(made), memoryMb, cores };
  const { metadata, spec } = makeJob(transfer, 1, settings).spec.template;
  return { metadata: { labels: metadata.labels, name: `c${seed}-${suffix}` }, spec };
}

function nodeOfClass({ name, labels, taints, cores, memoryMb, storageGb = 1000 }: NodeClass) {
  const amounts = {
    cpu: `${1000 * cores}m`,
    memory: String(memoryMb * MB),
    'ephemeral-storage': String(storageGb * GB),
    pods: '110',
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: { taints },
    status: { allocatable: amounts, capacity: amounts, conditions: READY },
  } as unknown as ReturnType<typeof nodeObject>;
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await look()) return;
    await sleep(1000);
  }
  throw new Error(`Not in five minutes: ${what}.`);
}

const notIn = (zone: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: [zone] }] }],
    },
  },
});
