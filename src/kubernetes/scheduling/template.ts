import type { Toleration } from '../types.ts';
import { type Amounts, add, type PodSpec, readAmounts, requestsOfPod } from './amounts.ts';
import type { NodeRules, NodeSelectorTerm } from './selection.ts';

/** The members of a pod's specification that decide which nodes could run it. */
export interface TemplateSpec extends Partial<PodSpec> {
  nodeSelector?: Readonly<Record<string, string>>;
  affinity?: {
    nodeAffinity?: {
      requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: readonly NodeSelectorTerm[] };
    };
  };
  tolerations?: readonly Toleration[];
}

/** What a pod template asks of nodes for every transfer. */
export interface TemplateNeeds {
  rules: NodeRules;
  /** Of the transfer's own container; what the transfer asks for replaces it. */
  main: Amounts;
  /** Of all other containers and the overhead. */
  others: Amounts;
  /** What must be free while the pod starts: its init containers need more than the others. */
  starting: Amounts;
}

/** Kubernetes adds them to each pod (admission plugin DefaultTolerationSeconds). */
const DEFAULT_TOLERATIONS: readonly Toleration[] = ['not-ready', 'unreachable'].map((condition) => ({
  key: `node.kubernetes.io/${condition}`,
  operator: 'Exists',
  effect: 'NoExecute',
}));

/** @param main name of the container that runs the transfer */
export function needsOfTemplate(spec: TemplateSpec, main: string): TemplateNeeds {
  const { nodeSelector, affinity, tolerations = [], containers = [], initContainers = [], overhead } = spec;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const own = containers.find(({ name }) => name === main);
  const others = containers.filter(({ name }) => name !== main);
  const { requests, limits } = own?.resources ?? {};
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const withoutPod = (amounts: Amounts) => add(amounts, { pods: -1 });
  return {
    rules: { nodeSelector, terms, tolerations: [...tolerations, ...DEFAULT_TOLERATIONS] },
    main: readAmounts({ ...limits, ...requests }),
    others: withoutPod(
      requestsOfPod({ containers: [...others, ...sidecars], ...(overhead === undefined ? {} : { overhead }) }),
    ),
    starting: add(withoutPod(requestsOfPod({ containers: [], initContainers })), readAmounts(overhead)),
  };
}

/** What a pod takes of its node. @param asked by the transfer, for its own container */
export function requestsWith(asked: Amounts, { main, others, starting }: TemplateNeeds): Amounts {
  const requests: Record<string, number> = { ...add({ ...main, ...asked }, others), pods: 1 };
  for (const [resource, amount] of Object.entries(starting))
    if (resource !== 'pods') requests[resource] = Math.max(requests[resource] ?? 0, amount);
  return requests;
}
