import type { Config } from '../../../config.ts';
import { KubernetesClient } from '../../../kubernetes/client.ts';
import { type AccessSettings, findAccess } from '../../../kubernetes/credentials.ts';
import { type Action, mayNot } from '../../../kubernetes/errors.ts';
import { listAll } from '../../../kubernetes/resources.ts';
import { reviewRights } from '../../../kubernetes/rights.ts';
import type { KubernetesObject } from '../../../kubernetes/types.ts';
import { type Check, ill, type Result, runCheck, well } from '../check.ts';

type ClusterSettings = Pick<
  Config,
  | 'kubernetes.kubeconfig'
  | 'kubernetes.namespace'
  | 'kubernetes.image'
  | 'kubernetes.storageClass'
  | 'kubernetes.template'
>;

/** Whether the settings are those of a process that hands transfers to a cluster. */
const isConfigured = (config: ClusterSettings) =>
  (['kubeconfig', 'namespace', 'image', 'storageClass', 'template'] as const).some(
    (name) => config[`kubernetes.${name}`] !== undefined,
  );

/** What a dispatcher of these settings finds in its cluster. None without such settings. */
export async function checkKubernetes(
  config: ClusterSettings,
  pod: Omit<AccessSettings, 'kubeconfig'>,
): Promise<Check[]> {
  if (!isConfigured(config)) return [];
  const mend = 'Correct kubernetes.kubeconfig, or run this in a pod of the dispatcher; see the guide on Kubernetes.';
  return [
    await runCheck('kubernetes', mend, async () => {
      const access = await findAccess({ ...pod, kubeconfig: config['kubernetes.kubeconfig'] });
      const namespace = config['kubernetes.namespace'] ?? access.namespace ?? 'default';
      const client = new KubernetesClient(access);
      try {
        return await examineCluster(client, namespace, config['kubernetes.storageClass']);
      } finally {
        client.close();
      }
    }),
  ];
}

async function examineCluster(
  client: KubernetesClient,
  namespace: string,
  storageClass: string | undefined,
): Promise<Result> {
  const { gitVersion } = await client.request<{ gitVersion?: string }>({
    method: 'GET',
    path: '/version',
    action: { verb: 'get', resource: 'version' },
  });
  const place = `Kubernetes ${gitVersion ?? ''} at ${client.server}`;
  const { missing, seesAllPods } = await reviewRights(client, namespace);
  const isMissing = (resource: string) => missing.some((one) => one.resource === resource);
  if (missing.length > 0)
    return ill(
      `${place}: the account of the dispatcher ${missing.map(mayNot).join(', ')}. ${consequences(missing)}`,
      'Give it the rights of the Role and the ClusterRole in the guide on Kubernetes.',
    );
  if (storageClass !== undefined && !isMissing('storageclasses')) {
    const { items } = await listAll<KubernetesObject>(client, { resource: 'storageclasses' });
    const names = items.map(({ metadata }) => metadata.name);
    if (!names.includes(storageClass))
      return ill(
        `${place} has no storage class '${storageClass}'; it has ${names.join(', ') || 'none'}.`,
        'Set kubernetes.storageClass to one of them, or let it out: then scratch space is on the disk of the node.',
      );
  }
  const others = seesAllPods
    ? ''
    : ` It may not list pods of all namespaces: what those of others take of the nodes is not known, so a transfer may wait that has room by its verdict.`;
  return well(`${place}: the account of the dispatcher may do all that it needs in namespace '${namespace}'.${others}`);
}

/** What does not work without these rights. */
function consequences(missing: readonly Action[]): string {
  const resources = new Set(missing.map(({ resource }) => resource));
  if (resources.has('jobs') || resources.has('pods')) return 'It hands over no transfers, or loses sight of them.';
  if (resources.has('nodes'))
    return 'Transfers go out, but do not say whether a node could ever take them, and a dead node is found late.';
  return 'Transfers go out, but say less about why their pods do not start.';
}
