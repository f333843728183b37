import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { checkKubernetes } from '../../src/operations/doctor/checks/kubernetes.ts';
import { type Answer, ApiServer, send } from '../world/api-server.ts';
import { makeCertificate } from '../world/certificate.ts';
import { KUBE_TEST, TestCluster } from '../world/kubernetes/cluster.ts';

/** What `platform doctor` says of the rights of a dispatcher. */
const made = await makeCertificate();
const secure = made ? test : test.skip;
const folder = await mkdtemp(join(tmpdir(), 'platform-rights-'));
test.after.always(async () => {
  for (const one of [folder, made?.folder]) if (one) await rm(one, { recursive: true });
});

const settings = (kubeconfig: string | undefined, storageClass?: string) => ({
  'kubernetes.kubeconfig': kubeconfig,
  'kubernetes.namespace': 'work',
  'kubernetes.image': undefined,
  'kubernetes.storageClass': storageClass,
  'kubernetes.template': undefined,
});
const NO_POD = { serviceHost: undefined, servicePort: undefined };
const check = async (kubeconfig: string | undefined, storageClass?: string) => {
  const [found] = await checkKubernetes(settings(kubeconfig, storageClass), NO_POD);
  if (found === undefined) throw new Error('There is no check.');
  return found;
};

interface Review {
  spec: {
    resourceAttributes: { verb: string; resource: string; subresource?: string; group: string; namespace?: string };
  };
}

