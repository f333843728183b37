import type { Amounts } from '../../kubernetes/scheduling/amounts.ts';
import type { NodeClass, NodeView } from '../../kubernetes/scheduling/node-view.ts';
import type { TemplateNeeds } from '../../kubernetes/scheduling/template.ts';

/** What a dispatcher adds to each transfer that it hands to its cluster. */
export interface ClusterSettings {
  /** `rest`: only what no live worker could take. */
  takes: 'all' | 'rest';
  /** Memory of a pod besides that of its transfer. */
  overheadMb: number;
  /** Scratch space is a volume of a storage class, which takes nothing of the node. */
  scratchIsVolume: boolean;
  template: TemplateNeeds;
  classes: readonly NodeClass[];
}

/** What dispatchers know of a cluster. */
export interface ClusterView {
  settings: ClusterSettings;
  /** Undefined: the dispatcher may not list them, or does not hear the cluster. */
  nodes: readonly NodeView[] | undefined;
  /** Why no dispatcher hears the cluster, in a sentence. */
  trouble?: string | undefined;
}

/** Nodes without repetition: those of a cluster are of few kinds. */
export interface StoredNodes {
  kinds: Pick<NodeView, 'labels' | 'taints' | 'allocatable' | 'daemons'>[];
  /** Name, index of the kind, and what pods take. */
  nodes: [name: string, kind: number, used: Amounts][];
}

/** Most nodes that a view holds: the limit of Kubernetes itself. Of more, those with the last names are left out. */
const MAX_NODES = 5000;
/** Kubelets label each node with its own name, unless the cloud gives it another one. */
const HOSTNAME = 'kubernetes.io/hostname';

export function packNodes(nodes: readonly NodeView[]): StoredNodes {
  const stored: StoredNodes = { kinds: [], nodes: [] };
  const indexes = new Map<string, number>();
  const sorted = [...nodes].sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MAX_NODES);
  for (const { name, labels, used, ...rest } of sorted) {
    const { text, isNamed } = describeLabels(labels, name);
    const key = [text, ...[rest.taints, rest.allocatable, rest.daemons].map(sortedJson)].join(' ');
    const kind = { ...rest, labels: isNamed ? { ...labels, [HOSTNAME]: OWN_NAME } : labels };
    const index = indexes.get(key) ?? stored.kinds.push(kind) - 1;
    indexes.set(key, index);
    stored.nodes.push([name, index, used]);
  }
  return stored;
}

/** Of a kind whose nodes have their names as host names. */
const OWN_NAME = '';

interface Described {
  /** Equal for nodes that differ in their own names alone. */
  text: string;
  /** The host name is the name of the node. */
  isNamed: boolean;
}

/** Of the labels of nodes: they seldom change, and are most of a node. */
const described = new WeakMap<NodeView['labels'], Described>();

function describeLabels(labels: NodeView['labels'], name: string): Described {
  const before = described.get(labels);
  if (before !== undefined) return before;
  const isNamed = labels[HOSTNAME] === name;
  const found = { text: sortedJson(isNamed ? { ...labels, [HOSTNAME]: OWN_NAME } : labels), isNamed };
  described.set(labels, found);
  return found;
}

export const unpackNodes = ({ kinds, nodes }: StoredNodes): NodeView[] =>
  nodes.map(([name, index, used]) => {
    const kind = kinds[index]!;
    const { labels } = kind;
    return { ...kind, name, used, labels: labels[HOSTNAME] === OWN_NAME ? { ...labels, [HOSTNAME]: name } : labels };
  });

/** Equal objects have equal texts, in whatever order the API server sends their members. */
const sortedJson = (value: object): string =>
  JSON.stringify(
    Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))),
  );
