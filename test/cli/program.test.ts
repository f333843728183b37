import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { main } from '../../cli/main.ts';
import { type PersonOptions, person } from './person.ts';

/** No stored login and no running server. */
const nowhere = { PLATFORM_URL: 'http://127.0.0.1:9', XDG_CONFIG_HOME: '/nonexistent', PLATFORM_TOKEN: 'x' };

async function run(
  argv: string[],
  { env = nowhere, ...options }: PersonOptions & { env?: Record<string, string> } = {},
) {
  const { io, out, err } = person(env, options);
  const code = await main(argv, io);
  return { code, out: out(), err: err() };
}

test('host and port of the settings file are the address of the platform; the environment wins', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'platform-cli-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'settings.json');
  const base = { PLATFORM_CONFIG: path, PLATFORM_TOKEN: 'x', NUMBER: '9', XDG_CONFIG_HOME: '/nonexistent' };
  const answer = async (settings: string, env: Record<string, string> = {}) => {
    await writeFile(path, settings);
    const { code, err } = await run(['whoami'], { env: { ...base, ...env } });
    return `${code} ${err}`;
  };
  const file = JSON.stringify({ host: '127.0.0.2', port: '[env:NUMBER]', 'no.setting': 1 });
  t.regex(await answer(file), /^1 .*http:\/\/127\.0\.0\.2:9[ :]/);
  t.regex(await answer(file, { PLATFORM_HOST: '127.0.0.3' }), /^1 .*http:\/\/127\.0\.0\.3:9[ :]/);
  t.regex(await answer(file, { PLATFORM_PORT: '7' }), /^1 .*http:\/\/127\.0\.0\.2:7[ :]/);
  t.regex(await answer(file, { PLATFORM_URL: 'http://127.0.0.4:5' }), /^1 .*http:\/\/127\.0\.0\.4:5[ :]/);
  t.is(
    await answer('{"port": 0}'),
    `2 platform: ${path}: port is 0, which is not a port to connect to. Set PLATFORM_URL to the address.\n`,
  );
  t.regex(await answer('no JSON'), /^2 platform: .*settings\.json: /);
});

test('a usage error is exit code 2 and one line', async (t) => {
  for (const [argv, sentence] of [
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['whoami', '--frobnicate'], "unknown option '--frobnicate'"],
    [['project', 'create'], "required option '--name <name>' not specified"],
    [['transfer', 'show'], "missing required argument 'id'"],
    [
      ['transfer', 'import', 'x.asc', '--project', 'p', '--srid', 'WGS'],
      "option '--srid <srid>' argument 'WGS' is invalid. It must be a number such as 25832 or EPSG:25832.",
    ],
    [
      ['transfer', 'import', 'x.asc', '--project', 'p', '--items', 'a,,b'],
      `option '--items <list>' argument 'a,,b' is invalid. It must be a list such as depth,velocity,2 or ["depth, low",2].`,
    ],
    [
      ['transfer', 'import', 'x.asc', '--project', 'p', '--clip', '@/nonexistent.wkt'],
      "option '--clip <area>' argument '@/nonexistent.wkt' is invalid. /nonexistent.wkt cannot be read: ENOENT: no such file or directory, open '/nonexistent.wkt'",
    ],
    [['transfer', 'import', '/nonexistent.asc', '--project', 'p'], 'There is no file /nonexistent.asc.'],
    [['transfer', 'import', '/', '--project', 'p'], 'The folder / has no file that a reader reads.'],
  ] as const) {
    t.deepEqual(await run([...argv]), { code: 2, out: '', err: `platform: ${sentence}\n` }, argv.join(' '));
  }
});

test('help is a result: exit code 0 on stdout', async (t) => {
  const { code, out, err } = await run(['--help']);
  t.is(code, 0);
  t.is(err, '');
  for (const noun of ['start', 'login', 'project', 'dataset', 'transfer', 'demo'])
    t.regex(out, new RegExp(`^  ${noun} `, 'm'));
});

test('every command that asks the server takes --json and --tenant', async (t) => {
  for (const command of [
    'whoami',
    'account list',
    'tenant members add',
    'dataset download',
    'transfer watch',
    'reader list',
  ]) {
    const { out } = await run([...command.split(' '), '--help']);
    t.regex(out, /^ +--json /m, command);
    t.regex(out, /^ +--tenant /m, command);
  }
});

