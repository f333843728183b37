import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import type { TestCluster } from './cluster.ts';

const ACCOUNT = { name: 'dispatcher', namespace: 'work' };
const SUBJECTS = [{ kind: 'ServiceAccount', ...ACCOUNT }];
const PAGE = new URL('../../../docs/guide/kubernetes.md', import.meta.url);

interface Role {
  apiVersion: string;
  kind: 'Role' | 'ClusterRole';
  metadata: { name: string; namespace?: string };
  rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
}

/** The roles of the guide. */
async function rolesOfGuide(): Promise<Role[]> {
  const [, yaml = ''] = /```yaml\n(apiVersion: rbac[\s\S]*?)```/.exec(await readFile(PAGE, 'utf8')) ?? [];
  return parseAllDocuments(yaml).map((document) => document.toJS() as Role);
}

/** Gives the account of `serviceAccount` the roles of the guide, less a verb of a resource. */
export async function grant(cluster: TestCluster, without: { verb?: string; resource?: string } = {}) {
  const roles = await rolesOfGuide();
  for (const { kind, metadata, apiVersion, rules } of roles) {
    const left = rules.flatMap(({ apiGroups, resources, verbs }) =>
      resources.map((resource) => ({
        apiGroups,
        resources: [resource],
        verbs: verbs.filter((verb) => resource !== without.resource || verb !== without.verb),
      })),
    );
    const named = kind === 'Role' ? { ...metadata, namespace: 'work' } : metadata;
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name };
    await cluster.apply(
      { apiVersion, kind, metadata: named, rules: left.filter(({ verbs }) => verbs.length > 0) },
      { apiVersion, kind: `${kind}Binding`, metadata: named, roleRef, subjects: SUBJECTS },
    );
  }
}

/** A kubeconfig of an account in the namespace `work`, which has no rights. */
export async function serviceAccount(cluster: TestCluster): Promise<string> {
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'work' } });
  await cluster.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: ACCOUNT });
  return cluster.up('kubeconfig', 'work', 'dispatcher');
}
