import test from 'ava';
import { loadConfig } from '../../src/config.ts';
import { attempt, groupOf } from '../world/authenticator.ts';
import { ownWorld } from '../world.ts';

const direct = ownWorld(test);
const behind = ownWorld(test, { trustedProxies: '10.0.0.0/8, 192.0.2.1, 2001:db8:ffff::/48' });

/** Whether a login with these headers counts as one from 203.0.113.7. */
async function from(w: typeof direct, remoteAddress: string, headers: Record<string, string>) {
  const { id } = await w.account();
  await groupOf(w, id, ['CIDR:203.0.113.7']);
  const { status } = await w.nobody.send({
    method: 'POST',
    url: '/api/tokens',
    remoteAddress,
    headers,
    payload: { id, password: 'Correct-horse-7' },
  });
  return status === 200;
}

test('without trusted proxies forwarded headers are ignored', async (t) => {
  t.false(await from(direct, '10.0.0.1', { 'x-forwarded-for': '203.0.113.7' }));
  t.true(await from(direct, '203.0.113.7', { 'x-forwarded-for': '10.0.0.1' }));
});

test('behind trusted proxies the client is the right-most X-Forwarded-For address that is not a trusted proxy', async (t) => {
  t.true(await from(behind, '10.0.0.1', { 'x-forwarded-for': '203.0.113.7' }));
  t.true(await from(behind, '10.0.0.1', { 'x-forwarded-for': '198.51.100.1, 203.0.113.7, 192.0.2.1, 10.9.9.9' }));
  t.true(await from(behind, '2001:db8:ffff::1', { 'x-forwarded-for': '203.0.113.7' }));
  t.true(await from(behind, '::ffff:10.0.0.1', { 'x-forwarded-for': '203.0.113.7' }));
  t.false(
    await from(behind, '10.0.0.1', { 'x-forwarded-for': '203.0.113.7, 198.51.100.1' }),
    'what a client wrote itself',
  );
  t.false(await from(behind, '10.0.0.1', { 'x-forwarded-for': '203.0.113.7, nonsense' }));
});

test('the port of a forwarded address is ignored, for clients and trusted proxies', async (t) => {
  t.true(await from(behind, '10.0.0.1', { 'x-forwarded-for': '203.0.113.7:5678' }));
  t.true(await from(behind, '10.0.0.1', { 'x-forwarded-for': '[::ffff:203.0.113.7]:5678' }));
  t.true(await from(behind, '10.0.0.1', { 'x-forwarded-for': '203.0.113.7:1, 192.0.2.1:2, [2001:db8:ffff::2]:3' }));
  t.false(await from(behind, '10.0.0.1', { 'x-forwarded-for': '203.0.113.7:1, 198.51.100.1:2' }));
});

test('without a trusted proxy the client address is that of the socket', async (t) => {
  t.false(await from(behind, '198.51.100.1', { 'x-forwarded-for': '203.0.113.7' }));
  t.true(await from(behind, '203.0.113.7', { 'x-forwarded-for': '198.51.100.1' }));
});

test('other headers do not set the address of the client', async (t) => {
  for (const header of ['forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip']) {
    const value = header === 'forwarded' ? 'for=203.0.113.7' : '203.0.113.7';
    t.false(await from(behind, '10.0.0.1', { [header]: value }), header);
  }
});

test('failed logins are counted for the forwarded client address', async (t) => {
  for (const client of ['198.51.100.77', '198.51.100.78']) {
    await behind.nobody.send({
      method: 'POST',
      url: '/api/tokens',
      remoteAddress: '10.0.0.1',
      headers: { 'x-forwarded-for': client },
      payload: { id: 'nobody-at-all', password: 'x' },
    });
  }
  await attempt(behind, { id: 'nobody-at-all', password: 'x', from: '198.51.100.77' });
  const rows = await behind.sql<{ failures: number }>('select failures from login_failures order by 1');
  t.deepEqual(
    rows.map(({ failures }) => failures),
    [1, 2],
  );
});

test('an invalid trusted proxy setting stops the start, and the error quotes it', (t) => {
  const load = (text: string) => () => loadConfig({ PLATFORM_TRUSTED_PROXIES: text });
  t.notThrows(load('10.0.0.0/8, 2001:db8::1,::ffff:10.0.0.1'));
  t.throws(load('10.0.0.0/8, proxy.example'), { message: /'proxy.example' must be an address or a network/ });
  t.throws(load('10.0.0.0/33'), { message: /'10.0.0.0\/33'/ });
});
