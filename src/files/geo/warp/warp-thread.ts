import { answerTasks } from '../../threads/answer-tasks.ts';
import { runWarpTask, type WarpTask } from './warp-task.ts';

answerTasks(
  (task: WarpTask): ArrayBuffer => {
    runWarpTask(task);
    return task.out;
  },
  (out) => [out],
);
