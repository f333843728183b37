import test from 'ava';
import { MB } from '../../src/kubernetes/scheduling/amounts.ts';
import type { PodRequest } from '../../src/kubernetes/scheduling/candidate.ts';
import { loadOfPod, type NodeClass, viewOfNode, withLoads } from '../../src/kubernetes/scheduling/node-view.ts';
import { needsOfTemplate, requestsWith, type TemplateSpec } from '../../src/kubernetes/scheduling/template.ts';
import { judge, type Verdict } from '../../src/kubernetes/scheduling/verdict.ts';
import {
  type MadeCluster,
  type MadeNode,
  type MadePod,
  type MadeTaint,
  nodeObject,
  podObject,
  randomCluster,
} from '../world/kubernetes/random-cluster.ts';

const GB = 1024 * MB;
type Objects = Parameters<typeof viewOfNode>[0];

interface Asked {
  memoryMb?: number;
  cores?: number;
  scratchGb?: number;
  labels?: readonly string[];
}

const podOf = ({ memoryMb, cores, scratchGb, labels = [] }: Asked, template: TemplateSpec = {}): PodRequest => {
  const needs = needsOfTemplate(template, 'transfer');
  const asked = {
    ...(memoryMb !== undefined && { memory: memoryMb * MB }),
    ...(cores !== undefined && { cpu: 1000 * cores }),
    ...(scratchGb !== undefined && { 'ephemeral-storage': scratchGb * GB }),
  };
  return { labels, rules: needs.rules, requests: requestsWith(asked, needs) };
};

interface NodeShape {
  labels?: Record<string, string>;
  taints?: MadeTaint[];
  memory?: string;
  cpu?: string;
  unschedulable?: boolean;
}

const node = (
  name: string,
  { labels = {}, taints = [], memory = '8Gi', cpu = '4', unschedulable }: NodeShape = {},
) => ({
  metadata: { name, labels },
  spec: { taints, ...(unschedulable && { unschedulable }) },
  status: { allocatable: { cpu, memory, 'ephemeral-storage': '20Gi', pods: '10' } },
});

const pod = (on: string | undefined, requests: Record<string, string>, kind = 'Job', phase = 'Running') => ({
  metadata: { ownerReferences: [{ kind, controller: true }] },
  spec: { ...(on && { nodeName: on }), containers: [{ name: 'c', resources: { requests } }] },
  status: { phase },
});

type Made = { nodes: object[]; pods?: object[]; classes?: NodeClass[] };

function verdictOn({ nodes, pods = [], classes = [] }: Made, request: PodRequest): Verdict | undefined {
  const loads = pods.flatMap((one) => loadOfPod(one as Parameters<typeof loadOfPod>[0]) ?? []);
  return judge(
    request,
    withLoads(
      nodes.map((one) => viewOfNode(one as Objects)),
      loads,
    ),
    classes,
  );
}

const BIG: NodeClass = { name: 'big', labels: { size: 'big' }, taints: [], cores: 32, memoryMb: 131_072 };
const gpu = { labels: { gpu: 'a100' } };

