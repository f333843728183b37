import type { EventView, JobView, PodView } from './cluster-view.ts';

/** Why a pod waits. */
export interface WaitingWords {
  /** A sentence for the owner of the transfer. */
  readonly text: string;
  /** No node has room for it: a verdict may say more. */
  readonly isRoom?: true;
}

/**
 * Why a Job's pod does not run yet. Undefined: it is just starting.
 * @param events the newest about the Job, its pod and its claim, of which each replaces an older one
 */
export function waitingWords(
  job: JobView,
  pod: PodView | undefined,
  events: { job?: EventView | undefined; pod?: EventView | undefined; claim?: EventView | undefined },
): WaitingWords | undefined {
  const because = (text: string) => ({ text });
  if (job.suspended)
    return because('Its Job in Kubernetes is suspended: the queue of the cluster has not admitted it yet.');
  if (pod === undefined)
    return events.job && because(`Kubernetes creates no pod for it: ${cleaned(events.job.message)}.`);
  if (pod.waiting === undefined) return undefined;
  const { reason, message } = pod.waiting;
  const said = cleaned(message);
  if (pod.node === undefined) {
    if (/PersistentVolumeClaim|unbound/i.test(message))
      return because(`Its volume is not there yet: ${cleaned(events.claim?.message ?? message)}.`);
    if (said === '') return undefined;
    return { text: `No node of the cluster can take it now: ${said}.`, isRoom: true };
  }
  if (/^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|ImageInspectError)$/.test(reason))
    return because(`The image cannot be pulled on node ${pod.node}: ${said || reason}.`);
  if (events.pod !== undefined && events.pod.reason !== 'FailedCreatePodSandBox')
    return because(`Its volume cannot be mounted on node ${pod.node}: ${cleaned(events.pod.message)}.`);
  if (reason === '' || reason === 'ContainerCreating' || reason === 'PodInitializing')
    return events.pod && because(`Its pod does not start on node ${pod.node}: ${cleaned(events.pod.message)}.`);
  return because(`Its pod does not start on node ${pod.node} (${reason}): ${said || 'no message'}.`);
}

/** Without the name of the pod or Job, which says nothing to its reader, and without the full stop. */
const cleaned = (message: string): string =>
  message
    .replace(/^Error creating: /, '')
    .replace(/^pods? "?[\w.-]+"? (is forbidden|was refused): ?/, '')
    // how other pods could make room
    .replace(/ preemption: .*$/s, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\.$/, '');

/** What a worker's exit code says when its transfer still waits: see `TRANSFER_EXIT` of the command line. */
const LASTING: Readonly<Record<number, string>> = {
  2: 'it was called wrongly',
  3: 'it is not logged in',
  4: 'the transfer ended in an error',
  5: 'the transfer was cancelled',
  8: 'the worker in it does not meet the requirements',
  9: 'the worker in it knows no such transfer: it uses another database',
};

/** Why a further pod would end as this one did. Undefined: it may run. */
export function lastingFailure(exit: NonNullable<PodView['exit']>): string | undefined {
  const meaning = exit.code === undefined ? undefined : LASTING[exit.code];
  return (
    meaning &&
    `Its pod ended with exit code ${exit.code}: ${meaning}. No other pod follows until the dispatcher gets other settings or starts again.`
  );
}

/** How a pod ended that did not run its transfer to an end, for the log of the transfer. */
export function exitWords({ code, reason, message }: NonNullable<PodView['exit']>): string {
  const detail = cleaned(message);
  const how = reason === '' || reason === 'Error' ? `with exit code ${code ?? 'unknown'}` : `(${reason})`;
  return `Its pod in Kubernetes ended ${how}${detail === '' ? '' : `: ${detail}`}.`;
}