test('a server that does not answer is named in one sentence', async (t) => {
  t.deepEqual(await run(['whoami']), {
    code: 1,
    out: '',
    err: "platform: No platform answers at http://127.0.0.1:9: the connection was refused. Start it with 'npm start', or set PLATFORM_URL to its address.\n",
  });
});

test('an answer that is not JSON is an error that names PLATFORM_URL', async (t) => {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>Welcome'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, err } = await run(['whoami'], { env: { PLATFORM_URL: address, PLATFORM_TOKEN: 'x' } });
  t.is(code, 1);
  t.is(err, `platform: ${address} answered with text/html instead of JSON. Check PLATFORM_URL.\n`);
});

test('a login whose connection breaks is sent again; not with a one-time password, and not one that is refused', async (t) => {
  let [seen, broken, status] = [0, 1, 401];
  const server = createServer((request, response) => {
    seen++;
    if (broken-- > 0) return request.socket.resetAndDestroy();
    response.writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '1' });
    response.end('{"detail":"It was read."}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const env = { ...nowhere, PLATFORM_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const login = (...more: string[]) =>
    run(['login', '--id', 'ida', '--password-stdin', ...more], { env, stdin: 'secret' });
  t.like(await login(), { code: 3, err: 'platform: It was read.\n' });
  t.is(seen, 2);
  [seen, broken] = [0, 1];
  t.regex((await login('--otp', '123456')).err, /No platform answers at .*ECONNRESET/);
  t.is(seen, 1);
  [seen, broken, status] = [0, 0, 429];
  t.like(await login(), { code: 1, err: 'platform: It was read.\n' });
  t.is(seen, 1);
});

test('the address follows from host and port; PLATFORM_URL must be a URL', async (t) => {
  const env = { PLATFORM_HOST: '0.0.0.0', PLATFORM_PORT: '9', PLATFORM_TOKEN: 'x' };
  t.regex((await run(['whoami'], { env })).err, /No platform answers at http:\/\/127\.0\.0\.1:9: /);
  const odd = await run(['whoami'], { env: { PLATFORM_URL: 'platform.example' } });
  t.is(odd.code, 2);
  t.regex(odd.err, /PLATFORM_URL must be an address .* not 'platform\.example'\./);
});

test('without a terminal there is no prompt: an error names the option to use', async (t) => {
  for (const [argv, instead] of [
    [['login'], 'Use --id and --password-stdin'],
    [['login', '--id', 'ida'], 'Send the password on stdin and use --password-stdin'],
    [['admin', 'bootstrap', '--id', 'ida'], 'Send the password on stdin and use --password-stdin'],
  ] as const) {
    const { code, err } = await run([...argv]);
    t.is(code, 2);
    t.is(err, `platform: Not a terminal. ${instead}.\n`);
  }
});

test('a terminal prompts for the id and the password, and does not echo the password', async (t) => {
  const { io, err, stdin } = person(nowhere, { tty: true });
  const ended = main(['login'], io);
  const seen = async (text: string) => {
    while (!err().includes(text)) await new Promise((resolve) => setImmediate(resolve));
  };
  await seen('Login id:');
  stdin.write('ida\r');
  await seen('Password:');
  stdin.write('Correct-horse-7\r');
  t.is(await ended, 1, 'the server is not there');
  t.false(err().includes('Correct-horse-7'));
  t.true(err().includes('No platform answers'));
});

test('all invalid settings are reported together', async (t) => {
  const env = { PLATFORM_PORT: 'x', PLATFORM_FROB: '1' };
  const { code, err } = await run(['migrate'], { env });
  t.is(code, 1);
  t.regex(err, /PLATFORM_FROB is not a setting\./);
  t.regex(err, /PLATFORM_PORT: must be a whole number from 0 to 65535, not 'x'\./);
});

test('DATABASE_URL is checked with the other settings, and its value is not repeated', async (t) => {
  for (const wrong of [
    'foo',
    'mysql://ann:hidden@db/x',
    'postgres://ann:hidden@db:99999/x',
    'postgres://ann:hid#den@db/x',
  ]) {
    const { code, err } = await run(['serve'], { env: { DATABASE_URL: wrong, PLATFORM_LOG_LEVEL: 'loud' } });
    t.is(code, 1, wrong);
    t.regex(err, /DATABASE_URL: must be postgres:\/\/\[user:password@\]host\[:port\]\/database/, wrong);
    t.regex(err, /PLATFORM_LOG_LEVEL: must be one of trace, debug, .*, not 'loud'\./, wrong);
    t.notRegex(err, /hid/, wrong);
  }
});