const CASES: [string, Made, Asked, string | undefined, TemplateSpec?][] = [
  ['a node has room', { nodes: [node('n1')] }, { memoryMb: 8192, cores: 4 }, undefined],
  ['no nodes', { nodes: [] }, {}, 'never: The Kubernetes cluster has no nodes.'],
  [
    'too much memory',
    { nodes: [node('n1'), node('n2', { memory: '16Gi' })] },
    { memoryMb: 65_536 },
    'never: Its pod needs 65536 MB of memory; the largest node, n2, offers 16384 MB of memory.',
  ],
  [
    'what a DaemonSet takes is never free',
    { nodes: [node('n1')], pods: [pod('n1', { memory: '1Gi' }, 'DaemonSet')] },
    { memoryMb: 8192 },
    'never: Its pod needs 8192 MB of memory; the largest node, n1, offers 7168 MB of memory.',
  ],
  [
    'what other pods take becomes free',
    { nodes: [node('n1')], pods: [pod('n1', { memory: '1Gi' })] },
    { memoryMb: 8192 },
    'notNow: It waits until n1 has 8192 MB of memory free (now 7168 MB of memory).',
  ],
  [
    'pods that have ended, or have no node, take nothing',
    { nodes: [node('n1')], pods: [pod('n1', { memory: '1Gi' }, 'Job', 'Failed'), pod(undefined, { memory: '1Gi' })] },
    { memoryMb: 8192 },
    undefined,
  ],
  [
    'a label that no node has',
    { nodes: [node('n1', gpu)] },
    { labels: ['gpu=h100'] },
    "never: No node of the Kubernetes cluster has the label 'gpu=h100'.",
  ],
  ['a key alone matches any value', { nodes: [node('n1', gpu)] }, { labels: ['gpu'] }, undefined],
  [
    'two values of one key',
    { nodes: [node('n1', gpu), node('n2', { labels: { gpu: 'h100' } })] },
    { labels: ['gpu=a100', 'gpu=h100'] },
    "never: No node can have the labels 'gpu=a100' and 'gpu=h100': a label has one value.",
  ],
  [
    'labels of different nodes',
    { nodes: [node('n1', gpu), node('n2', { labels: { zone: 'north' } })], classes: [BIG] },
    { labels: ['gpu=a100', 'zone=north'] },
    "never: No node and no class of nodes of the Kubernetes cluster has all of the labels 'gpu=a100', 'zone=north'.",
  ],
  [
    'a taint that the template does not tolerate',
    { nodes: [node('n1', { ...gpu, taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] })] },
    { labels: ['gpu=a100'] },
    "never: The pod template tolerates no node of the Kubernetes cluster with 'gpu=a100': n1 has the taint gpu=yes:NoSchedule.",
  ],
  [
    'a taint that it tolerates',
    { nodes: [node('n1', { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] })] },
    {},
    undefined,
    { tolerations: [{ key: 'gpu', operator: 'Exists' }] },
  ],
  [
    'a node selector of the template',
    { nodes: [node('n1')] },
    {},
    'never: The pod template selects no node of the Kubernetes cluster.',
    { nodeSelector: { pool: 'batch' } },
  ],
  [
    'a cordoned node',
    { nodes: [node('n1', { unschedulable: true })] },
    {},
    'notNow: It waits until n1 is no longer cordoned.',
  ],
  [
    'a node that is not ready',
    { nodes: [node('n1', { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] })] },
    {},
    'notNow: It waits until n1 is Ready.',
  ],
  [
    'a class that has no node yet',
    { nodes: [node('n1')], classes: [BIG] },
    { memoryMb: 65_536 },
    "notNow: It waits for a new node of the class 'big'.",
  ],
  [
    'a class that is too small as well',
    { nodes: [node('n1')], classes: [BIG] },
    { cores: 64 },
    "never: Its pod needs 64 cores; the largest node, the class 'big', offers 32 cores.",
  ],
  [
    'a full node, and a class',
    { nodes: [node('n1')], pods: [pod('n1', { cpu: '1' })], classes: [BIG] },
    { cores: 3.5 },
    "notNow: It waits until n1 has 3.5 cores free (now 3 cores), or for a new node of the class 'big'.",
  ],
  [
    'amounts of different nodes',
    { nodes: [node('n1', { memory: '64Gi', cpu: '1' }), node('n2', { cpu: '16' })] },
    { memoryMb: 32_768, cores: 8 },
    'never: No node offers 32768 MB of memory, 8 cores and room for 1 pod at once; the nearest, n2, offers 8192 MB of memory.',
  ],
  [
    'an init container that needs more than the others',
    { nodes: [node('n1')] },
    { memoryMb: 4096 },
    'never: Its pod needs 10240 MB of memory; the largest node, n1, offers 8192 MB of memory.',
    { initContainers: [{ resources: { requests: { memory: '10Gi' } } }] },
  ],
  [
    'a sidecar',
    { nodes: [node('n1')] },
    { memoryMb: 8192 },
    'never: Its pod needs 8704 MB of memory; the largest node, n1, offers 8192 MB of memory.',
    { initContainers: [{ restartPolicy: 'Always', resources: { limits: { memory: '512Mi' } } }] },
  ],
];

