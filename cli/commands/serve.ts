import { loadConfig } from '../../src/config.ts';
import { serve as listen } from '../../src/server.ts';
import type { Io } from '../io.ts';
import { collectEarly } from '../node-flags.ts';
import { runService } from '../service.ts';

/** Runs the API in this process. */
export function serve(io: Io): Promise<void> {
  collectEarly();
  const config = loadConfig(io.env);
  return runService((stop) => listen(config, stop), config['process.hangLimit'], io);
}
