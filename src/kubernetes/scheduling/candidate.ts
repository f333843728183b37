import type { Taint } from '../types.ts';
import type { Amounts } from './amounts.ts';
import type { NodeView } from './node-view.ts';
import type { NodeRules } from './selection.ts';

/** A pod that waits for a node. */
export interface PodRequest {
  /** Of its transfer: `key=value`, or a key with any value. */
  labels: readonly string[];
  rules: NodeRules;
  requests: Amounts;
}

/** A resource of which a node has too little for a pod. */
export interface Shortage {
  resource: string;
  needs: number;
  has: number;
}

/** A node or class that the pod selects and tolerates, apart from taints that pass. */
export interface Candidate {
  node: NodeView;
  isClass: boolean;
  /** Were it empty of all but what runs on each node. */
  lacksEmpty: readonly Shortage[];
  lacksNow: readonly Shortage[];
  /** Taints of its present state, such as not ready. */
  passing: readonly Taint[];
}

/**
 * What of the requests does not fit besides `taken`. As for the scheduler, a resource that is not asked for always
 * fits.
 */
export function shortages(
  requests: readonly (readonly [resource: string, amount: number])[],
  allocatable: Amounts,
  taken: Amounts,
): Shortage[] {
  const lacks: Shortage[] = [];
  for (const [resource, needs] of requests) {
    const has = (allocatable[resource] ?? 0) - (taken[resource] ?? 0);
    if (needs > 0 && needs > has) lacks.push({ resource, needs, has: Math.max(0, has) });
  }
  return lacks;
}
