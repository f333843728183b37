import type { Taint } from '../types.ts';
import { type Candidate, type PodRequest, type Shortage, shortages } from './candidate.ts';
import { type NodeClass, type NodeView, viewOfClass } from './node-view.ts';
import { hasLabel, isSelected, parseLabel, untolerated } from './selection.ts';
import { neverSentence, notNowSentence } from './verdict-sentences.ts';

/**
 * Whether a cluster could run a pod. `never`: no node could, were it empty of all but the pods that run on each node,
 * and no class. `notNow`: one could, and the scheduler finds none at this moment.
 */
export interface Verdict {
  verdict: 'never' | 'notNow';
  sentence: string;
  /** `never`: the largest that the pod selects; `notNow`: one that could. Undefined: it selects none. */
  node?: string | undefined;
  /** What it lacks. */
  lacks: readonly Shortage[];
}

/** Taints that Kubernetes itself, a drain or a cloud sets for a while: none of a kind of node. */
const PASSING = /^(node\.kubernetes\.io|node\.cloudprovider\.kubernetes\.io)\//;
const isPassing = ({ key }: Taint) =>
  PASSING.test(key) || key === 'ToBeDeletedByClusterAutoscaler' || key === 'DeletionCandidateOfClusterAutoscaler';

/**
 * The verdict of the scheduler on a pod; undefined: a node has room. Compares labels, taints and amounts, as its
 * filters NodeAffinity, TaintToleration and NodeResourcesFit do. Rules among pods, ports and places of volumes are not
 * known.
 */
export function judge(
  pod: PodRequest,
  nodes: readonly NodeView[],
  classes: readonly NodeClass[] = [],
): Verdict | undefined {
  const all = [
    ...nodes.map((node) => ({ node, isClass: false })),
    ...classes.map((one) => ({ node: viewOfClass(one), isClass: true })),
  ];
  const candidates: Candidate[] = [];
  const wanted = pod.labels.map(parseLabel);
  const requests = Object.entries(pod.requests);
  for (const { node, isClass } of all) {
    if (!wanted.every((label) => hasLabel(node, label)) || !isSelected(node, pod.rules)) continue;
    const taints = untolerated(node.taints, pod.rules.tolerations);
    if (!taints.every(isPassing)) continue;
    const lacksEmpty = shortages(requests, node.allocatable, node.daemons);
    const lacksNow = shortages(requests, node.allocatable, node.used);
    if (!isClass && taints.length === 0 && lacksNow.length === 0) return undefined;
    candidates.push({ node, isClass, lacksEmpty, lacksNow, passing: taints });
  }
  const able = candidates.filter(({ lacksEmpty }) => lacksEmpty.length === 0);
  if (able.length === 0) {
    const largest = minimumBy(candidates, ({ lacksEmpty }) => deficit(lacksEmpty));
    return {
      verdict: 'never',
      sentence: neverSentence(pod, all, candidates, largest),
      node: largest?.node.name,
      lacks: largest?.lacksEmpty ?? [],
    };
  }
  const first = minimumBy(able, waitOf) as Candidate;
  const newNode = able.find(({ isClass }) => isClass);
  return {
    verdict: 'notNow',
    sentence: notNowSentence(first, newNode),
    node: first.node.name,
    lacks: first.isClass ? [] : first.lacksNow,
  };
}

/** The first element of those with the least measure. */
function minimumBy<T>(all: readonly T[], measure: (one: T) => number): T | undefined {
  let found: T | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const one of all) {
    const measured = measure(one);
    if (found !== undefined && measured >= least) continue;
    found = one;
    least = measured;
  }
  return found;
}

/** How far a node is from having room: the sum of the missing parts of each resource. */
const deficit = (lacks: readonly Shortage[]): number =>
  lacks.reduce((sum, { needs, has }) => sum + (needs - has) / needs, 0);

/** More than any deficit. */
const LAST = 1e6;

/**
 * Nodes that have too little free come first, the nearest one before the others; then classes, then nodes with taints.
 */
const waitOf = ({ isClass, lacksNow, passing }: Candidate): number =>
  isClass ? LAST : deficit(lacksNow) + (passing.length > 0 ? 2 * LAST : 0);
