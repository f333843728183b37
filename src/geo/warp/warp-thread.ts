import { parentPort } from 'node:worker_threads';
import type { WarpTask } from './warp-task.ts';
import { runWarpTask } from './warp-task.ts';

/** A thread that computes cells, task after task. The memory of a result goes back with it. */
parentPort!.on('message', (task: WarpTask) => {
  runWarpTask(task);
  parentPort!.postMessage(task.out, [task.out]);
});
