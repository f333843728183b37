import test from 'ava';
import { PASSWORD, world } from '../world.ts';

const w = world(test);

test('a login answers an access token and a refresh token, kept by nobody on the way', async (t) => {
  const user = await w.account();
  const { status, headers, body } = await w.nobody.post('/api/tokens', { id: user.id, password: PASSWORD });
  t.is(status, 200);
  t.is(headers['cache-control'], 'no-store');
  t.is(headers.pragma, 'no-cache');
  t.is(body.tokenType, 'bearer');
  t.regex(body.accessToken.expiration, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);
  t.true(body.refreshToken.expiration > body.accessToken.expiration);

  const me = await w.nobody.get('/api/iam/principal/me', { authorization: `Bearer ${body.accessToken.token}` });
  t.is(me.status, 200);
  t.deepEqual(me.body, { id: user.userId, name: user.id, role: 'Member', tenantId: user.tenantId });
});
