import test from 'ava';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const w = world(test, { 'passwords.requiredLength': '40', 'passwords.requiredUniqueChars': '30' });
const machine = machines(w);

test('a generated password meets the password policy, however strict', async (t) => {
  const { run, logIn } = await machine(t);
  await logIn((await w.administrator()).id);
  const made = await run(['account', 'create', '--id', 'long']);
  t.is(made.code, 0, made.err);
  const [, password = ''] = /^Password \(shown only now\): (\S+)$/m.exec(made.err) ?? [];
  t.is((await w.nobody.post('/api/tokens', { id: 'long', password })).status, 200);
});
