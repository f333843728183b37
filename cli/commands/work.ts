import { loadConfig } from '../../src/config.ts';
import { work as takeJobs } from '../../workers/main.ts';
import type { Io } from '../io.ts';
import { runService } from '../service.ts';

/** One worker, in this process. */
export const work = (io: Io, env = io.env): Promise<void> => runService(() => takeJobs(loadConfig(env)), io);
