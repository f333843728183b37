import test from 'ava';
import { RequestError } from 'hydrofiles/errors';
import { TaskThread } from 'hydrofiles/threads';
import { AppError } from '../../src/errors.ts';
import type { Question, Task } from './threads/answer-anything.ts';

const script = new URL('./threads/answer-anything.ts', import.meta.url);
const open = (lost = () => {}) => new TaskThread<Task, string, Question, string>(script, { errors: [AppError], lost });

test('tasks run in order, and ask their caller', async (t) => {
  const thread = open();
  t.teardown(() => thread.end());
  const heard: string[] = [];
  const reply = async (question: Question) => {
    heard.push(question);
    return question.toUpperCase();
  };
  const answers = ['one', 'two', 'three'].map((text) => thread.run({ kind: 'ask', text }, { reply }));
  t.is(thread.pending, 3);
  t.deepEqual(await Promise.all(answers), ['ONE', 'TWO', 'THREE']);
  t.deepEqual(heard, ['one', 'two', 'three']);
  t.is(thread.pending, 0);
});

test('refusals keep class and members in both directions, and bugs their stack', async (t) => {
  const thread = open();
  t.teardown(() => thread.end());
  const bug = await t.throwsAsync(thread.run({ kind: 'fail', how: 'bug' }), { message: 'bug' });
  t.regex(bug.stack!, /answer-anything\.ts/);
  const refusal = await t.throwsAsync(thread.run({ kind: 'fail', how: 'refusal' }), { instanceOf: AppError });
  t.deepEqual([refusal.kind, refusal.details], ['conflict', { code: 'Busy' }]);
  const reply = () => Promise.reject(new RequestError('no such system', { srid: ['unknown'] }));
  const wrong = await t.throwsAsync(thread.run({ kind: 'ask', text: 'x' }, { reply }), { instanceOf: RequestError });
  t.deepEqual([wrong.message, wrong.errors], ['no such system', { srid: ['unknown'] }]);
});

test('an aborted task ends at its next check with the reason, and its thread works on', async (t) => {
  const thread = open();
  t.teardown(() => thread.end());
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const free = Promise.withResolvers<string>();
  const leaving = new AbortController();
  const reply = () => {
    resolve();
    return free.promise;
  };
  const aborted = thread.run({ kind: 'ask', text: 'x' }, { signal: leaving.signal, reply });
  await asked;
  leaving.abort(new Error('left'));
  free.resolve('late');
  await t.throwsAsync(aborted, { message: 'left' });
  t.is(await thread.run({ kind: 'ask', text: 'y' }, { reply: async () => 'next' }), 'next');
});

test('a thread that exits by itself fails only its own tasks, and the next task starts a new thread', async (t) => {
  let lost = 0;
  const thread = open(() => lost++);
  t.teardown(() => thread.end());
  const reply = async () => 'never';
  const [dead, waiting] = [thread.run({ kind: 'exit' }), thread.run({ kind: 'ask', text: 'x' }, { reply })];
  await t.throwsAsync(dead, { message: 'The thread of answer-anything.ts has ended.' });
  await t.throwsAsync(waiting, { message: 'The thread of answer-anything.ts has ended.' });
  t.is(lost, 1);
  t.is(await thread.run({ kind: 'ask', text: 'x' }, { reply: async () => 'alive' }), 'alive');
  const ended = thread.run({ kind: 'ask', text: 'x' }, { reply: () => new Promise(() => {}) });
  await Promise.all([t.throwsAsync(ended, { message: 'closing' }), thread.end(new Error('closing'))]);
  t.is(lost, 1, 'it was ended');
});
