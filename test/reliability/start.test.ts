import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { loadConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { Worker } from '../../workers/main.ts';
import { SPIN_AT_SIGUSR2 } from '../world/worker.ts';
import { childrenOf } from './campaign/platform.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = join(ROOT, 'bin', 'platform');
/** Long enough for a busy machine; whatever takes so long is not coming. */
const PATIENCE_MS = 120_000;

interface Running {
  process: ChildProcess;
  /** Id of the process that supervises the others. */
  pid: number;
  /** Lines on stdout. */
  lines: string[];
  stderr: Promise<string>;
  ended: Promise<[code: number | null, signal: string | null]>;
}

async function emptyFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-start-'));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

let template: Promise<string> | undefined;

/** A folder of an earlier start: to create and migrate a database takes twice as much as all else that a start does. */
async function usedFolder(t: ExecutionContext): Promise<string> {
  template ??= newTemplate();
  const folder = await emptyFolder(t);
  await copy(join(await template, 'data'), folder);
  return folder;
}

async function newTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-start-template-'));
  const database = await openDatabase({
    data: join(folder, 'data'),
    'database.url': undefined,
    'database.ownerUrl': undefined,
  });
  await database.close();
  return folder;
}

/** With owners and modes, which Postgres checks. */
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to]);

test.after.always(async () => {
  if (template !== undefined) await rm(await template, { recursive: true, force: true });
});

function launch(
  t: ExecutionContext,
  folder: string,
  settings: Record<string, string> = {},
  command = [process.execPath, PROGRAM, 'start'],
): Running {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = {
    PATH,
    NODE_COMPILE_CACHE,
    HOME: folder,
    PLATFORM_DATA: join(folder, 'data'),
    PLATFORM_PORT: '0',
    ...settings,
  };
  const child = spawn(command[0]!, command.slice(1), { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const ended = once(child, 'exit') as Running['ended'];
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
    await goneFrom(folder);
  });
  return { process: child, pid: child.pid!, lines, stderr: text(child.stderr), ended };
}

async function ready(running: Running): Promise<string> {
  const address = () => running.lines.map((line) => /http:\/\/\S+/.exec(line)?.[0]).find(Boolean);
  await until('the line with the address', () => address() !== undefined);
  await answers(address()!);
  return address()!;
}

