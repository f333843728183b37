import type { Config } from '../../src/config.ts';
import { Worker } from '../main.ts';
import { Dispatcher, type PodEnvironment } from './dispatcher.ts';

/**
 * Starts a worker that hands transfers to a Kubernetes cluster and runs all other jobs.
 * @param abort ends the wait for the database: throws its reason
 */
export const startDispatcher = (config: Config, pod: PodEnvironment, abort?: AbortSignal): Promise<Worker> =>
  Worker.start(config, abort, {
    takes: config['kubernetes.takes'],
    open: ({ databaseUrl, log }, { executor, draining }) =>
      Dispatcher.open(config, pod, { executor, databaseUrl, log, isDraining: () => draining.now }),
  });
