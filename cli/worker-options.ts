import type { Command } from 'commander';
import { integer, UsageError } from 'hydrofiles/terminal';
import { amount, label } from './options.ts';

/** Options for the capacity of a worker. Each overrides the setting `worker.` of its name. */
export interface WorkerOptions {
  label?: string[];
  memory?: number;
  cores?: number;
  scratch?: number;
  concurrency?: number;
}

type Environment = Record<string, string | undefined>;

/** Adds the options of commands that run a worker. */
export const workerOptions = (command: Command): Command =>
  command
    .option('--label <key=value>', 'label that transfers can require, such as gpu=a100; may be repeated', label)
    .option('--memory <MB>', 'memory for all transfers together, at least 256', integer(256))
    .option('--cores <count>', 'cores for all transfers together', amount(10_000))
    .option('--scratch <GB>', 'disk space for all transfers together', integer(0, 1_000_000))
    .option('--concurrency <count>', 'maximum number of transfers at a time, from 1 to 1000', integer(1, 1000));

const VARIABLES = {
  label: 'PLATFORM_WORKER_LABELS',
  memory: 'PLATFORM_WORKER_MEMORY',
  cores: 'PLATFORM_WORKER_CORES',
  scratch: 'PLATFORM_WORKER_SCRATCH',
  concurrency: 'PLATFORM_WORKER_CONCURRENCY',
} as const satisfies Record<keyof WorkerOptions, string>;

/** The environment with the options as settings; options take precedence. */
export function withWorkerOptions(env: Environment, options: WorkerOptions): Environment {
  const given = Object.entries(VARIABLES).flatMap(([name, variable]) => {
    const value = options[name as keyof WorkerOptions];
    return value === undefined ? [] : [[variable, String(value)]];
  });
  return { ...env, ...Object.fromEntries(given) };
}

/** Runs `work`; in its `ConfigError`s, names the options in place of the settings that they set. */
export async function withOptionNames<T>(options: WorkerOptions, work: () => Promise<T>): Promise<T> {
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
