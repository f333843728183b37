import { judge, type Verdict } from '../../kubernetes/scheduling/verdict.ts';
import { amountText } from '../../kubernetes/scheduling/verdict-sentences.ts';
import { couldRun, type LiveWorker, pausedSentence, waitingReason } from '../queue/queue-status.ts';
import type { ClusterView } from './cluster-view.ts';
import { podRequest } from './pod-request.ts';

/** Whether workers and clusters could take a waiting transfer. */
export interface Placement {
  /** Why none can take it now. Undefined: one can, once the transfer is next in the queue, or that is not known. */
  reason?: string | undefined;
  /** `never`: none could, whatever ended. Undefined: there is room, or no cluster is known. */
  verdict?: Verdict['verdict'] | undefined;
  /** Of a cluster: the node or class that is nearest to having room. */
  node?: string | undefined;
  /** What that node lacks, such as `4608 MB of memory`. */
  lacks?: readonly string[];
}

/** Where a transfer with these flags could run: on live workers, and on the clusters of dispatchers. */
export function findPlacement(
  workers: readonly LiveWorker[],
  views: readonly ClusterView[],
  flags: readonly string[],
  pause?: { reason: string } | null,
): Placement {
  if (views.length === 0) return { reason: waitingReason(workers, flags, pause) };
  const takers = workers.filter(({ draining }) => !draining);
  const hasAble = takers.some((worker) => couldRun(worker, flags));
  const local = takers.length === 0 ? undefined : waitingReason(takers, flags);
  if (hasAble && local === undefined) return {};

  const taking = views.filter(({ settings: { takes } }) => takes === 'all' || !hasAble);
  const asked = taking.filter(({ trouble }) => trouble === undefined);
  const isPaused = pause && takers.length === 0;
  const paused = isPaused ? { reason: pausedSentence(pause) } : {};
  if (asked.length === 0 && taking.length > 0) {
    const sentences = [hasAble ? local : undefined, ...new Set(taking.map(({ trouble }) => trouble))];
    return { reason: sentences.filter((one) => one !== undefined).join(' '), ...paused };
  }
  const isKnown = asked.every(({ nodes }) => nodes !== undefined);
  const verdicts = asked.map((view) => judgeOnce(view, flags));
  if (!isKnown || verdicts.includes(undefined)) return paused;
  const found = verdicts.filter((one) => one !== undefined);
  const possible = found.find(({ verdict }) => verdict === 'notNow');
  const chosen = possible ?? found[0];
  const isPossible = hasAble || possible !== undefined;
  const sentences = isPossible ? [hasAble ? local : undefined, possible?.sentence] : [chosen?.sentence, local];
  return {
    reason: sentences.filter((one) => one !== undefined).join(' '),
    verdict: isPossible ? 'notNow' : 'never',
    ...(hasAble && possible === undefined ? {} : describe(chosen)),
    ...paused,
  };
}

/** Verdicts by the flags of transfers, as long as somebody holds the view: the sweep asks for them every second. */
const judged = new WeakMap<ClusterView, Map<string, Verdict | undefined>>();

/** More are those of dry runs. */
const MAX_VERDICTS = 1000;

function judgeOnce(view: ClusterView, flags: readonly string[]): Verdict | undefined {
  const verdicts = judged.get(view) ?? new Map<string, Verdict | undefined>();
  judged.set(view, verdicts);
  if (verdicts.size > MAX_VERDICTS) verdicts.clear();
  const key = flags.join(' ');
  const { settings, nodes = [] } = view;
  if (!verdicts.has(key)) verdicts.set(key, judge(podRequest(flags, settings), nodes, settings.classes));
  return verdicts.get(key);
}

const describe = (verdict: Verdict | undefined): Pick<Placement, 'node' | 'lacks'> => ({
  node: verdict?.node,
  lacks: verdict?.lacks.map(({ resource, needs }) => amountText(resource, needs)) ?? [],
});
