import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { estimateResources } from '../../src/transfers/queue/resource-request.ts';
import { type JobSettings, jobProblem, makeJob } from '../../workers/kubernetes/job.ts';
import { readTemplate } from '../../workers/kubernetes/template.ts';

/** What `platform work --executor kubernetes` makes of a request: the Job that it sends. */
const ID = '01990000-0000-7000-8000-000000000001';
const NODE_SIZES = [{ name: 'Big', family: 'bigFamily', cores: 8, memoryMb: 32_768, storageGb: 300 }];

interface Container {
  name: string;
  image?: string;
  command: string[];
  env: { name: string; value?: string; valueFrom?: object }[];
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  volumeMounts: { name: string; mountPath: string }[];
  securityContext: Record<string, unknown>;
}

interface PodSpec {
  containers: [Container, ...Container[]];
  volumes: { name: string }[];
  tolerations: { key: string }[];
  affinity?: object;
  restartPolicy: string;
  [member: string]: unknown;
}

async function jobOf(request: object, template?: string, settings: Partial<JobSettings> = {}) {
  const { flags, memoryMb, cores } = estimateResources(
    { nodeSizes: NODE_SIZES, ...request },
    { inputBytes: 10, copied: false },
  );
  const all = {
    template: await readTemplate(template),
    image: 'platform:1',
    storageClass: undefined,
    overheadMb: 512,
    data: '/data',
    instance: 'here',
    hash: 'h',
    ...settings,
  };
  const job = makeJob({ id: ID, flags, memoryMb, cores }, 3, all);
  const spec = job.spec.template.spec as unknown as PodSpec;
  const [work] = spec.containers;
  const told = Object.fromEntries(
    work.env
      .filter(({ name }) => name.startsWith('PLATFORM_WORKER_'))
      .map(({ name, value }) => [name.slice(16), value]),
  );
  return { job, spec, work, told };
}

const expressions = (...matchExpressions: object[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
});

test('a request without resources is a pod of the default memory and the overhead', async (t) => {
  const { job, spec, work, told } = await jobOf({});
  t.is(job.metadata.name, `transfer-${ID}-3`);
  t.deepEqual(job.metadata.labels, {
    'app.kubernetes.io/managed-by': 'platform',
    'platform/instance': 'here',
    'platform/transfer': ID,
    'platform/attempt': '3',
  });
  t.deepEqual(job.spec.template.metadata.labels, job.metadata.labels);
  t.deepEqual([job.spec.backoffLimit, spec.restartPolicy], [0, 'Never']);
  t.deepEqual(work.command, ['platform', 'work', '--transfer', ID]);
  t.deepEqual(work.resources, {
    requests: { cpu: '1', memory: '4608Mi' },
    limits: { memory: '4608Mi' },
  });
  t.deepEqual(told, { HOST: undefined, NODE: undefined, MEMORY: '4096', SCRATCH: '1', LABELS: '' });
  t.is(spec.affinity, undefined);
  t.true(work.securityContext.readOnlyRootFilesystem);
  t.deepEqual(
    work.volumeMounts.map(({ mountPath }) => mountPath),
    ['/data/scratch', '/tmp'],
  );
});

test('memory and cores are requests and limits, and the worker offers exactly what was asked for', async (t) => {
  const { work, told } = await jobOf({ memoryRequestMb: 8192, cpuCoresRequest: 1.5 }, undefined, { overheadMb: 256 });
  const both = { cpu: '1500m', memory: '8448Mi' };
  t.deepEqual(work.resources, { requests: both, limits: both });
  t.deepEqual([told.MEMORY, told.CORES], ['8192', '1.5']);
});

test('storage is a volume of the storage class, without one disk of the node', async (t) => {
  const disk = await jobOf({ storageSizeGb: 20 });
  t.like(disk.spec.volumes, [{ name: 'scratch', emptyDir: { sizeLimit: '20Gi' } }]);
  t.is(disk.work.resources.requests['ephemeral-storage'], '20Gi');
  t.is(disk.work.resources.limits['ephemeral-storage'], '20Gi');
  t.is(disk.told.SCRATCH, '20');
  const volume = await jobOf({ storageSizeGb: 20 }, undefined, { storageClass: 'fast' });
  t.deepEqual(volume.spec.volumes[0], {
    name: 'scratch',
    ephemeral: {
      volumeClaimTemplate: {
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'fast',
          resources: { requests: { storage: '20Gi' } },
        },
      },
    },
  });
  t.false('ephemeral-storage' in volume.work.resources.requests);
});

