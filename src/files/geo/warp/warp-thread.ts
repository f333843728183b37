import { parentPort } from 'node:worker_threads';
import { runWarpTask, type WarpTask } from './warp-task.ts';

/** Entry point of a worker thread: runs warp tasks one after the other and transfers the memory of each result back. */
parentPort!.on('message', (task: WarpTask) => {
  runWarpTask(task);
  parentPort!.postMessage(task.out, [task.out]);
});
