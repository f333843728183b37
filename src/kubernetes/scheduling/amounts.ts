import { parseQuantity } from '../quantities.ts';
import type { ResourceAmounts } from '../types.ts';

/** Amounts by resource: `cpu` in thousandths of a core, `memory` and storage in bytes, `pods` and others in pieces. */
export type Amounts = Readonly<Record<string, number>>;

export const MB = 2 ** 20;
export const GB = 2 ** 30;
const MILLICORES = 1000;
/** Below the unit of a resource: the rounding of decimal fractions such as 1.1 cores. */
const TOLERANCE = 1e-6;

/** Whole units, rounded up as Kubernetes does. */
export const roundUp = (amount: number): number => Math.ceil(amount - TOLERANCE);

/** The quantities of a pod or node. Throws for one that is none. */
export function readAmounts(quantities: Readonly<Record<string, string>> = {}): Amounts {
  const entries = Object.entries(quantities).map(([resource, quantity]) => {
    const amount = parseQuantity(String(quantity));
    return [resource, roundUp(resource === 'cpu' ? amount * MILLICORES : amount)] as const;
  });
  return Object.fromEntries(entries.filter(([, amount]) => amount !== 0));
}

export const add = (a: Amounts, b: Amounts): Amounts => combine(a, b, (one, other) => one + other);
export const largest = (a: Amounts, b: Amounts): Amounts => combine(a, b, Math.max);

function combine(a: Amounts, b: Amounts, with_: (one: number, other: number) => number): Amounts {
  const result: Record<string, number> = { ...a };
  for (const [resource, amount] of Object.entries(b)) result[resource] = with_(a[resource] ?? 0, amount);
  return result;
}

/** The part of a pod that decides how much of a node it takes. */
export interface PodSpec {
  containers: readonly { name?: string; resources?: ResourceAmounts }[];
  initContainers?: readonly { name?: string; resources?: ResourceAmounts; restartPolicy?: string }[];
  overhead?: Readonly<Record<string, string>>;
  /** For the pod as a whole: replaces the sums of its containers. */
  resources?: ResourceAmounts;
}

/**
 * What a pod takes of its node, as the scheduler counts it: its containers and sidecars together, or more while one of
 * its other init containers runs, and its overhead. A limit without a request is the request.
 * https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
 */
export function requestsOfPod({ containers, initContainers = [], overhead, resources }: PodSpec): Amounts {
  let running: Amounts = {};
  for (const container of containers) running = add(running, requestsOf(container.resources));
  let sidecars: Amounts = {};
  let starting: Amounts = {};
  for (const container of initContainers) {
    const asked = requestsOf(container.resources);
    if (container.restartPolicy === 'Always') {
      running = add(running, asked);
      sidecars = add(sidecars, asked);
      starting = largest(starting, sidecars);
    } else starting = largest(starting, add(asked, sidecars));
  }
  const whole = { ...largest(running, starting), ...requestsOf(resources) };
  return add(add(whole, readAmounts(overhead)), { pods: 1 });
}

const requestsOf = ({ requests, limits }: ResourceAmounts = {}): Amounts => readAmounts({ ...limits, ...requests });
