import type { NodeClass } from '../../../src/kubernetes/scheduling/node-view.ts';
import type { TemplateSpec } from '../../../src/kubernetes/scheduling/template.ts';
import { randomOf } from '../random.ts';

/** An amount, and a quantity of Kubernetes that says the same. */
interface Quantity {
  /** Thousandths of a core, or bytes. */
  amount: number;
  text: string;
}

export interface MadeTaint {
  key: string;
  value?: string;
  effect: string;
}

export interface MadeNode {
  name: string;
  labels: Record<string, string>;
  taints: MadeTaint[];
  unschedulable: boolean;
  cpu: Quantity;
  memory: Quantity;
  storage: Quantity;
  pods: number;
}

export interface MadePod {
  name: string;
  node: string;
  isDaemon: boolean;
  ended: boolean;
  containers: { cpu?: Quantity; memory?: Quantity; storage?: Quantity }[];
  /** Runs alone, before the others. */
  init?: { memory: Quantity };
}

export interface MadeRequest {
  labels: string[];
  memoryMb: number;
  overheadMb: number;
  cores?: number;
  scratchGb?: number;
}

export interface MadeCluster {
  nodes: MadeNode[];
  pods: MadePod[];
  classes: NodeClass[];
  template: Pick<TemplateSpec, 'nodeSelector' | 'tolerations'> & { notZone?: string };
  request: MadeRequest;
}

const MB = 2 ** 20;
const GB = 2 ** 30;

/** A small cluster and a request that may or may not find a place in it: amounts are near each other. */
export function randomCluster(seed: number): MadeCluster {
  const random = randomOf(seed);
  const below = (count: number) => Math.floor(random() * count);
  const oneOf = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const chance = (share: number) => random() < share;
  const cpu = (): Quantity =>
    oneOf([
      { amount: 1000, text: '1' },
      { amount: 1930, text: '1930m' },
      { amount: 2500, text: '2.5' },
      { amount: 4000, text: '4' },
      { amount: 3920, text: '3920m' },
    ]);
  const bytes = (): Quantity =>
    oneOf([
      { amount: GB, text: '1Gi' },
      { amount: 1_500_000_000, text: '1500M' },
      { amount: 2_000_000_000, text: '2G' },
      { amount: 3.5 * GB, text: '3584Mi' },
      { amount: 4 * GB, text: '4194304Ki' },
      { amount: 8 * GB, text: String(8 * GB) },
      { amount: 8_000_000_000, text: '8e9' },
    ]);
  const labels = () => {
    const chosen: Record<string, string> = {};
    if (chance(0.7)) chosen.zone = oneOf(['north', 'south']);
    if (chance(0.5)) chosen.gpu = oneOf(['a100', 'h100']);
    return chosen;
  };
  const taints = (): MadeTaint[] => {
    const chosen: MadeTaint[] = [];
    if (chance(0.2)) chosen.push({ key: 'dedicated', value: oneOf(['batch', 'web']), effect: 'NoSchedule' });
    if (chance(0.1)) chosen.push({ key: 'spot', effect: 'NoExecute' });
    if (chance(0.1)) chosen.push({ key: 'slow', value: 'true', effect: 'PreferNoSchedule' });
    return chosen;
  };

  const nodes = Array.from({ length: 1 + below(5) }, (_, n): MadeNode => {
    return {
      name: `node-${n}`,
      labels: labels(),
      taints: taints(),
      unschedulable: chance(0.1),
      cpu: cpu(),
      memory: bytes(),
      storage: oneOf([
        { amount: 10 * GB, text: '10Gi' },
        { amount: 40_000_000_000, text: '40G' },
      ]),
      pods: chance(0.15) ? 2 : 30,
    };
  });
  const pods = Array.from({ length: below(11) }, (_, n): MadePod => {
    return {
      name: `pod-${n}`,
      node: oneOf(nodes).name,
      isDaemon: chance(0.4),
      ended: chance(0.1),
      containers: Array.from({ length: 1 + below(2) }, () => ({
        ...(chance(0.7) && { cpu: oneOf([{ amount: 100, text: '100m' }, cpu()]) }),
        ...(chance(0.7) && { memory: oneOf([{ amount: 64 * MB, text: '64Mi' }, bytes()]) }),
        ...(chance(0.2) && { storage: { amount: GB, text: '1Gi' } }),
      })),
      ...(chance(0.15) && { init: { memory: bytes() } }),
    };
  });
  const classes = Array.from({ length: chance(0.3) ? 1 : 0 }, () => ({
    name: 'class-0',
    labels: labels(),
    taints: taints(),
    cores: oneOf([1, 2.5, 8]),
    memoryMb: oneOf([1024, 4096, 16_384]),
    ...(chance(0.5) && { storageGb: oneOf([5, 50]) }),
  }));
  return {
    nodes,
    pods,
    classes,
    template: {
      ...(chance(0.1) && { nodeSelector: { zone: 'north' } }),
      ...(chance(0.1) && { notZone: 'south' }),
      tolerations: [
        ...(chance(0.4) ? [{ key: 'dedicated', operator: 'Equal', value: 'batch', effect: 'NoSchedule' }] : []),
        ...(chance(0.3) ? [{ key: 'spot', operator: 'Exists' }] : []),
      ],
    },
    request: {
      labels: Array.from(
        new Set(
          Array.from({ length: oneOf([0, 0, 0, 0, 1, 1, 2]) }, () => oneOf(['zone', 'zone=north', 'gpu=a100', 'gpu'])),
        ),
      ),
      memoryMb: oneOf([1024, 1024, 2048, 4096]),
      overheadMb: oneOf([0, 256, 512]),
      ...(chance(0.6) && { cores: oneOf([0.1, 0.5, 1, 1.1, 1.93, 2.5, 3.9]) }),
      ...(chance(0.4) && { scratchGb: oneOf([1, 9, 30]) }),
    },
  };
}

/** What the kubelet of a node says. */
export const READY = [{ type: 'Ready', status: 'True' }];

/** The cluster as objects of the Kubernetes API. */
export function nodeObject({ name, labels, taints, unschedulable, cpu, memory, storage, pods }: MadeNode) {
  const amounts = { cpu: cpu.text, memory: memory.text, 'ephemeral-storage': storage.text, pods: String(pods) };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { ...(taints.length > 0 && { taints }), ...(unschedulable && { unschedulable }) },
    status: { allocatable: amounts, capacity: amounts, conditions: READY },
  };
}

export function podObject({ name, node, isDaemon, ended, containers, init }: MadePod) {
  const container = (which: string, { cpu, memory, storage }: MadePod['containers'][number]) => ({
    name: which,
    image: 'example.org/none:1',
    resources: {
      requests: {
        ...(cpu && { cpu: cpu.text }),
        ...(memory && { memory: memory.text }),
        ...(storage && { 'ephemeral-storage': storage.text }),
      },
    },
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: isDaemon ? 'DaemonSet' : 'ReplicaSet', name: 'x', uid: name, controller: true },
      ],
    },
    spec: {
      nodeName: node,
      containers: containers.map((one, n) => container(`c${n}`, one)),
      ...(init && { initContainers: [container('init', init)] }),
    },
    status: { phase: ended ? 'Succeeded' : 'Running' },
  };
}
