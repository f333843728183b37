import type { Command } from 'commander';
import { repeated } from './options.ts';

/** What a worker has for transfers, as the command line says it; each stands for the setting of its name. */
export interface WorkerOptions {
  label?: string[];
  memory?: string;
  cores?: string;
  scratch?: string;
  concurrency?: string;
}

type Environment = Record<string, string | undefined>;

/** Of the commands that run a worker. */
export const workerOptions = (command: Command): Command =>
  command
    .option('--label <key=value>', 'what transfers may ask its worker for, such as gpu=a100; may be repeated', repeated)
    .option('--memory <MB>', 'memory that transfers may take together')
    .option('--cores <count>', 'cores that they may take together')
    .option('--scratch <GB>', 'disk space that they may take together')
    .option('--concurrency <count>', 'transfers at a time');

/** The command line wins. A wrong value is refused as the setting's. */
export const withWorkerOptions = (
  env: Environment,
  { label, memory, cores, scratch, concurrency }: WorkerOptions,
): Environment => ({
  ...env,
  ...(label === undefined ? {} : { PLATFORM_WORKER_LABELS: label.join(',') }),
  ...(memory === undefined ? {} : { PLATFORM_WORKER_MEMORY: memory }),
  ...(cores === undefined ? {} : { PLATFORM_WORKER_CORES: cores }),
  ...(scratch === undefined ? {} : { PLATFORM_WORKER_SCRATCH: scratch }),
  ...(concurrency === undefined ? {} : { PLATFORM_WORKER_CONCURRENCY: concurrency }),
});