const answers = (address: string) =>
  until(
    'an answer of /health/ready',
    async () => (await fetch(`${address}/health/ready`).catch(() => undefined))?.status === 200,
  );

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}.`);
    await sleep(50);
  }
}

interface Process {
  pid: number;
  parent: number;
  command: string;
}

/** All processes on this machine, without zombies. */
async function processes(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
      const home = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return {
        pid: Number(pid),
        parent: Number(parent),
        command: `${command} ${/HOME=([^\0]*)/.exec(home)?.[1] ?? ''}`,
        state,
      };
    }),
  );
  return all.filter((one) => one.state !== undefined && one.state !== 'Z' && one.state !== 'X');
}

/** Processes that were started for this folder, including the database server. */
const processesOf = async (folder: string) => (await processes()).filter((one) => one.command.includes(folder));

const goneFrom = (folder: string) =>
  until(`the end of all in ${folder}`, async () => (await processesOf(folder)).length === 0);

async function part(running: Running, command: 'serve' | 'work'): Promise<number | undefined> {
  for (const pid of await childrenOf(running.pid)) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.replaceAll('\0', ' ').includes(`platform ${command}`)) return pid;
  }
  return undefined;
}

const serverPid = async (folder: string) =>
  Number((await readFile(join(folder, 'data/postgres/cluster/postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0]);

test.serial('start prints its address in one line when ready, and SIGINT ends all processes with code 0', async (t) => {
  const folder = await emptyFolder(t);
  const running = launch(t, folder);
  const address = await ready(running);
  t.is(running.lines.filter((line) => line.endsWith(address)).length, 1);
  await until('all lines', () => running.lines.length > 3);
  t.regex(running.lines[0]!, /^The platform is ready at http/);
  t.regex(running.lines[1]!, /no administrator yet/);
  t.true(running.lines[2]!.startsWith(`${address}/activate?bootstrap=`), running.lines[2]);
  t.regex(running.lines[3]!, / admin bootstrap --id /);
  const body = { token: running.lines[2]!.split('=')[1], id: 'first', password: 'Correct-horse-7' };
  const made = await fetch(`${address}/api/accounts/bootstrap`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  t.is(made.status, 201);
  t.regex(address, /^http:\/\/127\.0\.0\.1:\d+$/);
  t.true((await processesOf(folder)).length > 3);
  running.process.kill('SIGINT');
  t.deepEqual(await running.ended, [0, null]);
  t.deepEqual(await processesOf(folder), []);
});

test.serial('no process of the platform shows a secret in its environment or command line', async (t) => {
  const folder = await usedFolder(t);
  const secrets = { mail: 'pass-of-the-mail-server', metrics: 'token-of-the-metrics', other: 'named-by-a-setting' };
  const running = launch(t, folder, {
    PLATFORM_MAIL_URL: `smtp://platform:${secrets.mail}@127.0.0.1:9`,
    PLATFORM_METRICS_TOKEN: secrets.metrics,
    PLATFORM_CORS_ORIGINS: 'https://[env:OTHER].example',
    OTHER: secrets.other,
  });
  const address = await ready(running);
  const conversions = async () => {
    const worker = await part(running, 'work');
    return (await processes()).filter((one) => one.parent === worker && one.command.includes('convert-process'));
  };
  await until('a conversion process', async () => (await conversions()).length > 0);
  const found = [...(await processesOf(folder)), ...(await conversions())];
  for (const part of ['platform start', 'platform serve', 'platform work', 'convert-process', 'postgres'])
    t.true(
      found.some((one) => one.command.includes(part)),
      part,
    );
  for (const { pid, command } of found) {
    for (const file of ['environ', 'cmdline']) {
      const seen = await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
      for (const [name, secret] of Object.entries(secrets))
        t.false(seen.includes(secret), `${name} in ${file} of ${command}`);
    }
  }
  // the settings have arrived all the same
  const origin = `https://${secrets.other}.example`;
  const answer = await fetch(`${address}/health/live`, { headers: { origin } });
  t.is(answer.headers.get('access-control-allow-origin'), origin);
  running.process.kill('SIGTERM');
  t.deepEqual(await running.ended, [0, null]);
  // whatever Node the machine has
  const alone = launch(t, folder, { PLATFORM_METRICS_TOKEN: secrets.metrics, PATH: '/usr/bin:/bin' }, [
    PROGRAM,
    'serve',
  ]);
  await ready(alone);
  for (const { pid } of await processesOf(folder))
    t.false((await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')).includes(secrets.metrics));
  alone.process.kill('SIGTERM');
  t.deepEqual(await alone.ended, [0, null]);
});

test.serial('killed processes are restarted; API and database keep their ports', async (t) => {
  const folder = await usedFolder(t);
  const running = launch(t, folder);
  const address = await ready(running);
  for (const command of ['serve', 'work'] as const) {
    const before = (await part(running, command))!;
    process.kill(before, 'SIGKILL');
    await until(`another ${command}`, async () => ![undefined, before].includes(await part(running, command)));
    await answers(address);
  }
  const server = await serverPid(folder);
  process.kill(server, 'SIGKILL');
  await until('another database server', async () => ![Number.NaN, 0, server].includes(await serverPid(folder)));
  await answers(address);
  await until('both parts', async () => [await part(running, 'serve'), await part(running, 'work')].every(Boolean));
  running.process.kill('SIGTERM');
  t.deepEqual(await running.ended, [0, null]);
  t.deepEqual(await processesOf(folder), []);
});

test.serial('a hung or stopped process is killed and restarted', async (t) => {
  const folder = await usedFolder(t);
  const running = launch(t, folder, { PLATFORM_PROCESS_HANG_LIMIT: '4s', NODE_OPTIONS: SPIN_AT_SIGUSR2 });
  const address = await ready(running);
  const [api, worker] = [(await part(running, 'serve'))!, (await part(running, 'work'))!];
  process.kill(api, 'SIGSTOP');
  process.kill(worker, 'SIGUSR2');
  for (const [command, before] of [
    ['serve', api],
    ['work', worker],
  ] as const)
    await until(`another ${command}`, async () => ![undefined, before].includes(await part(running, command)));
  await answers(address);
  running.process.kill('SIGTERM');
  t.deepEqual(await running.ended, [0, null]);
  const said = await running.stderr;
  t.regex(said, /^api has not responded for 40 s and is killed\.$/m);
  t.regex(said, /^api was ended by SIGKILL\. Restarting it\.$/m);
  t.regex(said, /^worker was ended by SIGKILL\. Restarting it\.$/m);
});

test.serial('a second signal kills all processes immediately', async (t) => {
  const folder = await usedFolder(t);
  const running = launch(t, folder);
  await ready(running);
  process.kill((await part(running, 'work'))!, 'SIGSTOP');
  // two signals in quick succession merge, and a busy process may handle them late
  while (running.process.exitCode === null) {
    running.process.kill('SIGTERM');
    await Promise.race([running.ended, sleep(500)]);
  }
  t.deepEqual(await running.ended, [143, null], 'The first alone would end with 0.');
  await goneFrom(folder);
});

