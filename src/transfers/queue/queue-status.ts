import type { Amount, Equipment, Needs, Room } from './requirements.ts';
import { hasLabel, LEAST_MEMORY_MB, needsOf, obstacles, roomOn, TRANSFER } from './requirements.ts';

/** A live worker, what it runs, and the transfer that it keeps room free for. */
export interface LiveWorker extends Equipment {
  pool: string;
  running: readonly { id: string; flags: readonly string[] }[];
  holdsFor?: string | undefined;
  /** It takes no more transfers. */
  draining: boolean;
}

export const isFull = ({ running, concurrency }: LiveWorker) => running.length >= concurrency;

export function freeOf(worker: LiveWorker): Room {
  const free = { memoryMb: worker.memoryMb, cores: worker.cores, scratchGb: worker.scratchGb };
  for (const { flags } of worker.running) {
    const room = roomOn(worker, needsOf(flags));
    free.memoryMb -= room.memoryMb;
    free.cores -= room.cores;
    free.scratchGb -= room.scratchGb;
  }
  return free;
}

/** It could if nothing else ran there. */
export const couldRun = (worker: LiveWorker, flags: readonly string[]) =>
  !worker.draining && obstacles(worker, worker, flags).length === 0;

/** What of these needs is not free there; none when it waits for no more than its turn. */
export const missing = (worker: LiveWorker, flags: readonly string[]) =>
  obstacles(worker, freeOf(worker), flags).filter((flag) => flag !== TRANSFER);

export const NO_WORKER = 'No worker is running.';

/** Why nobody starts a transfer with these needs now. Undefined: somebody can, in its turn. */
export function reasonOf(all: readonly LiveWorker[], flags: readonly string[]): string | undefined {
  const workers = all.filter(({ draining }) => !draining);
  if (workers.length === 0) return all.length === 0 ? NO_WORKER : 'No worker takes transfers now.';
  const able = workers.filter((worker) => couldRun(worker, flags));
  if (able.length === 0) return neverBy(workers, needsOf(flags));
  const missed = able.map((worker) => missing(worker, flags));
  if (missed.some((each) => each.length === 0)) return undefined;
  return `It waits until a worker has ${inWords(needsOf([...new Set(missed.flat())]))} free.`;
}

/** Why this worker will never run it. Undefined: it could. */
export function neverOn(worker: LiveWorker, flags: readonly string[]): string | undefined {
  if (couldRun(worker, flags)) return undefined;
  if (worker.draining) return 'It takes no more transfers.';
  const needs = needsOf(flags);
  const label = needs.labels.find((wanted) => !hasLabel(worker, wanted));
  if (label !== undefined) return `It has no label '${label}'.`;
  const short = AMOUNTS.find(({ needed, had }) => needed(needs) > had(worker));
  return short && `It has ${short.had(worker)} ${short.unit}; ${short.needed(needs)} are needed.`;
}

/** Why this worker, which could run it, does not start it now. Undefined: it can. */
export function notNowOn(worker: LiveWorker, flags: readonly string[]): string | undefined {
  if (isFull(worker)) return `It runs ${worker.running.length} transfers, as many as it may.`;
  const missed = missing(worker, flags);
  if (missed.length > 0) return `It has not ${inWords(needsOf(missed))} free.`;
  if (obstacles(worker, freeOf(worker), flags).length > 0) return 'It has no room free.';
  return worker.holdsFor === undefined ? undefined : 'It keeps room free for another transfer.';
}

function neverBy(workers: readonly Equipment[], needs: Needs): string {
  const nobodys = needs.labels.find((label) => !workers.some((worker) => hasLabel(worker, label)));
  if (nobodys !== undefined) return `No worker has the label '${nobodys}'.`;
  const labelled = workers.filter((worker) => needs.labels.every((label) => hasLabel(worker, label)));
  const labels = needs.labels.map((label) => `'${label}'`).join(', ');
  if (labelled.length === 0) return `No worker has all of the labels ${labels}.`;
  for (const { needed, had, unit } of AMOUNTS) {
    const most = Math.max(...labelled.map(had));
    if (needed(needs) <= most) continue;
    const which = labels === '' ? 'the largest worker' : `the largest worker with ${labels}`;
    return `It needs ${needed(needs)} ${unit}; ${which} has ${most}.`;
  }
  return `No worker has ${inWords(needs)} at once.`;
}

const asked = ({ least, estimated }: Amount) => (estimated ? 0 : least);
const AMOUNTS: { unit: string; needed(needs: Needs): number; had(worker: Equipment): number }[] = [
  { unit: 'MB of memory', needed: ({ memoryMb }) => asked(memoryMb), had: ({ memoryMb }) => memoryMb },
  { unit: 'cores', needed: ({ cores = 0 }) => cores, had: ({ cores }) => cores },
  { unit: 'GB of scratch space', needed: ({ scratchGb }) => asked(scratchGb), had: ({ scratchGb }) => scratchGb },
];

/** What goes beyond the least. */
export function inWords({ labels, memoryMb, cores, scratchGb }: Needs): string {
  const parts = labels.map((label) => `the label '${label}'`);
  if (memoryMb.least > LEAST_MEMORY_MB) parts.push(`${memoryMb.least} MB of memory`);
  if (cores !== undefined) parts.push(`${cores} cores`);
  if (scratchGb.least > 0) parts.push(`${scratchGb.least} GB of scratch space`);
  const last = parts.pop();
  return parts.length === 0 ? (last ?? '') : `${parts.join(', ')} and ${last}`;
}
