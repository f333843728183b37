import { statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import type { Config } from '../src/config.ts';
import type { Equipment } from '../src/transfers/queue/requirements.ts';
import { LEAST_MEMORY_MB } from '../src/transfers/queue/requirements.ts';

type Settings = Pick<
  Config,
  'data' | 'worker.concurrency' | 'worker.memory' | 'worker.cores' | 'worker.scratch' | 'worker.labels'
>;

/** Conversions besides those that keep the cores busy: these wait for the disk, the blob store, or their commit. */
const WAITING = 2;
/** For the worker itself and for the system. */
const OWN_MEMORY_MB = 512;
const MB = 2 ** 20;
const GB = 2 ** 30;

/** What a worker has for transfers: as the settings say, else what the machine or the container has. */
export async function equipmentOf(config: Settings): Promise<Equipment> {
  const memoryMb =
    config['worker.memory'] ?? Math.max(LEAST_MEMORY_MB, Math.floor(memoryOfMachine() / MB) - OWN_MEMORY_MB);
  const cores = config['worker.cores'] ?? availableParallelism();
  return {
    labels: config['worker.labels'],
    memoryMb,
    cores,
    scratchGb: config['worker.scratch'] ?? Math.floor((await freeSpace(config.data)) / GB),
    concurrency: config['worker.concurrency'] ?? usualConcurrency(Math.ceil(cores), memoryMb),
  };
}

/** So many that the cores are never idle and the memory is enough for each. */
const usualConcurrency = (cores: number, memoryMb: number) =>
  Math.max(2, Math.min(cores + WAITING, Math.floor(memoryMb / LEAST_MEMORY_MB)));

/** Zero, or more than there is, stands for no limit. */
const memoryOfMachine = () => Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