test.serial('no process survives a killed supervisor, and the next start works', async (t) => {
  const folder = await usedFolder(t);
  const first = launch(t, folder);
  await ready(first);
  first.process.kill('SIGKILL');
  await first.ended;
  await goneFrom(folder);
  const second = launch(t, folder);
  await ready(second);
  second.process.kill('SIGTERM');
  t.deepEqual(await second.ended, [0, null]);
});

test.serial('after all processes are killed at once, the next start works', async (t) => {
  const folder = await usedFolder(t);
  const first = launch(t, folder);
  await ready(first);
  for (const { pid } of await processesOf(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has just ended
    }
  }
  await first.ended;
  const second = launch(t, folder);
  await ready(second);
  t.is(second.process.exitCode, null);
});

test.serial('two platforms on one data folder share the database, which runs until both have ended', async (t) => {
  const folder = await usedFolder(t);
  const [one, two] = [launch(t, folder), launch(t, folder)];
  const [first, second] = await Promise.all([ready(one), ready(two)]);
  t.not(first, second);
  const server = await serverPid(folder);
  one.process.kill('SIGTERM');
  t.deepEqual(await one.ended, [0, null]);
  t.is(await serverPid(folder), server);
  await answers(second);
});

test.serial(
  'if the API cannot listen, start ends with code 1 and an error message, and no process survives',
  async (t) => {
    const folder = await usedFolder(t);
    const other = createServer().listen(0, '127.0.0.1');
    t.teardown(() => void other.close());
    await once(other, 'listening');
    const port = String((other.address() as { port: number }).port);
    const running = launch(t, folder, { PLATFORM_PORT: port });
    t.deepEqual(await running.ended, [1, null]);
    const said = await running.stderr;
    t.regex(said, /^platform: Port \d+ of .* is in use/m);
    t.true(said.includes(port), said);
    t.deepEqual(running.lines, []);
    t.deepEqual(await processesOf(folder), []);
  },
);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
  test.serial(`npm start ends all processes when npm receives ${signal}`, async (t) => {
    const folder = await usedFolder(t);
    const running = launch(t, folder, {}, ['npm', 'start']);
    await ready(running);
    running.process.kill(signal);
    t.deepEqual(await running.ended, signal === 'SIGKILL' ? [null, signal] : [0, null]);
    await goneFrom(folder);
  });
}

/** `NODE_OPTIONS` that send a process SIGINT when its database server starts. */
const INTERRUPTED_AT_SERVER_START =
  "--import=data:text/javascript,import{existsSync}from'node:fs';" +
  'const{PLATFORM_DATA}=process.env;let[t]=[setInterval(()=>{' +
  "if(existsSync(PLATFORM_DATA+'/postgres/cluster/postmaster.pid')){clearInterval(t);process.kill(process.pid,'SIGINT')}},5)]";

test.serial('a command that is interrupted stops the database server that it started', async (t) => {
  const folder = await usedFolder(t);
  const settings = { NODE_OPTIONS: INTERRUPTED_AT_SERVER_START };
  const running = launch(t, folder, settings, [process.execPath, PROGRAM, 'migrate']);
  t.deepEqual(await running.ended, [130, null]);
  t.regex(await running.stderr, /^platform: asked to stop by SIGINT$/m);
  t.deepEqual(await processesOf(folder), []);
});

test.serial('a worker that cannot start stops the database server that it started', async (t) => {
  const folder = await usedFolder(t);
  const config = loadConfig({ PLATFORM_DATA: join(folder, 'data'), PLATFORM_LOG_LEVEL: 'fatal' });
  await t.throwsAsync(Worker.start({ ...config, 'mail.url': 'no address' }), { code: 'ERR_INVALID_URL' });
  t.deepEqual(await processesOf(folder), []);
});

test.serial('an outdated Node runs the Node that npm installed', async (t) => {
  const old = ['/usr/bin/node', '/usr/local/bin/node'].find(existsSync);
  const version = old && (await text(spawn(old, ['--version']).stdout));
  if (old === undefined || Number(version?.slice(1).split('.')[0]) >= 26) {
    t.log(`SKIPPED: needs an older Node on this machine, found ${version ?? 'none'}`);
    return t.pass();
  }
  const child = spawn(old, [PROGRAM, '--help'], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.regex(await text(child.stdout), /Usage: platform/);
});
