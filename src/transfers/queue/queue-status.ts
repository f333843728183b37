import {
  type Amount,
  allocationOn,
  decodeRequirements,
  hasLabel,
  MIN_MEMORY_MB,
  type Requirements,
  type Resources,
  TRANSFER,
  unmetRequirements,
  type WorkerCapacity,
} from './requirements.ts';

/** A live worker with the transfers that it runs, and the transfer that it is reserved for. */
export interface LiveWorker extends WorkerCapacity {
  pool: string;
  running: readonly { id: string; flags: readonly string[] }[];
  /** Id of the transfer that it keeps resources free for. */
  reservedFor?: string | undefined;
  /** The worker accepts no more transfers. */
  draining: boolean;
}

export const hasNoSlot = ({ running, concurrency }: LiveWorker) => running.length >= concurrency;

export function freeResources(worker: LiveWorker): Resources {
  const free = { memoryMb: worker.memoryMb, cores: worker.cores, scratchGb: worker.scratchGb };
  for (const { flags } of worker.running) {
    const allocation = allocationOn(worker, decodeRequirements(flags));
    free.memoryMb -= allocation.memoryMb;
    free.cores -= allocation.cores;
    free.scratchGb -= allocation.scratchGb;
  }
  return free;
}

/** Whether the worker could run a transfer with these flags if nothing else ran there. */
export const couldRun = (worker: LiveWorker, flags: readonly string[]) =>
  !worker.draining && unmetRequirements(worker, worker, flags).length === 0;

/** The flags that this worker cannot meet at this moment. Empty: the transfer waits only for a slot. */
const unmetNow = (worker: LiveWorker, flags: readonly string[]) =>
  unmetRequirements(worker, freeResources(worker), flags).filter((flag) => flag !== TRANSFER);

export const NO_WORKER = 'No worker is running.';

/** What waiting transfers say while new work is paused. */
export const pausedSentence = ({ reason }: { reason: string }) =>
  reason === '' ? 'New work is paused by an administrator.' : `New work is paused: ${reason}`;

/**
 * Why no worker can start a transfer with these flags now. Undefined: one can, once the transfer is next in the queue.
 */
export function waitingReason(
  all: readonly LiveWorker[],
  flags: readonly string[],
  pause?: { reason: string } | null,
): string | undefined {
  const workers = all.filter(({ draining }) => !draining);
  if (pause && workers.length === 0) return pausedSentence(pause);
  if (workers.length === 0) return all.length === 0 ? NO_WORKER : 'All workers are draining and take no transfers.';
  const able = workers.filter((worker) => couldRun(worker, flags));
  if (able.length === 0) return unsatisfiableReason(workers, decodeRequirements(flags));
  const unmet = able.map((worker) => unmetNow(worker, flags));
  if (unmet.some((each) => each.length === 0)) return undefined;
  return `It waits until a worker has ${inWords(decodeRequirements([...new Set(unmet.flat())]))} free.`;
}

/** Why this worker can never run a transfer with these flags. Undefined: it could. */
export function permanentReason(worker: LiveWorker, flags: readonly string[]): string | undefined {
  if (couldRun(worker, flags)) return undefined;
  if (worker.draining) return 'It is draining and takes no more transfers.';
  const required = decodeRequirements(flags);
  const label = required.labels.find((each) => !hasLabel(worker, each));
  if (label !== undefined) return `It has no label '${label}'.`;
  const short = QUANTITIES.find(({ required: amount, dimension }) => amount(required) > worker[dimension]);
  return short && shortage(short.noun, short.required(required), worker[short.dimension], short.unit);
}

/** Why this worker, which could run a transfer with these flags, cannot start it now. Undefined: it can. */
export function temporaryReason(worker: LiveWorker, flags: readonly string[]): string | undefined {
  if (hasNoSlot(worker)) return `It runs ${worker.running.length} transfers, which is its maximum.`;
  const free = freeResources(worker);
  const needed = allocationOn(worker, decodeRequirements(flags));
  const unmet = unmetNow(worker, flags);
  const short = QUANTITIES.filter(({ flag }) => unmet.some((each) => each.startsWith(flag)));
  if (short.length > 0)
    return short
      .map(({ noun, dimension, unit }) => shortage(`free ${noun}`, needed[dimension], free[dimension], unit))
      .join(' ');
  if (unmetRequirements(worker, free, flags).length > 0) return 'All of its memory or cores are in use.';
  return worker.reservedFor === undefined ? undefined : 'It keeps its resources free for another transfer.';
}

/** Why no combination of labels and amounts of these workers meets the requirements. */
function unsatisfiableReason(workers: readonly WorkerCapacity[], required: Requirements): string {
  const unknown = required.labels.find((label) => !workers.some((worker) => hasLabel(worker, label)));
  if (unknown !== undefined) return `No worker has the label '${unknown}'.`;
  const labelled = workers.filter((worker) => required.labels.every((label) => hasLabel(worker, label)));
  const labels = required.labels.map((label) => `'${label}'`).join(', ');
  if (labelled.length === 0) return `No worker has all of the labels ${labels}.`;
  for (const { required: amount, dimension, name } of QUANTITIES) {
    const largest = Math.max(...labelled.map((worker) => worker[dimension]));
    if (amount(required) <= largest) continue;
    const which = labels === '' ? 'the largest worker' : `the largest worker with ${labels}`;
    return `It needs ${amount(required)} ${name}; ${which} has ${largest}.`;
  }
  return `No worker has ${inWords(required)} at once.`;
}

interface Quantity {
  dimension: keyof Resources;
  /** Prefix of its flags. */
  flag: string;
  noun: string;
  unit: string;
  /** Unit and noun, as in a list of requirements. */
  name: string;
  /** The amount that the request asks for; estimates exclude no worker. */
  required(requirements: Requirements): number;
}

const requested = ({ amount, estimated }: Amount) => (estimated ? 0 : amount);
const QUANTITIES: readonly Quantity[] = [
  {
    dimension: 'memoryMb',
    flag: 'memory',
    noun: 'memory',
    unit: ' MB',
    name: 'MB of memory',
    required: ({ memoryMb }) => requested(memoryMb),
  },
  {
    dimension: 'cores',
    flag: 'cores',
    noun: 'cores',
    unit: '',
    name: 'cores',
    required: ({ cores = 0 }) => cores,
  },
  {
    dimension: 'scratchGb',
    flag: 'scratch',
    noun: 'scratch space',
    unit: ' GB',
    name: 'GB of scratch space',
    required: ({ scratchGb }) => requested(scratchGb),
  },
];

function shortage(noun: string, needed: number, available: number, unit: string): string {
  const rounded = (value: number) => Number(Math.max(0, value).toFixed(2));
  return `Not enough ${noun}: needs ${rounded(needed)}${unit}, has ${rounded(available)}${unit}.`;
}

/** Lists the requirements above the minimum, such as `4096 MB of memory and 2 cores`. */
export function inWords({ labels, memoryMb, cores, scratchGb }: Requirements): string {
  const parts = labels.map((label) => `the label '${label}'`);
  if (memoryMb.amount > MIN_MEMORY_MB) parts.push(`${memoryMb.amount} MB of memory`);
  if (cores !== undefined) parts.push(`${cores} cores`);
  if (scratchGb.amount > 0) parts.push(`${scratchGb.amount} GB of scratch space`);
  const last = parts.pop();
  return parts.length === 0 ? (last ?? '') : `${parts.join(', ')} and ${last}`;
}
