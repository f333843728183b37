/**
 * The chart by helm, where it is in the PATH. With TEST_KUBECONFIG, the kubeconfig of an administrator of a cluster for
 * tests, its API server checks each manifest (a server dry run; kubectl must be in the PATH).
 */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { ALL_PODS } from '../../src/kubernetes/rights.ts';
import { MANIFESTS, renderManifests } from '../world/manifests.ts';

const chart = fileURLToPath(new URL('../../deploy/helm', import.meta.url));
const kubeconfig = process.env.TEST_KUBECONFIG;
const inputs = ['secrets.values.DATABASE_URL=postgres://db/platform', 'secrets.values.PLATFORM_BLOBS_URL=s3://k:s@h/b'];

const helm = (command: readonly string[], values: readonly string[]) =>
  spawnSync('helm', [...command, ...values.flatMap((value) => ['--set', value])], { encoding: 'utf8' });
const rendered = (...values: string[]) => helm(['template', 'platform', chart, '--namespace', 'chart'], values);

const charted = spawnSync('helm', ['version']).status === 0 ? test : test.skip;
const served = kubeconfig === undefined ? test.skip : charted;

/** Each switch, and the objects that there are only when it is on. */
const SWITCHES: Record<string, { values?: string[]; kinds: string[] }> = {
  'serviceMonitor.enabled': { kinds: ['ServiceMonitor/platform-data-platform-api'] },
  'autoscaling.enabled': { kinds: ['HorizontalPodAutoscaler/platform-data-platform-api'] },
  'networkPolicy.enabled': {
    kinds: ['api', 'transfers', 'workers'].map((name) => `NetworkPolicy/platform-data-platform-${name}`),
  },
  'kubernetes.enabled': {
    kinds: [
      'ClusterRole/chart-platform-data-platform-dispatcher',
      'ClusterRoleBinding/chart-platform-data-platform-dispatcher',
      'ConfigMap/platform-data-platform-dispatcher',
      'Deployment/platform-data-platform-dispatcher',
      'NetworkPolicy/platform-data-platform-transfers',
      'Role/platform-data-platform-dispatcher',
      'RoleBinding/platform-data-platform-dispatcher',
      'ServiceAccount/platform-data-platform-dispatcher',
    ],
  },
  'kubernetes.clusterRole': {
    kinds: ['ClusterRole', 'ClusterRoleBinding'].map((kind) => `${kind}/chart-platform-data-platform-dispatcher`),
  },
  'podDisruptionBudget.enabled': { kinds: ['PodDisruptionBudget/platform-data-platform-api'] },
  'ingress.enabled': { values: ['ingress.tlsSecret=tls'], kinds: ['Ingress/platform-data-platform-api'] },
  'roles.enabled': { values: ['roles.existingSecret=superuser'], kinds: ['Job/platform-data-platform-roles'] },
  'migration.enabled': {
    kinds: ['Job/platform-data-platform-migrate', 'Secret/platform-data-platform-migrate'],
  },
};

function objectsOf(text: string): string[] {
  return parseAllDocuments(text)
    .flatMap((document) => document.toJS() ?? [])
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    .sort();
}

charted('helm finds no mistake in the chart', (t) => {
  const { status, stdout, stderr } = helm(['lint', '--strict', chart], inputs);
  t.is(status, 0, stdout + stderr);
});

charted('each switch of the chart adds its objects, and only these', (t) => {
  for (const [name, { values = [], kinds }] of Object.entries(SWITCHES)) {
    const [off, on] = ['false', 'true'].map((value) => rendered(...inputs, ...values, `${name}=${value}`));
    t.is(off?.status, 0, off?.stderr);
    t.is(on?.status, 0, on?.stderr);
    const before = new Set(objectsOf(off?.stdout ?? ''));
    t.deepEqual(
      objectsOf(on?.stdout ?? '').filter((one) => !before.has(one)),
      kinds,
      name,
    );
  }
});

