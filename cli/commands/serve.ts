import { loadConfig } from '../../src/config.ts';
import { serve as listen } from '../../src/server.ts';
import type { Io } from '../io.ts';
import { runService } from '../service.ts';

/** The API alone, in this process. */
export const serve = (io: Io): Promise<void> => runService(() => listen(loadConfig(io.env)), io);