test('labels are requirements of the node, a node size is its family', async (t) => {
  const { spec, told } = await jobOf({ requiredLabels: ['gpu', 'zone=north'], nodeSize: 'Big' });
  t.deepEqual(
    spec.affinity,
    expressions(
      { key: 'gpu', operator: 'Exists' },
      { key: 'svc.platform/vmsize', operator: 'In', values: ['bigFamily'] },
      { key: 'zone', operator: 'In', values: ['north'] },
    ),
  );
  t.is(told.LABELS, 'gpu,svc.platform/vmsize=bigFamily,zone=north');
  const two = await jobOf({ requiredLabels: ['zone=north', 'zone=south'] });
  t.deepEqual(
    two.spec.affinity,
    expressions({ key: 'zone', operator: 'In', values: ['north'] }, { key: 'zone', operator: 'In', values: ['south'] }),
  );
  t.regex(jobProblem({ flags: ['label:zone=north_'] }) ?? '', /Kubernetes takes no label 'zone=north_'/);
  t.is(jobProblem({ flags: ['label:zone=north', 'memory:1024'] }), undefined);
});

const TEMPLATE = `
metadata:
  labels: {team: water, kueue.x-k8s.io/queue-name: transfers, platform/transfer: mine}
  annotations: {note: kept}
spec:
  priorityClassName: batch
  imagePullSecrets: [{name: registry}]
  securityContext: {fsGroup: 7}
  tolerations:
  - {key: dedicated, operator: Exists}
  - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 2}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: pool, operator: In, values: [a]}]
        - matchExpressions: [{key: pool, operator: In, values: [b]}]
  volumes: [{name: certificates, secret: {secretName: c}}]
  containers:
  - name: sidecar
    image: proxy
  - name: work
    image: own
    command: [/opt/platform]
    envFrom: [{secretRef: {name: settings}}]
    env: [{name: PLATFORM_WORKER_MEMORY, value: '1'}, {name: NODE_OPTIONS, value: x}]
    resources: {requests: {cpu: 250m}, limits: {cpu: 2, example.com/fpga: 1}}
    volumeMounts: [{name: certificates, mountPath: /certificates}]
`;

test('a template is merged: its members stay, those of the transfer win', async (t) => {
  const { job, spec, work, told } = await jobOf({ memoryRequestMb: 1024, requiredLabels: ['gpu'] }, TEMPLATE, {
    image: undefined,
  });
  const { labels } = job.spec.template.metadata;
  t.like(labels, { team: 'water', 'platform/transfer': ID });
  t.is((job.metadata.labels as Record<string, string>)['kueue.x-k8s.io/queue-name'], 'transfers');
  t.deepEqual(job.metadata.annotations, { note: 'kept', 'platform/settings': 'h' });
  t.like(spec, { priorityClassName: 'batch', imagePullSecrets: [{ name: 'registry' }] });
  t.deepEqual(spec.securityContext, { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 7 });
  t.deepEqual(
    spec.tolerations.map(({ key }) => key),
    ['dedicated', 'node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'],
  );
  const asked = { key: 'gpu', operator: 'Exists' };
  t.deepEqual(spec.affinity, {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: ['a', 'b'].map((value) => ({
          matchExpressions: [{ key: 'pool', operator: 'In', values: [value] }, asked],
        })),
      },
    },
  });
  t.deepEqual(
    spec.containers.map(({ name, image }) => [name, image]),
    [
      ['work', 'own'],
      ['sidecar', 'proxy'],
    ],
  );
  t.deepEqual(work.command, ['/opt/platform', 'work', '--transfer', ID]);
  t.is(told.MEMORY, '1024');
  t.like(work, { envFrom: [{ secretRef: { name: 'settings' } }] });
  t.deepEqual(work.resources as object, {
    requests: { cpu: '250m', memory: '1536Mi' },
    limits: { cpu: 2, 'example.com/fpga': 1, memory: '1536Mi' },
  });
  t.deepEqual(
    work.volumeMounts.map(({ name }) => name),
    ['certificates', 'scratch', 'tmp'],
  );
});

test('a template is a text or a file, and what is wrong with it is said', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'platform-template-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'template.yaml');
  await writeFile(path, TEMPLATE);
  t.deepEqual(await readTemplate(path), await readTemplate(TEMPLATE));
  await t.throwsAsync(readTemplate(join(folder, 'none')), {
    message: /^kubernetes\.template \(.*none\) cannot be read/,
  });
  await t.throwsAsync(readTemplate('spec:\n  containers: [{name: main}]'), {
    message: "kubernetes.template has the container 'main' and none of the name 'work', which runs the transfer.",
  });
  await t.throwsAsync(readTemplate('{"spec": {"volumes": 7}}'), {
    message: /^kubernetes\.template is no PodTemplateSpec: spec\.volumes: /,
  });
  await t.throwsAsync(readTemplate('{"spec": '), { message: /^kubernetes\.template is neither YAML nor JSON: / });
});
