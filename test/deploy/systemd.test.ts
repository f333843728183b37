import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { main } from '../../cli/main.ts';
import { loadConfig } from '../../src/config.ts';
import { person } from '../cli/person.ts';

const run = promisify(execFile);
const folder = new URL('../../deploy/systemd/', import.meta.url);

/** Units by name: the values of each directive, in order. */
async function units(): Promise<Map<string, Map<string, string[]>>> {
  const found = new Map();
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.service'))) {
    const directives = new Map<string, string[]>();
    for (const line of (await readFile(new URL(file, folder), 'utf8')).split('\n')) {
      const at = line.indexOf('=');
      if (line.startsWith('#') || at < 0) continue;
      const name = line.slice(0, at);
      directives.set(name, [...(directives.get(name) ?? []), line.slice(at + 1)]);
    }
    found.set(file, directives);
  }
  return found;
}

test('each unit runs a command of the platform, as an ordinary user, with settings that the platform knows', async (t) => {
  const all = await units();
  t.deepEqual([...all.keys()].sort(), ['platform-api.service', 'platform-migrate.service', 'platform-worker@.service']);
  for (const [name, directives] of all) {
    const [program = '', command = '', ...more] = directives.get('ExecStart')?.[0]?.split(' ') ?? [];
    t.is(basename(program), 'platform', name);
    t.deepEqual(more, [], name);
    const { io, out } = person({});
    t.is(await main([command, '--help'], io), 0, name);
    t.true(out().startsWith(`Usage: platform ${command} `), out());
    t.deepEqual(directives.get('User'), ['platform'], name);
    const environment = (directives.get('Environment') ?? []).map((one) => one.split(/=(.*)/s).slice(0, 2));
    const { data } = loadConfig(Object.fromEntries(environment));
    t.is(data, join('/var/lib', directives.get('StateDirectory')?.[0] ?? ''), name);
    t.true(directives.get('EnvironmentFile')?.includes('/etc/platform/platform.env'), name);
  }
  t.is(all.get('platform-api.service')?.get('Restart')?.[0], 'always');
  t.is(all.get('platform-worker@.service')?.get('OOMPolicy')?.[0], 'continue');
});

const analyzes = spawnSync('systemd-analyze', ['--version']).status === 0 ? test : test.skip;

analyzes('systemd accepts the units, and rates their exposure as small', async (t) => {
  const copies = await mkdtemp(join(tmpdir(), 'units-'));
  t.teardown(() => rm(copies, { recursive: true, force: true }));
  const program = join(copies, 'bin', 'platform');
  await mkdir(join(copies, 'bin'));
  await writeFile(program, '#!/bin/sh\n');
  await chmod(program, 0o755);
  const files = [];
  for (const name of (await units()).keys()) {
    const text = await readFile(new URL(name, folder), 'utf8');
    await writeFile(join(copies, name), text.replaceAll('/opt/platform/bin/platform', program));
    files.push(join(copies, name));
  }
  const { stdout, stderr } = await run('systemd-analyze', ['verify', ...files]);
  t.is(stdout + stderr, '');
  // points of 10, as `systemd-analyze security` counts them; a unit without any hardening has 9.6
  await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', ...files]);
});
