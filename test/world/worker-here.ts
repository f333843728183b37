import { readdir, readFile } from 'node:fs/promises';
import { loadConfig } from '../../src/config.ts';
import { Worker } from '../../workers/main.ts';
import type { World } from '../world.ts';
import { environmentOf } from './worker.ts';

type Place = { readonly url: string; readonly folder: string };

/** A worker in the process of the test. */
export interface WorkerHere {
  /** Hands back what runs, and resolves when nothing of the worker is left. */
  stop(): Promise<void>;
}

/**
 * Starts a worker in this process, as `platform work` does in a process of its own, which costs seconds of CPU time.
 * For tests that are about jobs and not about processes, their signals and their output.
 */
export async function workHere(world: Place, settings: Record<string, string> = {}): Promise<WorkerHere> {
  const quiet = { 'log.level': process.env.TEST_LOG ?? 'fatal', ...settings };
  const worker = await Worker.start(loadConfig(environmentOf(world, quiet)));
  let stopped: Promise<void> | undefined;
  return {
    stop() {
      stopped ??= worker.close();
      return stopped;
    },
  };
}

/** One worker for a test file, started on first use. */
export function sharedWorker(world: World, settings: Record<string, string> = {}): () => Promise<WorkerHere> {
  return switchedWorker(world, settings).start;
}

/** One worker for a test file whose serial tests switch it on, and off where a job must wait. */
export function switchedWorker(world: World, settings: Record<string, string> = {}) {
  let on: Promise<WorkerHere> | undefined;
  async function stop() {
    const worker = on;
    on = undefined;
    await (await worker?.catch(() => undefined))?.stop();
  }
  world.beforeEnd(stop);
  return {
    /** Starts the worker, unless it runs. */
    start(): Promise<WorkerHere> {
      on ??= workHere(world, settings);
      return on;
    },
    stop,
  };
}

/**
 * Ids of the conversion processes of workers in this process with this folder: other test files run here, too. Linux
 * only.
 */
export async function conversionsHere({ folder }: Pick<Place, 'folder'>): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const read = (file: string) => readFile(`/proc/${entry}/${file}`, 'latin1').catch(() => '');
    const stat = await read('stat');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(parent) !== process.pid || state === 'Z') continue;
    if ((await read('environ')).includes(`=${folder}/`)) found.push(Number(entry));
  }
  return found;
}
