/** What a transfer takes of a worker while it runs, as its flags say it. */
export interface Needs {
  /** `key=value`, or a bare key: any value will do. */
  labels: readonly string[];
  memoryMb: Amount;
  /** Absent: the usual share, so that as many run as the worker has slots for. */
  cores?: number;
  scratchGb: Amount;
}

/** An estimate never keeps a transfer from a worker that is smaller: there it takes all there is. */
export interface Amount {
  least: number;
  estimated: boolean;
}

/** What a worker has for transfers. */
export interface Equipment {
  labels: readonly string[];
  memoryMb: number;
  cores: number;
  scratchGb: number;
  /** Transfers at a time. */
  concurrency: number;
}

/** What is taken while a transfer runs, or free at a moment. */
export interface Room {
  memoryMb: number;
  cores: number;
  scratchGb: number;
}

/** Every transfer takes this much memory, so no flag says it. */
export const LEAST_MEMORY_MB = 256;
/** The flag of every transfer's row in the queue. */
export const TRANSFER = 'transfer';
/** Priority of its row: after all chores, which take moments. */
export const USUAL = 10;
/** Sums of shares such as 2/3 of a core are not exact. */
const TOLERANCE = 1e-6;

/** What a transfer needs besides the least, sorted: equal needs have equal flags. */
export function flagsOf({ labels, memoryMb, cores, scratchGb }: Needs): string[] {
  const flags = labels.map((label) => `label:${label}`);
  if (memoryMb.least > LEAST_MEMORY_MB) flags.push(`memory${sign(memoryMb)}${memoryMb.least}`);
  if (cores !== undefined) flags.push(`cores:${cores}`);
  if (scratchGb.least > 0) flags.push(`scratch${sign(scratchGb)}${scratchGb.least}`);
  return [...new Set(flags)].sort();
}

const sign = ({ estimated }: Amount) => (estimated ? '~' : ':');

/** Those of what a request asks for, without those of estimates. */
export const askedOf = (flags: readonly string[]): string[] => flags.filter((flag) => !flag.includes('~'));

/** What flags say; flags of others are left aside. */
export function needsOf(flags: readonly string[]): Needs {
  const labels: string[] = [];
  const needs: Omit<Needs, 'labels'> = {
    memoryMb: { least: LEAST_MEMORY_MB, estimated: false },
    scratchGb: { least: 0, estimated: false },
  };
  for (const flag of flags) {
    const [, name, how, value = ''] = /^(label|memory|cores|scratch)([:~])(.+)$/s.exec(flag) ?? [];
    const amount = { least: Number(value), estimated: how === '~' };
    if (name === 'label') labels.push(value);
    else if (name === 'memory') needs.memoryMb = amount;
    else if (name === 'cores') needs.cores = amount.least;
    else if (name === 'scratch') needs.scratchGb = amount;
  }
  return { labels, ...needs };
}

/** What it takes of this worker. */
export function roomOn(worker: Equipment, { memoryMb, cores, scratchGb }: Needs): Room {
  const of = ({ least, estimated }: Amount, most: number) => (estimated ? Math.min(least, most) : least);
  return {
    memoryMb: of(memoryMb, worker.memoryMb),
    cores: cores ?? worker.cores / worker.concurrency,
    scratchGb: of(scratchGb, worker.scratchGb),
  };
}

export const hasLabel = ({ labels }: Pick<Equipment, 'labels'>, wanted: string): boolean =>
  labels.some((label) => label === wanted || (!wanted.includes('=') && label.startsWith(`${wanted}=`)));

/** What of the flags of a transfer keeps this worker from starting it with so much free; none: it can. */
export function obstacles(worker: Equipment, free: Room, flags: readonly string[]): string[] {
  const needs = needsOf(flags);
  const room = roomOn(worker, needs);
  const found = needs.labels.filter((label) => !hasLabel(worker, label)).map((label) => `label:${label}`);
  for (const [dimension, name] of DIMENSIONS) {
    if (room[dimension] <= free[dimension] + TOLERANCE) continue;
    // what every transfer needs is not there
    found.push(flags.find((flag) => flag.startsWith(name)) ?? TRANSFER);
  }
  return found;
}

const DIMENSIONS = [
  ['memoryMb', 'memory'],
  ['cores', 'cores'],
  ['scratchGb', 'scratch'],
] as const;
