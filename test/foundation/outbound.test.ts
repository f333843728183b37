import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import got from 'got';
import { loadConfig } from '../../src/config.ts';
import { AppError } from '../../src/errors.ts';
import { Outbound, RefusedAddress } from '../../src/platform/net/outbound.ts';

/** Servers on the IPv4 and IPv6 loopback that count connections. */
async function listeners(answer: (path: string) => string | undefined = () => undefined) {
  let count = 0;
  const servers: Server[] = [];
  let port = 0;
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer((request, response) => {
      const location = answer(request.url ?? '');
      response.writeHead(location ? 302 : 200, location ? { location } : {}).end('inside');
    });
    server.on('connection', () => count++);
    await new Promise<void>((resolve) => server.once('error', () => resolve()).listen(port, host, resolve));
    if (!server.listening) continue; // a machine without IPv6
    port = (server.address() as AddressInfo).port;
    servers.push(server);
  }
  return {
    port,
    connections: () => count,
    close: () => {
      for (const server of servers) server.closeAllConnections();
      for (const server of servers) server.close();
    },
  };
}

/** Loopback, private and reserved addresses in every spelling that some parser accepts. */
const LITERAL = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '0X7F.0x0.0X0.0x1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '00000177.1',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '0',
  '0.0.0.0',
  '0x0',
  '10.0.0.1',
  '167772161',
  '012.1',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '192.168.257',
  '3232235777',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7F00:1]',
  '[0:0:0:0:0:ffff:10.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::10.0.0.1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2001::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[ff02::1]',
  'localhost',
  'LOCALHOST.',
  'anything.localhost',
];

const NO_ADDRESS = [
  '',
  'example.org',
  'http://',
  'http://[fe80::1%25lo]/',
  'http://[fe80::1%lo]/',
  'http://256.1.1.1/',
  'http://1.2.3.4.5/',
  'http://0x7g.1/',
  'http://a b/',
  'ftp://example.org/',
  'file:///etc/passwd',
  'gopher://127.0.0.1/',
  'unix:/var/run/docker.sock',
  'data:,x',
  'javascript:alert(1)',
];

test('a URL with a non-public address is refused in any spelling', (t) => {
  const outbound = new Outbound([]);
  for (const host of LITERAL) {
    for (const url of [`http://${host}/`, `https://user:pw@${host}:8443/path?q#f`]) {
      const error = t.throws(() => outbound.check(url, 'url'), { instanceOf: AppError }, url);
      t.is(error?.kind, 'invalid', url);
      t.regex(error?.details.errors?.url?.[0] ?? '', /is not a public address/, url);
    }
  }
});

test('other schemes than http and https, and invalid URLs, are refused', (t) => {
  const outbound = new Outbound(['0.0.0.0/0', '::/0']);
  for (const url of NO_ADDRESS) t.throws(() => outbound.check(url, 'url'), { instanceOf: AppError }, url);
});

test('names and public addresses are accepted, on any port', (t) => {
  const outbound = new Outbound([]);
  for (const url of [
    'https://example.org/x',
    'http://8.8.8.8:8080/',
    'http://[2606:4700::1111]/',
    'http://[::ffff:8.8.8.8]/',
  ])
    t.is(outbound.check(url, 'url').href, new URL(url).href);
});

test('no connection is made to a non-public address, whatever its name', async (t) => {
  const inside = await listeners();
  t.teardown(inside.close);
  const { options } = new Outbound([]);
  t.true(LITERAL.length >= 60);
  const names = ['localhost', 'localhost.', 'LocalHost'];
  for (const host of [...LITERAL, ...names]) {
    const url = `http://${host}:${inside.port}/`;
    const call = got(url, { ...options, retry: { limit: 0 }, timeout: { request: 10_000 } });
    const error = await t.throwsAsync(call, undefined, url);
    // the name may not resolve on this machine, which is fine, too
    const refused = error?.cause instanceof RefusedAddress || /ENOTFOUND|EAI_AGAIN/.test(String(error?.message));
    t.true(refused, `${url}: ${error}`);
  }
  t.is(inside.connections(), 0);
});

test('each redirect is checked again', async (t) => {
  const inside = await listeners();
  const outside = await listeners((path) => `http://${decodeURIComponent(path.slice(1))}:${inside.port}/`);
  t.teardown(inside.close);
  t.teardown(outside.close);
  const { options } = new Outbound([`127.0.0.1:${outside.port}`]);
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::1]', '[::ffff:127.0.0.1]']) {
    const call = got(`http://127.0.0.1:${outside.port}/${encodeURIComponent(host)}`, {
      ...options,
      retry: { limit: 0 },
    });
    const error = await t.throwsAsync(call, undefined, host);
    t.true(error?.cause instanceof RefusedAddress, `${host}: ${error}`);
  }
  t.is(outside.connections(), 5);
  t.is(inside.connections(), 0);
});

test('addresses in outbound.allow are allowed only on their port', async (t) => {
  const inside = await listeners();
  t.teardown(inside.close);
  const { port } = inside;
  const reach = (allow: string[], host: string) => {
    const outbound = new Outbound(allow);
    const url = `http://${host}:${port}/`;
    outbound.check(url, 'url');
    return got(url, { ...outbound.options, retry: { limit: 0 } }).text();
  };
  for (const entry of [`127.0.0.1:${port}`, `127.0.0.0/8:${port}`, `[::ffff:127.0.0.1]:${port}`, `0.0.0.0/0:${port}`]) {
    t.is(await reach([entry], '127.0.0.1'), 'inside', entry);
    t.is(await reach([entry], '0x7f.1'), 'inside', entry);
  }
  t.is(await reach([`localhost:${port}`], 'localhost'), 'inside');
  t.is(await reach(['10.0.0.0/8', `127.0.0.0/8:${port}`], 'localhost'), 'inside');
  for (const entry of ['127.0.0.1', '127.0.0.0/8', 'localhost', `localhost:${port + 1}`, `10.0.0.0/8:${port}`])
    await t.throwsAsync(async () => reach([entry], '127.0.0.1'), { instanceOf: AppError }, entry);
});

test('an entry of outbound.allow without a port allows 80 and 443', (t) => {
  const outbound = new Outbound(['10.1.0.0/16', 'fd00::/8', '::1']);
  for (const url of [
    'http://10.1.2.3/',
    'https://10.1.2.3/',
    'http://10.1.2.3:443/',
    'https://[fd00::5]/',
    'http://[::1]/',
  ])
    t.notThrows(() => outbound.check(url, 'url'), url);
  for (const url of ['http://10.1.2.3:8080/', 'http://10.2.2.3/', 'https://[fd00::5]:8443/', 'http://[fc00::5]/'])
    t.throws(() => outbound.check(url, 'url'), undefined, url);
});

test('an invalid entry of outbound.allow prevents the start', (t) => {
  for (const entry of [
    '10.0.0.0/33',
    '::1/129',
    'host:0',
    'host:70000',
    'http://host',
    'a b',
    '[10.0.0.1]:80',
    'host/8',
    '256.0.0.0/8',
  ])
    t.throws(() => loadConfig({ PLATFORM_OUTBOUND_ALLOW: entry }), { message: /must be a list of host/ }, entry);
  const known = 'a.example,b:8080,10.0.0.0/8,10.0.0.0/8:9000,::1,[::1]:80,fd00::/8,fd00::/8:443,[fd00::]/8:443';
  t.is(loadConfig({ PLATFORM_OUTBOUND_ALLOW: known })['outbound.allow'].length, 9);
  t.deepEqual(loadConfig({})['outbound.allow'], []);
});
