import { statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import type { Config } from '../src/config.ts';
import { MIN_MEMORY_MB, type WorkerCapacity } from '../src/transfers/queue/requirements.ts';
import type { HostClaims } from './liveness.ts';

type Settings = Pick<
  Config,
  'data' | 'worker.concurrency' | 'worker.memory' | 'worker.cores' | 'worker.scratch' | 'worker.labels'
>;

/** Slots above the number of cores, for conversions that wait for the disk, the blob store, or a commit. */
const EXTRA_SLOTS = 2;
/** Memory for the worker process and the operating system. */
const RESERVED_MEMORY_MB = 512;
const MB = 2 ** 20;
const GB = 2 ** 30;

/**
 * Resources that this worker has for transfers: from the settings, else from the machine or container.
 * `unmetRequirements` of `src/transfers/queue/requirements.ts` compares them with a transfer.
 */
export async function workerCapacity(config: Settings): Promise<WorkerCapacity> {
  const memoryMb =
    config['worker.memory'] ?? Math.max(MIN_MEMORY_MB, Math.floor(availableMemory() / MB) - RESERVED_MEMORY_MB);
  const cores = config['worker.cores'] ?? availableParallelism();
  return {
    labels: config['worker.labels'],
    memoryMb,
    cores,
    scratchGb: config['worker.scratch'] ?? Math.floor((await freeSpace(config.data)) / GB),
    concurrency: config['worker.concurrency'] ?? defaultConcurrency(Math.ceil(cores), memoryMb),
  };
}

/** A sentence if the workers of this host claim more than it has, so that conversions may run out of memory. */
export function overcommitment({ workers, memoryMb, cores }: HostClaims): string | undefined {
  const has = { memory: Math.floor(availableMemory() / MB), cores: availableParallelism() };
  if (workers < 2 || (memoryMb <= has.memory && cores <= has.cores)) return undefined;
  return `The ${workers} workers of this host claim ${Math.round(memoryMb)} MB of memory and ${cores} cores together; it has ${has.memory} MB and ${has.cores}. Give each its part: --memory and --cores, or PLATFORM_WORKER_MEMORY and PLATFORM_WORKER_CORES`;
}

/** Enough slots to keep the cores busy, but not more than the memory allows. */
const defaultConcurrency = (cores: number, memoryMb: number) =>
  Math.max(2, Math.min(cores + EXTRA_SLOTS, Math.floor(memoryMb / MIN_MEMORY_MB)));

/** In bytes. `constrainedMemory` is 0, or more than the machine has, when there is no limit. */
const availableMemory = () => Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
