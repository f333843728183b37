import { answerTasks } from 'hydrofiles/threads';
import { AppError } from '../../../src/errors.ts';

export type Question = string;
export type Task = { kind: 'ask'; text: string } | { kind: 'fail'; how: 'bug' | 'refusal' } | { kind: 'exit' };

answerTasks<Task, string, Question, string>(async (task, { ask, throwIfAborted }) => {
  if (task.kind === 'exit') process.exit();
  if (task.kind === 'fail')
    throw task.how === 'bug' ? new TypeError('bug') : new AppError('conflict', 'busy', { code: 'Busy' });
  const reply = await ask(task.text);
  throwIfAborted();
  return reply;
});
