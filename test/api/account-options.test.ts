import test from 'ava';
import { ownWorld, PASSWORD } from '../world.ts';

const w = ownWorld(test, {
  'accounts.lockoutAfter': '3',
  'accounts.lockoutDuration': '1h',
  'accounts.passwordHistory': '3',
  'tenants.guests': 'false',
  'accounts.breachedPasswords': 'off',
  'passwords.requiredLength': '4',
  'passwords.requireNonAlphanumeric': 'false',
});
const admin = async () => w.as(await w.administrator());
const login = (id: string, password = PASSWORD) => w.nobody.post('/api/tokens', { id, password });

test('after n wrong passwords an account is locked out, even for the correct password, until unlocked', async (t) => {
  const { id } = await w.account();
  for (let n = 0; n < 3; n++) t.is((await login(id, 'wrong')).body.detail, 'Account validation failed.');
  t.is((await login(id)).body.detail, 'Account is locked.');
  const shown = (await (await admin()).get(`/api/accounts/${id}`)).body;
  t.true(shown.locked);
  t.truthy(shown.lockedDateEnd);
  t.is((await (await admin()).put('/api/accounts', { id, locked: false })).body.locked, false);
  t.is((await login(id)).status, 200);
});

test('wrong passwords are counted from zero after a lockout', async (t) => {
  const { id, userId } = await w.account();
  for (let n = 0; n < 4; n++) await login(id, 'wrong');
  await w.sql(`update accounts set locked_out_until = now() - interval '1 s' where user_id = '${userId}'`);
  t.is((await login(id, 'wrong')).body.detail, 'Account validation failed.');
  t.is((await (await admin()).get(`/api/accounts/${id}`)).body.noOfUnsuccessfulLoginAttempts, 1);
  t.is((await login(id)).status, 200);
});

test('a successful login resets the count of wrong passwords', async (t) => {
  const { id } = await w.account();
  for (let n = 0; n < 6; n++) t.is((await login(id, n % 2 ? PASSWORD : 'wrong')).status, n % 2 ? 200 : 400);
  t.is((await login(id)).status, 200);
});

test('a new password must differ from the most recent ones; older ones may be reused', async (t) => {
  const root = await admin();
  const { id } = await w.account();
  const set = async (password: string) => (await root.put('/api/accounts', { id, password })).body;
  t.deepEqual((await set(PASSWORD)).errors, { password: ['PasswordWasUsedBefore'] }, 'the present one');
  t.is((await set('Second-one-2')).id, id);
  t.is((await set('Third-one-3')).id, id);
  t.deepEqual((await set(PASSWORD)).errors, { password: ['PasswordWasUsedBefore'] });
  t.is((await set('Fourth-one-4')).id, id);
  t.is((await set(PASSWORD)).id, id, 'three others came since');
  const kept = await w.sql('select from password_history join accounts using (user_id) where id = $1', [id]);
  t.is(kept.length, 2);
});

test('registration is closed unless the setting accounts.registration opens it', async (t) => {
  const { status, body } = await w.nobody.post('/api/accounts/registration', {
    id: 'me-too',
    name: 'Me',
    email: 'me@example.org',
    password: PASSWORD,
  });
  t.is(status, 403);
  t.is(body.code, 'RegistrationOff');
});

test('without tenants.guests no user can add a guest to a project', async (t) => {
  const owner = await w.account({ role: 'Owner' });
  const guest = await w.account({ tenantId: await w.tenant() });
  const { body: project } = await w.as(owner).post('/api/metadata/project', { name: 'Closed' });
  const added = await w.as(owner).post(`/api/metadata/project/${project.id}/member`, {
    userId: guest.userId,
    role: 'Reader',
  });
  t.is(added.status, 403);
  t.like(added.body, { code: 'GuestsNotAllowed' });
  t.true(added.body.detail.includes(guest.userId));
});

test('the password policy comes from the settings', async (t) => {
  t.like((await w.nobody.get('/api/accounts/passwordpolicy')).body, {
    requiredLength: 4,
    requireNonAlphanumeric: false,
    requireDigit: true,
  });
  const root = await admin();
  t.is((await root.post('/api/accounts', { id: 'short', password: 'Abcd1' })).status, 201);
  t.deepEqual((await root.post('/api/accounts', { id: 'shorter', password: 'Ab1' })).body.errors, {
    password: ['PasswordIsTooShort', 'PasswordRequiresUniqueChars'],
  });
});
