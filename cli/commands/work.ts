import { loadConfig } from '../../src/config.ts';
import { work as takeJobs } from '../../workers/main.ts';
import type { Io } from '../io.ts';
import { runService } from '../service.ts';

/** One worker, in this process. */
export function work(io: Io, env = io.env): Promise<void> {
  const config = loadConfig(env);
  return runService(() => takeJobs(config), config['process.hangLimit'], io);
}
