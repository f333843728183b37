import { labelProblem, toNodeRequirement } from '../../src/kubernetes/labels.ts';
import { decodeRequirements, type Requirements } from '../../src/transfers/queue/requirements.ts';
import { CONTAINER, type Container, mainContainer, type Template } from './template.ts';

/** What a transfer asks for. */
export interface TransferNeeds {
  id: string;
  /** Its resource request, see `encodeRequirements`. */
  flags: readonly string[];
  /** MB. */
  memoryMb: number;
  /** Absent unless the request asks for a number. */
  cores?: number | undefined;
}

/** The settings of all Jobs. */
export interface JobSettings {
  template: Template;
  /** Absent: that of the template. */
  image: string | undefined;
  /** Of volumes for scratch space; absent: the disk of the node. */
  storageClass: string | undefined;
  overheadMb: number;
  /** `PLATFORM_DATA` of the pods. */
  data: string;
  /** Marks the Jobs of this platform, whatever else is in the namespace. */
  instance: string;
  /** Of all other members: tells Jobs of former settings. */
  hash: string;
}

export const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const INSTANCE = 'platform/instance';
export const TRANSFER = 'platform/transfer';
const ATTEMPT = 'platform/attempt';
/** Annotation. */
export const SETTINGS = 'platform/settings';
const KUEUE = 'kueue.x-k8s.io/';

/** Ended Jobs stay so long, for people; then Kubernetes deletes them. */
const KEPT_S = 600;
/** SIGTERM hands a transfer back within seven seconds. */
const GRACE_S = 15;
/** Names of nodes as Kubernetes takes them: a drained host may be another machine. */
const NODE_NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
/** How long a pod may stay on a node that does not answer. The dispatcher has started another one by then. */
const TOLERATED_S = 20;
const LOST_NODE = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** @param number counts the Jobs of a transfer */
export const jobName = (transferId: string, number: number) => `transfer-${transferId}-${number}`;

/** Why Kubernetes would take no Job for this transfer. Undefined: it would. */
export function jobProblem({ flags }: Pick<TransferNeeds, 'flags'>): string | undefined {
  for (const label of decodeRequirements(flags).labels) {
    const problem = labelProblem(label);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * The Job of one handing over: a single pod, which runs `platform work --transfer`. A further pod is that of another
 * Job, since only Postgres knows whether the transfer still waits.
 * @param drained hosts where it may not run
 */
export function makeJob(
  transfer: TransferNeeds,
  number: number,
  settings: JobSettings,
  drained: readonly string[] = [],
) {
  const { template } = settings;
  const labels = {
    ...template.metadata.labels,
    [MANAGED_BY]: 'platform',
    [INSTANCE]: settings.instance,
    [TRANSFER]: transfer.id,
    [ATTEMPT]: String(number),
  };
  const { annotations } = template.metadata;
  const queue = Object.entries(template.metadata.labels).filter(([name]) => name.startsWith(KUEUE));
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(transfer.id, number),
      // Kueue reads the labels of the Job
      labels: { ...Object.fromEntries(queue), ...labels },
      annotations: { ...annotations, [SETTINGS]: settings.hash },
    },
    spec: {
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      ttlSecondsAfterFinished: KEPT_S,
      template: { ...template, metadata: { ...template.metadata, labels }, spec: podSpec(transfer, settings, drained) },
    },
  };
}
export type JobBody = ReturnType<typeof makeJob>;

function podSpec(transfer: TransferNeeds, settings: JobSettings, drained: readonly string[]) {
  const { spec } = settings.template;
  const required = decodeRequirements(transfer.flags);
  const scratch = scratchVolume(required, settings.storageClass);
  const own = mainContainer(settings.template);
  const others = spec.containers.filter(({ name }) => name !== CONTAINER);
  const mounted = (path: string) => own.volumeMounts.some(({ mountPath }) => mountPath === path);
  const temporary = !mounted('/tmp');
  return {
    terminationGracePeriodSeconds: GRACE_S,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...spec,
    restartPolicy: 'Never',
    securityContext: { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000, ...spec.securityContext },
    tolerations: [...spec.tolerations, ...tolerationsBeside(spec.tolerations)],
    ...affinityWith(required.labels, drained, spec.affinity),
    volumes: [
      ...spec.volumes.filter(({ name }) => name !== 'scratch'),
      { name: 'scratch', ...scratch.volume },
      ...(temporary ? [{ name: 'tmp', emptyDir: {} }] : []),
    ],
    containers: [workContainer(transfer, required, settings, own, { disk: scratch.disk, temporary }), ...others],
  };
}

