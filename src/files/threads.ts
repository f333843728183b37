/* Worker threads with typed tasks, cancellation, and fair turns. */

export { answerTasks, type TaskContext } from './threads/answer-tasks.ts';
export { FairQueue, type FairQueueLimits } from './threads/fair-queue.ts';
export { type ErrorClass, TaskAborted } from './threads/messages.ts';
export { type TaskOptions, TaskThread, type ThreadOptions } from './threads/task-thread.ts';
export { ThreadPool, type Turn } from './threads/thread-pool.ts';
