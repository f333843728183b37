// Own thread: it starts the whole platform, and waits for it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { makeFlood, writeFlood } from '../../cli/demo/flood.ts';
import { startPlatform } from '../../cli/demo/platform.ts';
import { makeTerrain } from '../../cli/demo/terrain.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const TOURS = [
  ['README.md', 'Quick start'],
  ['docs/guide/rest-api.md', 'Example with curl'],
] as const;

/** The shell lines below a heading. */
async function tour(file: string, heading: string): Promise<string> {
  const text = await readFile(join(root, file), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const block = /```sh\n([\s\S]*?)```/.exec(section)?.[1];
  if (block === undefined) throw new Error(`${file} has no commands below '${heading}'.`);
  return block;
}

test('the quick start and the curl example work unchanged, one after the other', async (t) => {
  if (spawnSync('curl', ['--version']).status !== 0) {
    t.log('SKIPPED: there is no curl on this machine.');
    return t.pass();
  }
  const folder = await mkdtemp(join(tmpdir(), 'platform-readme-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const platform = await startPlatform(folder, { PATH: process.env.PATH }, new AbortController().signal);
  t.teardown(() => platform.stop());
  for (const [file, heading] of TOURS) {
    const lines = (await tour(file, heading)).replaceAll('bin/platform', join(root, 'bin/platform'));
    const script = lines.replaceAll('http://127.0.0.1:8080', platform.url);
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env: platform.env });
    let said = '';
    for (const output of [shell.stdout, shell.stderr]) output.on('data', (chunk) => (said += chunk));
    const [code] = await once(shell, 'close');
    t.is(code, 0, `${file}: ${heading}:\n${said}`);
  }
  const made = await readdir(folder);
  for (const file of ['valley.tif', 'valley-3857.asc', 'lower.tif']) t.true(made.includes(file), file);
  t.is((await readFile(join(folder, 'lower.tif'))).toString('latin1', 0, 2), 'II');
});

test('the first example prints what the README says, for the file that the demo makes', async (t) => {
  const text = await readFile(join(root, 'README.md'), 'utf8');
  const [, commands = '', printed = ''] = /```sh\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/.exec(text) ?? [];
  const [making, ...lines] = commands.trim().split('\n');
  t.regex(making!, /npm run demo -- --keep valley/);
  const folder = await mkdtemp(join(tmpdir(), 'platform-readme-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'valley'));
  await writeFlood(makeFlood(makeTerrain()), join(folder, 'valley', 'flood.dfsu'), folder);
  const script = lines.join('\n').replaceAll('bin/platform', join(root, 'bin/platform'));
  const shell = spawnSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, encoding: 'utf8' });
  t.is(shell.status, 0, shell.stderr);
  t.is(shell.stdout, printed);
  t.deepEqual((await readdir(folder)).sort(), ['depth.png', 'depth.tif', 'valley']);
});
