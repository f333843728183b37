import { answerTasks } from '../../../threads/answer-tasks.ts';
import { type PackTask, packChunk } from './pack-chunk.ts';

answerTasks(
  // In memory of its own, and no larger than the bytes, so that it can be moved.
  (task: PackTask) => new Uint8Array(packChunk(task)),
  ({ buffer }) => [buffer],
);