/** An API server whose account lacks the rights `lacks`, such as `list nodes`. */
async function serverWithout(t: { teardown(end: () => unknown): void }, ...lacks: string[]): Promise<string> {
  if (!made) throw new Error('There is no openssl here.');
  const server = await ApiServer.open(made);
  t.teardown(() => server.close());
  const review: Answer = (request, response) => {
    const { verb, resource, subresource, namespace } = (request.body as Review).spec.resourceAttributes;
    const where = namespace === undefined && resource === 'pods' ? ' of all' : '';
    const right = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}${where}`;
    send(201, { status: { allowed: !lacks.includes(right) } })(request, response);
  };
  server.answer('POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review);
  server.answer('GET /version', send(200, { gitVersion: 'v1.37.2' }));
  const items = [{ metadata: { name: 'fast' } }, { metadata: { name: 'plain' } }];
  server.answer('GET /apis/storage.k8s.io/v1/storageclasses', send(200, { metadata: { resourceVersion: '1' }, items }));
  const path = join(folder, `${lacks.join('-').replace(/\W/g, '-')}.json`);
  const certificate = made.cert.toString('base64');
  await writeFile(
    path,
    JSON.stringify({
      'current-context': 'one',
      contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
      clusters: [{ name: 'one', cluster: { server: server.address, 'certificate-authority-data': certificate } }],
      users: [{ name: 'one', user: { token: 'secret' } }],
    }),
  );
  return path;
}

test('without settings of a cluster there is nothing to check', async (t) => {
  t.deepEqual(await checkKubernetes({ ...settings(undefined), 'kubernetes.namespace': undefined }, NO_POD), []);
});

test('outside of a pod it asks for a kubeconfig', async (t) => {
  const { ok, message } = await check(undefined);
  t.false(ok);
  t.regex(message, /runs in no pod of Kubernetes\. Set PLATFORM_KUBERNETES_KUBECONFIG/);
});

secure('it names each right that is missing, and what does not work without it', async (t) => {
  const well = await check(await serverWithout(t), 'fast');
  t.true(well.ok, well.message);
  t.regex(well.message, /^Kubernetes v1\.37\.2 at https:\S+: .* may do all that it needs in namespace 'work'\.$/);

  const nodes = await check(await serverWithout(t, 'list nodes'));
  t.false(nodes.ok);
  t.regex(nodes.message, /the account of the dispatcher may not list nodes\. Transfers go out, but do not say whether/);
  t.regex(nodes.mend ?? '', /ClusterRole/);

  const several = await check(await serverWithout(t, 'create jobs', 'get pods/log'));
  t.regex(
    several.message,
    /may not create jobs in namespace 'work', may not get pods\/log in namespace 'work'\. It hands/,
  );
  const fewer = await check(await serverWithout(t, 'watch events'));
  t.regex(fewer.message, /may not watch events in namespace 'work'\. Transfers go out, but say less/);

  const others = await check(await serverWithout(t, 'watch pods of all'));
  t.true(others.ok);
  t.regex(others.message, /It may not list pods of all namespaces/);
});

secure('it knows the storage classes', async (t) => {
  const { ok, message } = await check(await serverWithout(t), 'slow');
  t.false(ok);
  t.regex(message, /has no storage class 'slow'; it has fast, plain\.$/);
});

const real = KUBE_TEST === undefined ? test.skip : test;

real('on a real cluster each right that is taken away is named', async (t) => {
  t.timeout(10 * 60_000);
  const cluster = await TestCluster.start();
  t.teardown(() => cluster.stop());
  const api = 'rbac.authorization.k8s.io/v1';
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'work' } });
  await cluster.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'out', namespace: 'work' } });
  const kubeconfig = (await cluster.up('kubeconfig', 'work', 'out')).split('\n').at(-1);
  const read = ['get', 'list', 'watch'];
  const role = [
    { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create', ...read, 'delete', 'patch'] },
    { apiGroups: [''], resources: ['pods'], verbs: [...read, 'delete'] },
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
    ...['events', 'persistentvolumeclaims', 'resourcequotas', 'limitranges'].map((resource) => ({
      apiGroups: [''],
      resources: [resource],
      verbs: read,
    })),
  ];
  const clusterRole = [
    { apiGroups: [''], resources: ['nodes'], verbs: read },
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get', 'list'] },
  ];
  type Rules = typeof role;
  const set = (rules: Rules, ofCluster: Rules) =>
    cluster.apply(
      { apiVersion: api, kind: 'Role', metadata: { name: 'out', namespace: 'work' }, rules },
      { apiVersion: api, kind: 'ClusterRole', metadata: { name: 'out' }, rules: ofCluster },
    );
  const subjects = [{ kind: 'ServiceAccount', name: 'out', namespace: 'work' }];
  const bind = (kind: string, of: string, more: object) => ({
    apiVersion: api,
    kind,
    metadata: { name: 'out', ...more },
    subjects,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: of, name: 'out' },
  });
  await set(role, clusterRole);
  await cluster.apply(
    bind('RoleBinding', 'Role', { namespace: 'work' }),
    bind('ClusterRoleBinding', 'ClusterRole', {}),
  );
  /** The message as soon as the API server knows the rights. */
  const said = async (expected: RegExp) => {
    for (let tries = 0; tries < 100; tries++) {
      const { message } = await check(kubeconfig);
      if (expected.test(message)) return message;
    }
    return (await check(kubeconfig)).message;
  };
  const WELL = /may do all that it needs in namespace 'work'\. It may not list pods of all namespaces/;
  t.regex(await said(WELL), WELL);
  const without = (rules: Rules, at: number, verb: string): Rules =>
    rules
      .map((rule, n) => (n === at ? { ...rule, verbs: rule.verbs.filter((one) => one !== verb) } : rule))
      .filter(({ verbs }) => verbs.length > 0);
  for (const [rules, isRole] of [
    [role, true],
    [clusterRole, false],
  ] as const)
    for (const [at, { resources, verbs }] of rules.entries())
      for (const verb of verbs) {
        const less = without(rules, at, verb);
        await set(isRole ? less : role, isRole ? clusterRole : less);
        const where = isRole ? " in namespace 'work'" : '';
        const expected = new RegExp(`: the account of the dispatcher may not ${verb} ${resources[0]}${where}\\. `);
        t.regex(await said(expected), expected);
      }
  await set(role, clusterRole);
  t.regex(await said(WELL), WELL);
});