test('a verdict says what could take a pod, and what it lacks', (t) => {
  for (const [name, cluster, asked, expected, template] of CASES) {
    const verdict = verdictOn(cluster, podOf(asked, template));
    t.is(verdict && `${verdict.verdict}: ${verdict.sentence}`, expected, name);
  }
});

/** Tries each node by the numbers that the cluster was made of. */
function bruteForce({ nodes, pods, classes, template, request }: MadeCluster): string {
  const needs = {
    cpu: Math.round(1000 * (request.cores ?? 0)),
    memory: (request.memoryMb + request.overheadMb) * MB,
    storage: (request.scratchGb ?? 0) * GB,
  };
  const wants = (labels: Record<string, string>) =>
    request.labels.every((label) => {
      const at = label.indexOf('=');
      return at < 0 ? labels[label] !== undefined : labels[label.slice(0, at)] === label.slice(at + 1);
    }) &&
    (template.nodeSelector === undefined || labels.zone === template.nodeSelector.zone) &&
    (template.notZone === undefined || labels.zone !== template.notZone);
  const tolerates = (taints: MadeTaint[]) =>
    taints.every(({ key, value, effect }) => {
      if (effect === 'PreferNoSchedule') return true;
      if (key === 'dedicated') return value === 'batch' && template.tolerations?.some((one) => one.key === 'dedicated');
      return template.tolerations?.some((one) => one.key === 'spot');
    });
  const takes = (pod: MadePod) => {
    const sum = { cpu: 0, memory: 0, storage: 0 };
    for (const { cpu, memory, storage } of pod.containers) {
      sum.cpu += cpu?.amount ?? 0;
      sum.memory += memory?.amount ?? 0;
      sum.storage += storage?.amount ?? 0;
    }
    return { ...sum, memory: Math.max(sum.memory, pod.init?.memory.amount ?? 0) };
  };
  const fits = ({ cpu, memory, storage, pods: places }: MadeNode, there: MadePod[]) => {
    const left = { cpu: cpu.amount, memory: memory.amount, storage: storage.amount };
    for (const one of there.map(takes)) {
      left.cpu -= one.cpu;
      left.memory -= one.memory;
      left.storage -= one.storage;
    }
    const enough = (['cpu', 'memory', 'storage'] as const).every(
      (what) => needs[what] === 0 || needs[what] <= left[what],
    );
    return enough && there.length + 1 <= places;
  };
  let could = classes.some(
    ({ labels, taints, cores, memoryMb, storageGb = Number.POSITIVE_INFINITY }) =>
      wants({ ...labels }) &&
      tolerates([...taints]) &&
      needs.cpu <= 1000 * cores &&
      needs.memory <= memoryMb * MB &&
      needs.storage <= storageGb * GB,
  );
  for (const one of nodes) {
    const there = pods.filter(({ node: where, ended }) => where === one.name && !ended);
    const suits = wants(one.labels) && tolerates(one.taints);
    if (suits && !one.unschedulable && fits(one, there)) return 'room';
    could ||=
      suits &&
      fits(
        one,
        there.filter(({ isDaemon }) => isDaemon),
      ) === true;
  }
  return could ? 'notNow' : 'never';
}

test('verdicts on random clusters equal those of trying each node', (t) => {
  const counts: Record<string, number> = { room: 0, notNow: 0, never: 0 };
  for (let seed = 1; seed <= 1000; seed++) {
    const made = randomCluster(seed);
    const { request, template } = made;
    const { notZone, ...rest } = template;
    const asked: Asked = { ...request, memoryMb: request.memoryMb + request.overheadMb };
    const spec: TemplateSpec = { ...rest, ...(notZone !== undefined && { affinity: notIn(notZone) }) };
    const verdict = verdictOn(
      { nodes: made.nodes.map(nodeObject), pods: made.pods.map(podObject), classes: made.classes },
      podOf(asked, spec),
    );
    const expected = bruteForce(made);
    t.is(verdict?.verdict ?? 'room', expected, `seed ${seed}`);
    counts[expected] = (counts[expected] ?? 0) + 1;
  }
  for (const [verdict, count] of Object.entries(counts)) t.true(count > 100, `${verdict}: ${count}`);
  t.log(counts);
});

const notIn = (zone: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: [zone] }] }],
    },
  },
});
