import type { Taint } from '../types.ts';
import { GB, MB } from './amounts.ts';
import type { Candidate, PodRequest, Shortage } from './candidate.ts';
import type { NodeView } from './node-view.ts';
import { hasLabel, isSelected, parseLabel, untolerated } from './selection.ts';

interface Place {
  node: NodeView;
  isClass: boolean;
}

const nameOf = ({ node, isClass }: Place) => (isClass ? `the class '${node.name}'` : node.name);

/** Why no node of the cluster and no class could ever run the pod. */
export function neverSentence(
  pod: PodRequest,
  all: readonly Place[],
  candidates: readonly Candidate[],
  closest: Candidate | undefined,
): string {
  if (closest !== undefined) return shortageSentence(pod, candidates, closest);
  const kinds = all.some(({ isClass }) => isClass) ? 'node and no class of nodes' : 'node';
  if (all.length === 0) return 'The Kubernetes cluster has no nodes.';
  const contradiction = findContradiction(pod.labels);
  if (contradiction !== undefined)
    return `No node can have the labels ${contradiction.map(quoted).join(' and ')}: a label has one value.`;
  const unknown = pod.labels.find((label) => !all.some(({ node }) => hasLabel(node, parseLabel(label))));
  if (unknown !== undefined) return `No ${kinds} of the Kubernetes cluster has the label ${quoted(unknown)}.`;
  const labelled = all.filter(({ node }) => pod.labels.every((label) => hasLabel(node, parseLabel(label))));
  const labels = pod.labels.map(quoted).join(', ');
  if (labelled.length === 0) return `No ${kinds} of the Kubernetes cluster has all of the labels ${labels}.`;
  const those = labels === '' ? '' : ` with ${labels}`;
  const selected = labelled.filter(({ node }) => isSelected(node, pod.rules));
  if (selected.length === 0) return `The pod template selects no ${kinds} of the Kubernetes cluster${those}.`;
  const [first] = selected as [Place];
  const [taint] = untolerated(first.node.taints, pod.rules.tolerations) as [Taint];
  return `The pod template tolerates no ${kinds} of the Kubernetes cluster${those}: ${nameOf(first)} has the taint ${taintText(taint)}.`;
}

function shortageSentence({ requests, labels }: PodRequest, candidates: readonly Candidate[], closest: Candidate) {
  const those = labels.length === 0 ? '' : ` with ${labels.map(quoted).join(', ')}`;
  for (const [resource, needs] of Object.entries(requests)) {
    const lacking = candidates.flatMap((one) => {
      const lack = one.lacksEmpty.find((each) => each.resource === resource);
      return lack === undefined ? [] : [{ one, lack }];
    });
    if (lacking.length < candidates.length) continue;
    const largest = lacking.reduce((a, b) => (b.lack.has > a.lack.has ? b : a));
    return `Its pod needs ${amountText(resource, needs)}; the largest node${those}, ${nameOf(largest.one)}, offers ${amountText(resource, largest.lack.has)}.`;
  }
  const needs = Object.entries(requests).map(([resource, amount]) => amountText(resource, amount));
  return `No node${those} offers ${inWords(needs)} at once; the nearest, ${nameOf(closest)}, offers ${inWords(closest.lacksEmpty.map(offered))}.`;
}

const offered = ({ resource, has }: Shortage) => amountText(resource, has);

/** What the pod waits for. */
export function notNowSentence(first: Candidate, newNode: Candidate | undefined): string {
  const orNew = newNode === undefined || first.isClass ? '' : `, or for a new node of ${nameOf(newNode)}`;
  if (first.isClass) return `It waits for a new node of ${nameOf(first)}.`;
  const [taint] = first.passing;
  if (taint !== undefined) return `It waits until ${nameOf(first)} ${takesPods(taint)}${orNew}.`;
  const needs = first.lacksNow.map(({ resource, needs: amount }) => amountText(resource, amount));
  return `It waits until ${nameOf(first)} has ${inWords(needs)} free (now ${inWords(first.lacksNow.map(offered))})${orNew}.`;
}

const STATES: Readonly<Record<string, string>> = {
  'node.kubernetes.io/unschedulable': 'is no longer cordoned',
  'node.kubernetes.io/not-ready': 'is Ready',
  'node.kubernetes.io/unreachable': 'is reachable',
};

const takesPods = (taint: Taint) => STATES[taint.key] ?? `no longer has the taint ${taintText(taint)}`;

const taintText = ({ key, value, effect }: Taint) => `${key}${value ? `=${value}` : ''}:${effect}`;

/** Two labels that ask for different values of one key. */
function findContradiction(labels: readonly string[]): [string, string] | undefined {
  const byKey = new Map<string, string>();
  for (const label of labels.filter((one) => one.includes('='))) {
    const [key = ''] = label.split('=');
    const other = byKey.get(key);
    if (other !== undefined && other !== label) return [other, label];
    byKey.set(key, label);
  }
  return undefined;
}

const quoted = (text: string) => `'${text}'`;

/** An amount with its unit, such as `4608 MB of memory`. */
export function amountText(resource: string, amount: number): string {
  const rounded = (value: number) => Number(value.toFixed(2));
  switch (resource) {
    case 'cpu':
      return amount === 1000 ? '1 core' : `${Number((amount / 1000).toFixed(3))} cores`;
    case 'memory':
      return `${rounded(amount / MB)} MB of memory`;
    case 'ephemeral-storage':
      return `${rounded(amount / GB)} GB of scratch space`;
    case 'pods':
      return `room for ${amount} ${amount === 1 ? 'pod' : 'pods'}`;
    default:
      return `${amount} ${resource}`;
  }
}

function inWords(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}
