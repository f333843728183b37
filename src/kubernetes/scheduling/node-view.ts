import type { ClusterNode, Pod, Taint } from '../types.ts';
import { type Amounts, add, GB, MB, type PodSpec, readAmounts, requestsOfPod } from './amounts.ts';

/** What decides whether a node could take a pod, and has room for it now. */
export interface NodeView {
  name: string;
  labels: Readonly<Record<string, string>>;
  /** Those that keep pods off. A cordoned node has one of the key `node.kubernetes.io/unschedulable`. */
  taints: readonly Taint[];
  allocatable: Amounts;
  /** What pods take that run on each such node: of DaemonSets, and static ones. */
  daemons: Amounts;
  /** What all pods take. */
  used: Amounts;
}

/** Nodes of an autoscaled class: there may be none of them now. One element of `kubernetes.nodeClasses`. */
export interface NodeClass {
  name: string;
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  cores: number;
  memoryMb: number;
  storageGb?: number | undefined;
}

const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
/** Pods of these owners are on their node as long as it exists. */
const OWNERS_OF_DAEMONS = new Set(['DaemonSet', 'Node']);
const ENDED = new Set(['Succeeded', 'Failed']);

interface ScheduledPod {
  metadata: { ownerReferences?: readonly { kind: string; controller?: boolean }[] };
  spec: PodSpec & { nodeName?: string };
  status?: Pick<NonNullable<Pod['status']>, 'phase'>;
}

/** What a pod takes of a node. */
export interface PodLoad {
  node: string;
  requests: Amounts;
  /** The node would not be without it. */
  isDaemon: boolean;
}

/** Undefined: the pod takes nothing, because it has no node yet or has ended. */
export function loadOfPod({ metadata, spec, status }: ScheduledPod): PodLoad | undefined {
  const { nodeName } = spec;
  if (!nodeName || ENDED.has(status?.phase ?? '')) return undefined;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return {
    node: nodeName,
    requests: requestsOfPod(spec),
    isDaemon: owner !== undefined && OWNERS_OF_DAEMONS.has(owner.kind),
  };
}

/** A node without its pods: `withLoads` adds them. */
export const viewOfNode = ({ metadata: { name, labels = {} }, spec, status }: ClusterNode): NodeView => ({
  name,
  labels,
  taints: taintsOf(spec),
  allocatable: readAmounts(status?.allocatable),
  daemons: {},
  used: {},
});

/** @param loads of pods of all namespaces, or of those that may be listed */
export function withLoads(nodes: Iterable<NodeView>, loads: Iterable<PodLoad>): NodeView[] {
  const used = new Map<string, Amounts>();
  const daemons = new Map<string, Amounts>();
  for (const { node, requests, isDaemon } of loads) {
    used.set(node, add(used.get(node) ?? {}, requests));
    if (isDaemon) daemons.set(node, add(daemons.get(node) ?? {}, requests));
  }
  return Array.from(nodes, (node) => ({
    ...node,
    daemons: daemons.get(node.name) ?? {},
    used: used.get(node.name) ?? {},
  }));
}

function taintsOf({ taints = [], unschedulable = false }: NonNullable<ClusterNode['spec']> = {}): Taint[] {
  const all = taints.map(({ key, value, effect }) => ({ key, effect, ...(value ? { value } : {}) }));
  const isNamed = all.some(({ key }) => key === UNSCHEDULABLE);
  return unschedulable && !isNamed ? [...all, { key: UNSCHEDULABLE, effect: 'NoSchedule' }] : all;
}

/** An empty node of the class. */
export const viewOfClass = ({ name, labels, taints, cores, memoryMb, storageGb }: NodeClass): NodeView => ({
  name,
  labels,
  taints,
  allocatable: {
    cpu: Math.floor(cores * 1000),
    memory: memoryMb * MB,
    // what is not said excludes nothing
    pods: Number.POSITIVE_INFINITY,
    'ephemeral-storage': storageGb === undefined ? Number.POSITIVE_INFINITY : Math.floor(storageGb * GB),
  },
  daemons: {},
  used: {},
});
