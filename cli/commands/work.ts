import { loadConfig } from '../../src/config.ts';
import { startDispatcher } from '../../workers/kubernetes/start.ts';
import { Worker } from '../../workers/main.ts';
import { performTransfer } from '../../workers/one-transfer.ts';
import { refuseEmbeddedPostgres } from '../embedded-postgres.ts';
import { TransferNotCompleted } from '../errors.ts';
import type { Io } from '../io.ts';
import { runService } from '../service.ts';
import { stopSignal } from '../stop-signal.ts';
import { watchEventLoop } from '../watchdog.ts';

/** Runs a worker in this process. */
export function work(io: Io, env = io.env): Promise<void> {
  const config = loadConfig(env);
  return runService((stop) => Worker.start(config, stop), config['process.hangLimit'], io);
}

/** Runs a worker in this process that hands transfers to a Kubernetes cluster. */
export function dispatch(io: Io, env = io.env): Promise<void> {
  const config = loadConfig(env);
  refuseEmbeddedPostgres('--executor kubernetes', config);
  const pod = { serviceHost: env.KUBERNETES_SERVICE_HOST, servicePort: env.KUBERNETES_SERVICE_PORT };
  return runService((stop) => startDispatcher(config, pod, stop), config['process.hangLimit'], io);
}

/** Performs one transfer in this process. Throws unless it is Completed. */
export async function workOn(id: string, io: Io, env = io.env): Promise<void> {
  const config = loadConfig(env);
  // Kubernetes sets it in every container
  if (env.KUBERNETES_SERVICE_HOST) refuseEmbeddedPostgres('In a pod, work --transfer', config);
  watchEventLoop(config['process.hangLimit']);
  const { outcome, message } = await performTransfer(config, id, stopSignal());
  if (outcome !== 'completed') throw new TransferNotCompleted(outcome, message);
  io.out(io.json ? JSON.stringify({ transferId: id, outcome, message }) : message);
}
