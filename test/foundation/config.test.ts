import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { ConfigError, environmentName, loadConfig } from '../../src/config.ts';

test('without settings everything has its default', (t) => {
  const config = loadConfig({});
  t.is(config.port, 8080);
  t.is(config.host, '127.0.0.1');
  t.is(config['tokens.accessLifetime'], 30 * 60_000);
  t.deepEqual(config.headerPrefixes, ['svc-', 'dhi-']);
  t.true(Object.isFrozen(config));
});

test('the environment name is PLATFORM_ and the dotted name in upper snake case', (t) => {
  t.is(environmentName('tokens.accessLifetime'), 'PLATFORM_TOKENS_ACCESS_LIFETIME');
  t.is(loadConfig({ PLATFORM_TOKENS_ACCESS_LIFETIME: '2s' })['tokens.accessLifetime'], 2000);
});

test('short names are kept', (t) => {
  const config = loadConfig({
    PLATFORM_PORT: '0',
    PLATFORM_HOST: '::1',
    PLATFORM_DATA: '/srv/p',
    DATABASE_URL: 'postgres://h/d',
  });
  t.like(config, { port: 0, host: '::1', data: '/srv/p', 'database.url': 'postgres://h/d' });
});

test('lists are comma-separated', (t) => {
  t.deepEqual(loadConfig({ PLATFORM_HEADER_PREFIXES: 'a-, b-,' }).headerPrefixes, ['a-', 'b-']);
});

test('all errors are reported together', (t) => {
  const error = t.throws(
    () =>
      loadConfig({
        PLATFORM_PORT: '70000',
        PLATFORM_TOKENS_ACCESS_LIFETIME: 'soon',
        PLATFORM_COLOUR: 'red',
        PLATFORM_DATA: '[env:NOT_THERE]/x',
        DATABASE_URL: 'db.example',
        PLATFORM_PUBLIC_URL: 'platform.example',
        PLATFORM_OTEL_SAMPLE_RATIO: '7',
      }),
    { instanceOf: ConfigError },
  );
  const text = error?.message ?? '';
  t.regex(text, /PLATFORM_PORT: must be a whole number from 0 to 65535, not '70000'\./);
  t.regex(text, /DATABASE_URL: must be postgres:/);
  t.regex(text, /PLATFORM_PUBLIC_URL: must be an absolute URL such as https:\/\/host\./);
  t.regex(text, /PLATFORM_OTEL_SAMPLE_RATIO: must be at most 1, not '7'\./);
  t.regex(text, /PLATFORM_TOKENS_ACCESS_LIFETIME: must be a duration such as 30m, 2s or 365d/);
  t.regex(text, /PLATFORM_COLOUR is not a setting/);
  t.regex(text, /NOT_THERE is not set/);
});

test('an unknown name is an error even if its value is empty; a known one that is empty has its default', (t) => {
  t.throws(() => loadConfig({ PLATFORM_TYPO: '', PLATFORM_OTHER_TYPO: ' ' }), {
    instanceOf: ConfigError,
    message: 'PLATFORM_TYPO is not a setting.\nPLATFORM_OTHER_TYPO is not a setting.',
  });
  const empty = { PLATFORM_PORT: '', PLATFORM_MAIL_URL: '', DATABASE_URL: '', PLATFORM_CONFIG: '', PLATFORM_TOKEN: '' };
  t.deepEqual(loadConfig(empty), loadConfig({}));
  t.deepEqual(loadConfig({ PLATFORM_TYPO: undefined }), loadConfig({}));
});

test('settings of the CLI are not reported as unknown', (t) => {
  t.notThrows(() => loadConfig({ PLATFORM_URL: 'http://127.0.0.1', PLATFORM_TOKEN: 'x', HOME: '/root' }));
});

test('[env:NAME] is resolved inside any string, and the variable is read from the same environment', (t) => {
  const config = loadConfig({ DATABASE_URL: 'postgres://p:[env:PG_SECRET]@h/d', PG_SECRET: 's3' });
  t.is(config['database.url'], 'postgres://p:s3@h/d');
});

test('a JSON file gives settings under dotted or nested keys, and the environment wins', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'platform-config-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'platform.json');
  await writeFile(file, JSON.stringify({ tokens: { issuer: 'nested' }, 'tokens.audience': 'dotted', port: 9000 }));
  const config = loadConfig({ PLATFORM_CONFIG: file, PLATFORM_PORT: '9001' });
  t.like(config, { 'tokens.issuer': 'nested', 'tokens.audience': 'dotted', port: 9001 });
  await writeFile(file, JSON.stringify({ tokens: { isuer: 'typo' } }));
  t.throws(() => loadConfig({ PLATFORM_CONFIG: file }), { message: /'tokens.isuer' is not a setting/ });
  t.throws(() => loadConfig({ PLATFORM_CONFIG: join(folder, 'absent.json') }), { message: /absent\.json/ });
});

test('blobs.url takes the secret from the environment and is refused without being repeated', (t) => {
  const address = 's3://key:[env:S3_SECRET]@store:9000/blobs?tls=false';
  t.is(
    loadConfig({ PLATFORM_BLOBS_URL: address, S3_SECRET: 'a/b+c' })['blobs.url'],
    's3://key:a/b+c@store:9000/blobs?tls=false',
  );
  const error = t.throws(() => loadConfig({ PLATFORM_BLOBS_URL: 'https://key:hidden@store/blobs' }));
  t.regex(error!.message, /^PLATFORM_BLOBS_URL: must be s3:/);
  t.notRegex(error!.message, /hidden/);
});
