/** The chart, and the manifests that are made of it, without helm and without a cluster. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { environmentName, loadConfig } from '../../src/config.ts';
import { IN_NAMESPACE, OF_CLUSTER, type Rule } from '../../src/kubernetes/rights.ts';
import { SETTINGS } from '../../src/platform/settings/settings.ts';
import { digestOfChart, MANIFESTS } from '../world/manifests.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFile(`${root}deploy/${file}`, 'utf8');

interface Variable {
  name: string;
  value?: string;
}
interface Container {
  name: string;
  image: string;
  command: string[];
  env?: Variable[];
  envFrom?: object[];
  securityContext: object;
  volumeMounts: { name: string; mountPath: string }[];
  startupProbe?: object;
  livenessProbe?: { httpGet: { path: string } };
  readinessProbe?: { httpGet: { path: string } };
}
interface Pod {
  enableServiceLinks: boolean;
  automountServiceAccountToken: boolean;
  securityContext: object;
  terminationGracePeriodSeconds?: number;
  containers: Container[];
  volumes: { name: string }[];
}
interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  rules?: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
  spec?: { template?: { spec: Pod } };
}

const manifests = async (): Promise<Manifest[]> =>
  parseAllDocuments(await readFile(MANIFESTS, 'utf8')).map((document) => document.toJS());

async function pods(): Promise<Map<string, Pod>> {
  const found = new Map();
  for (const { metadata, spec } of await manifests()) if (spec?.template) found.set(metadata.name, spec.template.spec);
  return found;
}

test('files of deploy/ are YAML and JSON without mistakes', async (t) => {
  const files = globSync('**/*.{yaml,json}', { cwd: `${root}deploy` }).filter((file) => !file.includes('templates'));
  t.true(files.length > 8);
  for (const file of files)
    for (const { errors, warnings } of parseAllDocuments(await read(file)))
      t.deepEqual([...errors, ...warnings], [], file);
});

test('each variable in deploy/ is a setting', async (t) => {
  const known = new Set(Object.keys(SETTINGS).map(environmentName));
  for (const file of globSync('**/*.*', { cwd: `${root}deploy`, exclude: ['**/*.json'] }))
    for (const [name] of (await read(file)).matchAll(/\bPLATFORM_[A-Z0-9_]+/g))
      t.true(known.has(name), `${file}: ${name}`);
});

test('the values of the chart fit their schema, which refuses what is no value', async (t) => {
  const schema = z.fromJSONSchema(JSON.parse(await read('helm/values.schema.json')));
  const values = parse(await read('helm/values.yaml'));
  t.deepEqual(schema.safeParse(values).error?.issues ?? [], []);
  t.deepEqual(schema.safeParse(parse(await read('kubernetes/values.yaml'))).error?.issues ?? [], []);
  for (const wrong of [
    { api: { ...values.api, replica: 2 } },
    { workers: [{ ...values.workers[0], memoryMb: '4Gi' }] },
    { settings: { 'log.level': 'info' } },
    { kubernetes: { ...values.kubernetes, takes: 'some' } },
  ])
    t.false(schema.safeParse({ ...values, ...wrong }).success, JSON.stringify(wrong));
});

test('the version of the chart is that of the platform', async (t) => {
  const { version } = JSON.parse(await readFile(`${root}package.json`, 'utf8'));
  t.like(parse(await read('helm/Chart.yaml')), { version, appVersion: version });
  t.is(parse(await read('kubernetes/kustomization.yaml')).images[0].newTag, version);
});

test('the manifests are made of the present chart: else run `npm run manifests`', async (t) => {
  t.is((await readFile(MANIFESTS, 'utf8')).split('\n')[0]?.split(' ').at(-1), digestOfChart());
});

test('each pod is an ordinary user that can change nothing but its volumes', async (t) => {
  const all = await pods();
  t.deepEqual([...all.keys()].sort(), [
    'platform-api',
    'platform-dispatcher',
    'platform-migrate',
    'platform-worker-general',
  ]);
  for (const [name, pod] of all) {
    t.like(
      pod.securityContext,
      { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      name,
    );
    t.false(pod.enableServiceLinks, name);
    t.is(pod.automountServiceAccountToken, name === 'platform-dispatcher', name);
    for (const container of pod.containers) {
      t.deepEqual(
        container.securityContext,
        { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        name,
      );
      t.deepEqual(
        container.volumeMounts.map((mount) => mount.name),
        pod.volumes.map((volume) => volume.name),
        name,
      );
      t.true(
        container.volumeMounts.some(({ mountPath }) => mountPath === '/tmp'),
        name,
      );
    }
  }
});

test('the settings of each pod are settings of the platform, with values that it takes', async (t) => {
  for (const [name, { containers }] of await pods()) {
    const [{ env = [], command }] = containers as [Container];
    const given = env.flatMap(({ name: key, value }) => (value === undefined ? [] : [[key, value]]));
    t.notThrows(() => loadConfig(Object.fromEntries(given)), name);
    t.is(command[0], 'platform', name);
  }
});

/** One line for each group, resource and verb. */
const lines = (rules: readonly Rule[]) =>
  rules.flatMap(({ group, resource, verbs }) => verbs.map((verb) => `${verb} ${resource} ${group}`)).sort();
const rulesOf = (objects: readonly Manifest[], wanted: string) =>
  objects
    .filter(({ kind }) => kind === wanted)
    .flatMap(({ rules = [] }) => rules)
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.map((resource) => ({ group, resource, verbs }) as Rule)),
    );

test('chart and guide give a dispatcher the rights that it uses, and no others', async (t) => {
  const guide = await readFile(`${root}docs/guide/kubernetes.md`, 'utf8');
  const [, listed = ''] = /## Rights\n\n```yaml\n(.*?)```/s.exec(guide) ?? [];
  const shown: Manifest[] = parseAllDocuments(listed).map((document) => document.toJS());
  for (const objects of [await manifests(), shown]) {
    t.deepEqual(lines(rulesOf(objects, 'Role')), lines(IN_NAMESPACE));
    t.deepEqual(lines(rulesOf(objects, 'ClusterRole')), lines(OF_CLUSTER));
  }
});

test('the API is probed, and has time to end what it serves', async (t) => {
  const pod = (await pods()).get('platform-api')!;
  const [container] = pod.containers as [Container];
  t.is(container.livenessProbe?.httpGet.path, '/health/live');
  t.is(container.readinessProbe?.httpGet.path, '/health/ready');
  t.deepEqual(container.env?.find(({ name }) => name === 'NODE_OPTIONS')?.value, '--max-semi-space-size=8');
  t.true(pod.terminationGracePeriodSeconds! > 5 + 6);
});
