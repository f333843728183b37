import type { KubernetesClient } from './client.ts';
import type { Action } from './errors.ts';
import type { List } from './types.ts';

/** A kind of objects that this platform uses: the root of its path, and its plural. */
const ROOTS = {
  jobs: '/apis/batch/v1',
  pods: '/api/v1',
  events: '/api/v1',
  nodes: '/api/v1',
  persistentvolumeclaims: '/api/v1',
  resourcequotas: '/api/v1',
  limitranges: '/api/v1',
  storageclasses: '/apis/storage.k8s.io/v1',
} as const;

/** Objects of one kind: all of a cluster, or those of a namespace, and of these those that the selectors choose. */
export interface Selection {
  resource: keyof typeof ROOTS;
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
}

/** Objects of one request to list: the server keeps the state of a list for minutes, and builds an answer in memory. */
const PAGE = 500;

export const actionOn = ({ resource, namespace }: Selection, verb: Action['verb']): Action => ({
  verb,
  resource,
  ...(namespace === undefined ? {} : { namespace }),
});

/** Path of a collection, or of an object in it, with a query. */
export function pathOf(
  { resource, namespace, labelSelector, fieldSelector }: Selection,
  name?: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const inside = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const one = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  const search = new URLSearchParams({
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...query,
  }).toString();
  return `${ROOTS[resource]}${inside}/${resource}${one}${search === '' ? '' : `?${search}`}`;
}

/** All objects of a selection, page by page, and the version of the cluster's state that they are from. */
export async function listAll<T>(
  client: KubernetesClient,
  selection: Selection,
  signal?: AbortSignal,
): Promise<{ items: T[]; resourceVersion: string }> {
  const items: T[] = [];
  let more: string | undefined;
  for (;;) {
    const page: List<T> = await client.request({
      method: 'GET',
      path: pathOf(selection, undefined, { limit: String(PAGE), ...(more ? { continue: more } : {}) }),
      action: actionOn(selection, 'list'),
      signal,
    });
    items.push(...page.items);
    more = page.metadata.continue;
    if (!more) return { items, resourceVersion: page.metadata.resourceVersion };
  }
}

/**
 * Creates an object. A dry run only checks it, and refuses unknown members.
 * @throws RequestRefused: `alreadyExists` for a name that is in use
 */
export const createObject = <T>(
  client: KubernetesClient,
  selection: Selection,
  body: object,
  { dryRun = false, signal }: { dryRun?: boolean; signal?: AbortSignal } = {},
) =>
  client.request<T>({
    method: 'POST',
    path: pathOf(selection, undefined, dryRun ? { dryRun: 'All', fieldValidation: 'Strict' } : {}),
    action: actionOn(selection, 'create'),
    body,
    signal,
  });

/** Deletes an object, and what it owns soon after. With `uid`, no object that later got its name. */
export const deleteObject = (client: KubernetesClient, selection: Selection, name: string, uid?: string) =>
  client.request<unknown>({
    method: 'DELETE',
    path: pathOf(selection, name),
    action: actionOn(selection, 'delete'),
    body: { propagationPolicy: 'Background', ...(uid === undefined ? {} : { preconditions: { uid } }) },
  });

/** Changes members of an object: a JSON merge patch (RFC 7396). */
export const patchObject = <T>(client: KubernetesClient, selection: Selection, name: string, patch: object) =>
  client.request<T>({
    method: 'PATCH',
    path: pathOf(selection, name),
    action: actionOn(selection, 'patch'),
    body: patch,
    contentType: 'application/merge-patch+json',
  });