function workContainer(
  transfer: TransferNeeds,
  required: Requirements,
  settings: JobSettings,
  own: Container,
  { disk, temporary }: { disk: Amounts; temporary: boolean },
) {
  const image = settings.image ?? own.image;
  const env = environment(transfer, required, settings, own);
  const names = new Set(env.map(({ name }) => name));
  return {
    ...own,
    name: CONTAINER,
    ...(image === undefined ? {} : { image }),
    command: [...(own.command ?? ['platform']), 'work', '--transfer', transfer.id],
    env: [...own.env.filter(({ name }) => !names.has(name)), ...env],
    resources: resources(transfer, settings, own.resources, disk),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      ...own.securityContext,
    },
    volumeMounts: [
      ...own.volumeMounts,
      { name: 'scratch', mountPath: `${settings.data}/scratch` },
      ...(temporary ? [{ name: 'tmp', mountPath: '/tmp' }] : []),
    ],
  };
}

type Amounts = Record<string, string | number>;

function resources(
  { memoryMb, cores }: TransferNeeds,
  { overheadMb }: JobSettings,
  given: Container['resources'],
  disk: Amounts,
) {
  const fixed = { memory: `${memoryMb + overheadMb}Mi`, ...disk };
  const cpu = cores === undefined ? {} : { cpu: `${Math.ceil(cores * 1000)}m` };
  return {
    ...given,
    requests: { ...given.requests, ...fixed, ...cpu },
    limits: { ...given.limits, ...fixed, ...cpu },
  };
}

/** The capacity that the process in the pod offers to its only transfer: exactly what the transfer asks for. */
function environment(
  { memoryMb }: TransferNeeds,
  { cores, scratchGb, labels }: Requirements,
  { data }: JobSettings,
  own: Container,
): { name: string; value?: string; valueFrom?: object }[] {
  const given = own.env.find(({ name }) => name === 'PLATFORM_DATA');
  return [
    ...(given === undefined ? [{ name: 'PLATFORM_DATA', value: data }] : []),
    { name: 'PLATFORM_WORKER_HOST', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'PLATFORM_WORKER_NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    { name: 'PLATFORM_WORKER_MEMORY', value: String(memoryMb) },
    ...(cores === undefined ? [] : [{ name: 'PLATFORM_WORKER_CORES', value: String(cores) }]),
    { name: 'PLATFORM_WORKER_SCRATCH', value: String(Math.max(1, scratchGb.amount)) },
    { name: 'PLATFORM_WORKER_LABELS', value: labels.join(',') },
  ];
}

/** Scratch space is a volume of the storage class, else disk of the node. */
function scratchVolume(
  { scratchGb: { amount } }: Requirements,
  storageClass: string | undefined,
): { volume: object; disk: Amounts } {
  if (amount === 0) return { volume: { emptyDir: { sizeLimit: '1Gi' } }, disk: {} };
  const size = `${amount}Gi`;
  if (storageClass === undefined)
    return { volume: { emptyDir: { sizeLimit: size } }, disk: { 'ephemeral-storage': size } };
  const spec = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: storageClass,
    resources: { requests: { storage: size } },
  };
  return { volume: { ephemeral: { volumeClaimTemplate: { spec } } }, disk: {} };
}

const tolerationsBeside = (given: readonly { key?: string | undefined; effect?: string | undefined }[]) =>
  LOST_NODE.filter((key) => !given.some((one) => one.key === key)).map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: TOLERATED_S,
  }));

/** A node must meet one of the terms, so each of them gets the labels of the request, and leaves out drained nodes. */
function affinityWith(labels: readonly string[], drained: readonly string[], given: Template['spec']['affinity']) {
  const excluded = drained
    .filter((name) => NODE_NAME.test(name))
    .map((name) => ({ key: 'metadata.name', operator: 'NotIn', values: [name] }));
  if (labels.length === 0 && excluded.length === 0) return given === undefined ? {} : { affinity: given };
  const asked = labels.map(toNodeRequirement);
  const required = given?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [{ matchExpressions: [] }];
  return {
    affinity: {
      ...given,
      nodeAffinity: {
        ...given?.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: {
          ...required,
          nodeSelectorTerms: terms.map((term) => ({
            ...term,
            matchExpressions: [...term.matchExpressions, ...asked],
            ...(excluded.length === 0 ? {} : { matchFields: [...(term.matchFields ?? []), ...excluded] }),
          })),
        },
      },
    },
  };
}
