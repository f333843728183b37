/** Resources that a transfer requires of its worker while it runs, as its queue flags encode them. */
export interface Requirements {
  /** `key=value`, or a bare key, which matches any value. */
  labels: readonly string[];
  memoryMb: Amount;
  /** Absent: the worker's cores divided by its slots. */
  cores?: number;
  scratchGb: Amount;
}

/** An estimate never excludes a smaller worker: there, the transfer takes the whole worker. */
export interface Amount {
  amount: number;
  estimated: boolean;
}

/** Total resources of a worker. */
export interface WorkerCapacity {
  labels: readonly string[];
  memoryMb: number;
  cores: number;
  scratchGb: number;
  /** Maximum number of transfers at a time. */
  concurrency: number;
}

/** Resources that a running transfer takes, or that a worker has free. */
export interface Resources {
  memoryMb: number;
  cores: number;
  scratchGb: number;
}

/** Every transfer takes at least this much memory, so no flag encodes it. */
export const MIN_MEMORY_MB = 256;
/** Flag of every transfer's queue row. */
export const TRANSFER = 'transfer';
/** Priority of a transfer's queue row: after all short jobs. */
export const DEFAULT_PRIORITY = 10;
/** Sums of shares such as 2/3 of a core are not exact. */
const TOLERANCE = 1e-6;

/** Encodes requirements above the minimum as flags. Sorted, so that equal requirements have equal flags. */
export function encodeRequirements({ labels, memoryMb, cores, scratchGb }: Requirements): string[] {
  const flags = labels.map((label) => `label:${label}`);
  if (memoryMb.amount > MIN_MEMORY_MB) flags.push(`memory${sign(memoryMb)}${memoryMb.amount}`);
  if (cores !== undefined) flags.push(`cores:${cores}`);
  if (scratchGb.amount > 0) flags.push(`scratch${sign(scratchGb)}${scratchGb.amount}`);
  return [...new Set(flags)].sort();
}

const sign = ({ estimated }: Amount) => (estimated ? '~' : ':');

/** The flags that come from the request, without those of estimates. */
export const requestedFlags = (flags: readonly string[]): string[] => flags.filter((flag) => !flag.includes('~'));

/** Decodes flags. Ignores flags that encode no requirement. */
export function decodeRequirements(flags: readonly string[]): Requirements {
  const labels: string[] = [];
  const required: Omit<Requirements, 'labels'> = {
    memoryMb: { amount: MIN_MEMORY_MB, estimated: false },
    scratchGb: { amount: 0, estimated: false },
  };
  for (const flag of flags) {
    const [, name, separator, value = ''] = /^(label|memory|cores|scratch)([:~])(.+)$/s.exec(flag) ?? [];
    const amount = { amount: Number(value), estimated: separator === '~' };
    if (name === 'label') labels.push(value);
    else if (name === 'memory') required.memoryMb = amount;
    else if (name === 'cores') required.cores = amount.amount;
    else if (name === 'scratch') required.scratchGb = amount;
  }
  return { labels, ...required };
}

/** The resources that a transfer with these requirements takes on this worker. */
export function allocationOn(worker: WorkerCapacity, { memoryMb, cores, scratchGb }: Requirements): Resources {
  const allocated = ({ amount, estimated }: Amount, max: number) => (estimated ? Math.min(amount, max) : amount);
  return {
    memoryMb: allocated(memoryMb, worker.memoryMb),
    cores: cores ?? worker.cores / worker.concurrency,
    scratchGb: allocated(scratchGb, worker.scratchGb),
  };
}

export const hasLabel = ({ labels }: Pick<WorkerCapacity, 'labels'>, required: string): boolean =>
  labels.some((label) => label === required || (!required.includes('=') && label.startsWith(`${required}=`)));

/** The flags of a transfer that this worker cannot meet with these free resources. Empty: it can start the transfer. */
export function unmetRequirements(worker: WorkerCapacity, free: Resources, flags: readonly string[]): string[] {
  const required = decodeRequirements(flags);
  const allocation = allocationOn(worker, required);
  const unmet = required.labels.filter((label) => !hasLabel(worker, label)).map((label) => `label:${label}`);
  for (const [dimension, name] of DIMENSIONS) {
    if (allocation[dimension] <= free[dimension] + TOLERANCE) continue;
    // without a flag, the minimum that every transfer takes is not free
    unmet.push(flags.find((flag) => flag.startsWith(name)) ?? TRANSFER);
  }
  return unmet;
}

const DIMENSIONS = [
  ['memoryMb', 'memory'],
  ['cores', 'cores'],
  ['scratchGb', 'scratch'],
] as const;
