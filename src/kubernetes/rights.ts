import type { KubernetesClient } from './client.ts';
import type { Action } from './errors.ts';

type Verb = Action['verb'];
export interface Rule {
  group: string;
  /** With `/` and the subresource. */
  resource: string;
  verbs: readonly Verb[];
}

const READ: readonly Verb[] = ['list', 'watch', 'get'];

/** What a dispatcher does in its namespace: a Role. The chart and the guide give the same. */
export const IN_NAMESPACE: readonly Rule[] = [
  { group: 'batch', resource: 'jobs', verbs: ['create', ...READ, 'delete', 'patch'] },
  { group: '', resource: 'pods', verbs: [...READ, 'delete'] },
  { group: '', resource: 'pods/log', verbs: ['get'] },
  ...['events', 'persistentvolumeclaims', 'resourcequotas', 'limitranges'].map((resource) => ({
    group: '',
    resource,
    verbs: READ,
  })),
];
/** What it reads of the cluster: a ClusterRole. Without it transfers go out, but nobody knows what could take them. */
export const OF_CLUSTER: readonly Rule[] = [
  { group: '', resource: 'nodes', verbs: READ },
  { group: 'storage.k8s.io', resource: 'storageclasses', verbs: ['list', 'get'] },
];
/** Tells also what pods of others take of nodes. */
export const ALL_PODS: Rule = { group: '', resource: 'pods', verbs: ['list', 'watch'] };

export interface Rights {
  /** Actions of a dispatcher that its account may not do. */
  missing: Action[];
  /** Whether it sees what pods of other namespaces take. */
  seesAllPods: boolean;
}

/** Asks the API server what the account of these credentials may do. Throws as `KubernetesClient.request`. */
export async function reviewRights(client: KubernetesClient, namespace: string): Promise<Rights> {
  const actions = (rules: readonly Rule[], where?: string) =>
    rules.flatMap(({ group, resource, verbs }) => verbs.map((verb) => ({ group, verb, resource, namespace: where })));
  const needed = [...actions(IN_NAMESPACE, namespace), ...actions(OF_CLUSTER)];
  const allowed = await Promise.all(needed.map((one) => isAllowed(client, one)));
  const others = await Promise.all(actions([ALL_PODS]).map((one) => isAllowed(client, one)));
  return {
    missing: needed.filter((_, index) => !allowed[index]).map(({ group: _, ...action }) => action),
    seesAllPods: others.every(Boolean),
  };
}

/** https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-access-review-v1/ */
async function isAllowed(
  client: KubernetesClient,
  { group, verb, resource: path, namespace }: Action & { group: string },
): Promise<boolean> {
  const [resource, subresource] = path.split('/');
  const { status } = await client.request<{ status?: { allowed?: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    action: { verb: 'create', resource: 'selfsubjectaccessreviews' },
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { group, verb, resource, subresource, namespace } },
    },
  });
  return status?.allowed === true;
}
