import { loadConfig } from '../../src/config.ts';
import { Worker } from '../../workers/main.ts';
import { performTransfer } from '../../workers/one-transfer.ts';
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

/** Performs one transfer in this process. Throws unless it is Completed. */
export async function workOn(id: string, io: Io, env = io.env): Promise<void> {
  const config = loadConfig(env);
  watchEventLoop(config['process.hangLimit']);
  const { outcome, message } = await performTransfer(config, id, stopSignal());
  if (outcome !== 'completed') throw new TransferNotCompleted(outcome, message);
  io.out(io.json ? JSON.stringify({ transferId: id, outcome, message }) : message);
}
