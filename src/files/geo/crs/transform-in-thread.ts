import { TaskThread } from '../../threads/task-thread.ts';
import type { Points, PointTask } from './point-thread.ts';

const thread = new TaskThread<PointTask, Points>(new URL('./point-thread.ts', import.meta.url));

/**
 * Transforms a few points in a thread, so that a server need not load PROJ, which blocks its event loop for half a
 * second. A point that cannot be transformed gets NaN.
 * @throws FormatError if a CRS cannot be read or PROJ has no transformation between the two
 */
export const transformInThread = (task: PointTask): Promise<Points> => thread.run(task);