charted('the right to see all pods is added where it is wanted', (t) => {
  const [rule, ...others] = parseAllDocuments(rendered(...inputs, 'kubernetes.allPods=true').stdout)
    .map((document) => document.toJS())
    .filter((object) => object?.kind === 'ClusterRole')
    .flatMap(({ rules }) => rules)
    .filter(({ resources }) => resources.includes(ALL_PODS.resource));
  t.deepEqual(rule, { apiGroups: [ALL_PODS.group], resources: [ALL_PODS.resource], verbs: ALL_PODS.verbs });
  t.deepEqual(others, []);
});

charted('mistakes in the values are told in a sentence', (t) => {
  const refused = (pattern: RegExp, ...values: string[]) => {
    const { status, stderr } = rendered(...values);
    t.not(status, 0, values.join(' '));
    t.regex(stderr, pattern);
  };
  refused(/There is no database: set secrets\.values\.DATABASE_URL/);
  refused(/There is no place for blobs: set secrets\.values\.PLATFORM_BLOBS_URL/, inputs[0]!);
  refused(/Nobody would run transfers/, ...inputs, 'kubernetes.enabled=false', 'workers=null');
  refused(/'general'/, ...inputs, ...['0', '1'].flatMap((at) => worker(at, 'general')));
  refused(/additional properties 'replica' not allowed/, ...inputs, 'api.replica=3');
  refused(/autoscaling\.minReplicas is 9/, ...inputs, 'autoscaling.minReplicas=9');
  refused(/roles\.existingSecret/, ...inputs, 'roles.enabled=true');
  refused(/not both/, ...inputs, 'secrets.existingSecret=one');
});

/** Values of a class of workers. */
const worker = (at: string, name: string, ...more: string[]) =>
  [`name=${name}`, 'replicas=1', 'memoryMb=2048', 'cores=1', 'scratchGb=5', ...more].map(
    (value) => `workers[${at}].${value}`,
  );

charted('large numbers of settings stay as they are written', (t) => {
  const { stdout } = rendered(...inputs, 'settings.PLATFORM_BLOBS_REDIRECT_FROM=104857600');
  t.regex(stdout, /PLATFORM_BLOBS_REDIRECT_FROM: "104857600"/);
});

charted('the plain manifests are what the chart makes', async (t) => {
  t.is(await readFile(MANIFESTS, 'utf8'), renderManifests());
});

served('the API server accepts the manifests, with all switches on and with all off', (t) => {
  const kubectl = (command: string[], input?: string) =>
    spawnSync('kubectl', ['--kubeconfig', kubeconfig!, ...command], { encoding: 'utf8', input });
  kubectl(['create', 'namespace', 'chart']);
  kubectl(['label', 'namespace', 'chart', 'pod-security.kubernetes.io/warn=restricted']);
  t.teardown(() => void kubectl(['delete', 'namespace', 'chart', '--wait=false']));
  const all = Object.entries(SWITCHES).flatMap(([name, { values = [] }]) => [...values, `${name}=true`]);
  const gpu = ['labels[0]=gpu=a100', 'storageClass=fast', 'nodeSelector.zone=north', 'tolerations[0].operator=Exists'];
  const none = Object.keys(SWITCHES).map((name) => `${name}=false`);
  const hasMonitor = kubectl(['get', 'crd', 'servicemonitors.monitoring.coreos.com']).status === 0;
  if (!hasMonitor) t.log('skipped: the cluster has no CRD ServiceMonitor');
  const shown = hasMonitor ? [] : ['serviceMonitor.enabled=false'];
  for (const values of [
    [...all, ...worker('0', 'gpu', ...gpu), 'networkPolicy.egress[0].ports[0].port=5432', ...shown],
    [...none, 'data.existingClaim=shared'],
  ]) {
    const { stdout } = rendered(...inputs, ...values);
    const { status, stderr } = kubectl(['apply', '--namespace=chart', '--dry-run=server', '--filename=-'], stdout);
    t.is(status, 0, stderr);
    t.false(/warning/i.test(stderr), stderr);
  }
});
