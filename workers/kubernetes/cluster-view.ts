import { type NodeView, viewOfNode } from '../../src/kubernetes/scheduling/node-view.ts';
import { type ClusterEvent, type ClusterNode, findCondition, type Job, type Pod } from '../../src/kubernetes/types.ts';
import { SETTINGS, TRANSFER } from './job.ts';
import { CONTAINER } from './template.ts';

/** What is kept of a Job. */
export interface JobView {
  uid: string;
  name: string;
  transferId: string;
  /** The Job has ended, whatever its pod did. */
  ended: boolean;
  /** Message of a failed Job. */
  failure: string | undefined;
  suspended: boolean;
  /** Hash of the settings that it was made with. */
  settings: string | undefined;
  deleting: boolean;
}

/** What is kept of a pod of a Job. */
export interface PodView {
  name: string;
  /** Name of its Job. */
  job: string;
  node: string | undefined;
  deleting: boolean;
  /** Why Kubernetes ends it: its node is drained, lost or short of something, or a more urgent pod needs the place. */
  disrupted: string | undefined;
  /** Of a pod that has ended. */
  exit: { code: number | undefined; reason: string; message: string } | undefined;
  /** Of a pod that does not run yet: in the words of the scheduler or of the kubelet. */
  waiting: { reason: string; message: string } | undefined;
}

export interface NodeState extends NodeView {
  /** The kubelet answers. */
  ready: boolean;
}

/** What a controller or kubelet tells of a Job, a pod or a claim. */
export interface EventView {
  /** `Job/…`, `Pod/…` or `PersistentVolumeClaim/…`. */
  object: string;
  reason: string;
  message: string;
  /** RFC 3339. */
  at: string;
}

export function viewOfJob(job: Job): JobView {
  const { metadata, spec } = job;
  const failed = findCondition(job, 'Failed');
  return {
    uid: metadata.uid,
    name: metadata.name,
    transferId: metadata.labels?.[TRANSFER] ?? '',
    ended: findCondition(job, 'Complete')?.status === 'True' || failed?.status === 'True',
    failure: failed?.status === 'True' ? failed.message : undefined,
    settings: metadata.annotations?.[SETTINGS],
    suspended: spec.suspend === true,
    deleting: metadata.deletionTimestamp !== undefined,
  };
}

export function viewOfPod(pod: Pod): PodView {
  const { metadata, spec, status } = pod;
  const disruption = findCondition(pod, 'DisruptionTarget');
  return {
    name: metadata.name,
    job: metadata.labels?.['batch.kubernetes.io/job-name'] ?? '',
    node: spec.nodeName,
    deleting: metadata.deletionTimestamp !== undefined,
    disrupted: disruption?.status === 'True' ? (disruption.message ?? disruption.reason ?? '') : undefined,
    exit: exitOf(status),
    waiting: status?.phase === 'Pending' || status?.phase === undefined ? waitingOf(pod) : undefined,
  };
}

function exitOf(status: Pod['status']): PodView['exit'] {
  const terminated = status?.containerStatuses?.find(({ name }) => name === CONTAINER)?.state?.terminated;
  if (terminated === undefined && status?.phase !== 'Failed' && status?.phase !== 'Succeeded') return undefined;
  return {
    code: terminated?.exitCode,
    // Evicted, NodeRestart and others stand at the pod
    reason: status?.reason ?? terminated?.reason ?? '',
    message: status?.message ?? terminated?.message ?? '',
  };
}

function waitingOf(pod: Pod): PodView['waiting'] {
  const scheduled = findCondition(pod, 'PodScheduled');
  if (scheduled?.status === 'False') return { reason: scheduled.reason ?? '', message: scheduled.message ?? '' };
  const waiting = pod.status?.containerStatuses?.find(({ state }) => state?.waiting !== undefined)?.state?.waiting;
  return waiting && { reason: waiting.reason ?? '', message: waiting.message ?? '' };
}

export const stateOfNode = (node: ClusterNode): NodeState => ({
  ...viewOfNode(node),
  ready: findCondition(node, 'Ready')?.status === 'True',
});

/** What the pod itself does not tell. */
const TOLD_BY_EVENTS =
  /^(FailedCreate|FailedMount|FailedAttachVolume|ProvisioningFailed|FailedBinding|FailedCreatePodSandBox)$/;

/** Undefined: an event that tells nothing about the start of a transfer. */
export function viewOfEvent(event: ClusterEvent): EventView | undefined {
  const { involvedObject, reason = '', message = '', lastTimestamp, eventTime, metadata } = event;
  if (!TOLD_BY_EVENTS.test(reason) || !involvedObject.name?.startsWith('transfer-')) return undefined;
  const at = lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return { object: `${involvedObject.kind}/${involvedObject.name}`, reason, message, at };
}
