import type { Command } from 'commander';
import { UsageError } from './errors.ts';
import { amount, label, whole } from './options.ts';

/** What a worker has for transfers, as the command line says it; each stands for the setting of its name. */
export interface WorkerOptions {
  label?: string[];
  memory?: number;
  cores?: number;
  scratch?: number;
  concurrency?: number;
}

type Environment = Record<string, string | undefined>;

/** Of the commands that run a worker. */
export const workerOptions = (command: Command): Command =>
  command
    .option('--label <key=value>', 'what transfers may ask its worker for, such as gpu=a100; may be repeated', label)
    .option('--memory <MB>', 'memory that transfers may take together, at least 256', whole(256))
    .option('--cores <count>', 'cores that they may take together', amount(10_000))
    .option('--scratch <GB>', 'disk space that they may take together', whole(0, 1_000_000))
    .option('--concurrency <count>', 'transfers at a time, from 1 to 1000', whole(1, 1000));

const VARIABLES = {
  label: 'PLATFORM_WORKER_LABELS',
  memory: 'PLATFORM_WORKER_MEMORY',
  cores: 'PLATFORM_WORKER_CORES',
  scratch: 'PLATFORM_WORKER_SCRATCH',
  concurrency: 'PLATFORM_WORKER_CONCURRENCY',
} as const satisfies Record<keyof WorkerOptions, string>;

/** The command line wins. */
export function withWorkerOptions(env: Environment, options: WorkerOptions): Environment {
  const given = Object.entries(VARIABLES).flatMap(([name, variable]) => {
    const value = options[name as keyof WorkerOptions];
    return value === undefined ? [] : [[variable, String(value)]];
  });
  return { ...env, ...Object.fromEntries(given) };
}

/** Runs what reads these settings. What it finds wrong with one that an option gave is told of the option. */
export async function inOptions<T>(options: WorkerOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ConfigError') throw error;
    let { message } = error;
    for (const [name, variable] of Object.entries(VARIABLES))
      if (options[name as keyof WorkerOptions] !== undefined) message = message.replaceAll(variable, `--${name}`);
    throw message === error.message ? error : new UsageError(message, { cause: error });
  }
}
