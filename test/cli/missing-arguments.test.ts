import test from 'ava';
import { CommanderError } from 'commander';
import type { Io } from '../../cli/io.ts';
import { programFor } from '../../cli/program.ts';

const TENANT = '0198c0de-0000-7000-8000-000000000000';

/** Runs a command with these answers to prompts. Returns the prompts and notes, and the sent requests. */
async function run(args: readonly string[], answers: string[]) {
  const told: string[] = [];
  const sent: unknown[] = [];
  const io = {
    interactive: true,
    env: {},
    ask: async (question: string) => {
      told.push(question);
      const answer = answers.shift();
      if (answer === undefined) throw new Error(`Nobody answers '${question}'.`);
      return answer;
    },
    note: (text: string) => told.push(text),
    show: () => {},
    api: {
      async call(_method: string, _path: string, { body }: { body?: unknown } = {}) {
        sent.push(body);
        return { body: {} };
      },
    },
  } as unknown as Io;
  try {
    await (await programFor([...args], io)).parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
  }
  return { told, sent };
}

const EMPTY = 'Type an answer, or press Ctrl-C to stop.';

test('the prompt for a missing argument repeats until the answer is valid', async (t) => {
  const { told, sent } = await run(['credit', 'reserve'], ['', TENANT, ' ', 'many', '0', '2.5']);
  const wrong = 'It must be a number above 0, and at most 999999999.999999.';
  t.deepEqual(told, [
    'Tenant (name or id):',
    EMPTY,
    'Tenant (name or id):',
    'Credits:',
    EMPTY,
    'Credits:',
    wrong,
    'Credits:',
    wrong,
    'Credits:',
  ]);
  t.like(sent, [{ tenantId: TENANT, credits: 2.5 }]);
});

test('the prompt for the type of a feature repeats until the type is valid, in any letter case', async (t) => {
  const { told, sent } = await run(['feature', 'define', 'maps'], ['Wrong', 'service']);
  const question = 'Type (Application or Service):';
  t.deepEqual(told, [question, "'Wrong' is not one of Application and Service.", question]);
  t.like(sent, [{ name: 'maps', type: 'Service' }]);
});
