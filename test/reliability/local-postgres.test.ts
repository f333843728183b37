import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import pg from 'pg';
import { lockFile } from '../../src/platform/postgres/folder-lock.ts';
import { startLocalPostgres } from '../../src/platform/postgres/local-postgres.ts';
import { stopServer } from '../../src/platform/postgres/postgres-server.ts';

const MODULE = fileURLToPath(new URL('../../src/platform/postgres/local-postgres.ts', import.meta.url));

/** Prints its server's address, then lets go when its standard input ends. */
const ATTACH = `
  import { startLocalPostgres } from ${JSON.stringify(MODULE)};
  const database = await startLocalPostgres(process.argv[1]);
  console.log(database.url);
  process.stdin.resume().on('end', async () => console.log(await database.stopIfIdle()));
`;

/** Attaches, runs a statement that outlasts the test, and says so. */
const BUSY = `
  import pg from ${JSON.stringify(import.meta.resolve('pg'))};
  import { startLocalPostgres } from ${JSON.stringify(MODULE)};
  const { url } = await startLocalPostgres(process.argv[1]);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { processID } = client;
  const watch = new pg.Client({ connectionString: url });
  await watch.connect();
  void client.query('select pg_sleep(3600)');
  const busy = () => watch.query('select from pg_stat_activity where state = $$active$$ and pid = $1', [processID]);
  while ((await busy()).rowCount === 0);
  console.log('busy');
`;

async function temporaryFolder(t: { teardown(f: () => Promise<void>): void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'local-postgres-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function attach(folder: string, identity: { uid?: number; gid?: number } = {}) {
  const flags = ['--input-type=module', '-e', ATTACH, folder];
  const child = spawn(process.execPath, flags, { ...identity, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  return { child, nextLine, end: () => end(child) };
}

async function end(child: ChildProcess) {
  child.stdin?.end();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // a query under way rejects besides
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

/** A folder whose first start was killed before the cluster was complete. */
async function abandonedStart(t: { teardown(f: () => Promise<void>): void }): Promise<string> {
  for (;;) {
    const folder = await temporaryFolder(t);
    const first = attach(folder);
    while (!(await readdir(folder)).some((name) => name.startsWith('new-') || name === 'cluster')) await sleep(5);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const names = await readdir(folder);
    if (!names.includes('cluster') && names.some((name) => name.startsWith('new-'))) return folder;
    // killed too late
    await (await startLocalPostgres(folder)).stop();
  }
}

const pidFile = (folder: string) => join(folder, 'cluster', 'postmaster.pid');
const serverPid = async (folder: string) => Number((await readFile(pidFile(folder), 'utf8')).split('\n')[0]);

/** Every process that works in the cluster's folder. */
async function processesOf(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const cwds = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, i) => cwds[i] === join(folder, 'cluster'));
}

/** Whether a process runs with these arguments, one after the other. */
async function runs(...args: string[]): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return commands.some((command) => command.includes(args.join('\0')));
}

test.serial(
  'the first process starts a database server in an empty folder, others attach, the last one stops it',
  async (t) => {
    const folder = join(await temporaryFolder(t), 'below', 'pg');
    const first = await startLocalPostgres(folder);
    const second = await startLocalPostgres(folder);
    t.is(second.url, first.url);
    const port = Number(new URL(first.url).port);
    t.true(port >= 20_000 && port < 32_768, `${port} may be taken by outgoing connections while the server restarts`);
    t.false(await first.stopIfIdle());
    t.deepEqual(await ask(second.url, 'select current_database()'), ['platform']);
    t.true(await second.stopIfIdle());
    t.false(await second.stopIfIdle());
    t.deepEqual(await processesOf(folder), []);

    const later = await startLocalPostgres(folder);
    t.is(later.url, first.url, 'the same port serves again');
    await later.stop();
  },
);

test.serial('text sorts by Unicode code point, times are UTC, and commits reach the disk', async (t) => {
  const folder = await temporaryFolder(t);
  const server = await startLocalPostgres(folder);
  const { url } = server;
  t.teardown(() => server.stop());
  const sorted = `select string_agg(w, '' order by w) from unnest(array['b','ä','a','B','é','Z','😀','～']) w`;
  t.deepEqual(await ask(url, sorted), ['BZabäé～😀']);
  const settings = `select string_agg(current_setting(s), ' ' order by s)
    from unnest(array['TimeZone', 'fsync', 'jit', 'server_encoding', 'max_connections']) s`;
  t.deepEqual(await ask(url, settings), ['UTC on off 200 UTF8']);
});

test.serial(
  'the server listens on loopback and in its private folder only, and its password file is readable by its owner only',
  async (t) => {
    const folder = await temporaryFolder(t);
    const server = await startLocalPostgres(folder);
    const { url } = server;
    t.teardown(() => server.stop());
    t.deepEqual(await ask(url, `select current_setting('listen_addresses')`), ['127.0.0.1']);
    t.deepEqual(await ask(url, `select current_setting('unix_socket_directories')`), ['.']);
    t.is((await stat(join(folder, 'cluster'))).mode & 0o777, 0o700);
    t.is((await stat(join(folder, 'cluster', 'password'))).mode & 0o777, 0o600);
    const { password } = new URL(url);
    t.true(password.length >= 32);
    await t.throwsAsync(ask(url.replace(password, 'wrong'), 'select 1'), { code: '28P01' });
    const logs = join(folder, 'cluster', 'log');
    for (const log of await readdir(logs)) t.false((await readFile(join(logs, log), 'utf8')).includes(password));
  },
);

test.serial('of six concurrent processes on an empty folder one starts the server and the others attach', async (t) => {
  const folder = await temporaryFolder(t);
  const six = Array.from({ length: 6 }, () => attach(folder));
  t.teardown(async () => void (await Promise.all(six.map((one) => one.end()))));
  const urls = await Promise.all(six.map((one) => one.nextLine()));
  t.is(new Set(urls).size, 1);
  t.deepEqual(await ask(urls[0]!, 'select 1'), [1]);
  for (const one of six) one.child.stdin.end();
  const stopped = await Promise.all(six.map((one) => one.nextLine()));
  t.deepEqual(stopped.sort(), ['false', 'false', 'false', 'false', 'false', 'true']);
  t.deepEqual(await processesOf(folder), []);
});

test.serial('a server whose starter was killed keeps running, and others attach to it', async (t) => {
  const folder = await temporaryFolder(t);
  const owner = attach(folder);
  const url = await owner.nextLine();
  const pid = await serverPid(folder);
  owner.child.kill('SIGKILL');
  await once(owner.child, 'exit');
  const next = await startLocalPostgres(folder);
  t.is(next.url, url);
  t.is(await serverPid(folder), pid);
  t.true(await next.stopIfIdle());
});

test.serial('a server of a killed starter that appears during a start is attached to', async (t) => {
  const folder = await temporaryFolder(t);
  const first = await startLocalPostgres(folder);
  t.teardown(() => first.stop());
  const pid = await serverPid(folder);
  const hidden = join(folder, 'postmaster.pid');
  await rename(pidFile(folder), hidden);
  const settings = {
    // read after the look for a running server and before the launch of another one
    get fsync() {
      renameSync(hidden, pidFile(folder));
      return 'on';
    },
  };
  const second = await startLocalPostgres(folder, { settings });
  t.is(second.url, first.url);
  t.is(await serverPid(folder), pid);
  t.false(await second.stopIfIdle());
});

test.serial('a killed server is restarted on the same port with all committed data', async (t) => {
  const folder = await temporaryFolder(t);
  const before = await startLocalPostgres(folder);
  await ask(before.url, 'create table kept as select 7 as n');
  const busy = ask(before.url, 'select count(*) from generate_series(1, 100000000000)');
  const refused = t.throwsAsync(busy);
  await sleep(100);
  process.kill(await serverPid(folder), 'SIGKILL');
  const wait = setInterval(() => {}, 1000);
  await before.lost;
  clearInterval(wait);
  const after = await startLocalPostgres(folder);
  await refused;
  t.is(after.url, before.url);
  t.deepEqual(await ask(after.url, 'select n from kept'), [7]);
  await after.stop();
});

test.serial('a dead server that was not reaped does not block a start', async (t) => {
  const folder = await temporaryFolder(t);
  await (await startLocalPostgres(folder)).stop();
  // A zombie until this test ends: its parent, a sleeping shell, never asks for it.
  const shell = spawn('sh', ['-c', 'true & echo $!; exec sleep 3600'], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(async () => void shell.kill('SIGKILL'));
  const [line] = await once(createInterface(shell.stdout), 'line');
  await writeFile(pidFile(folder), `${line}\n${folder}\n1700000000\n1\n\n127.0.0.1\n\nready   \n`);
  const database = await startLocalPostgres(folder);
  t.deepEqual(await ask(database.url, 'select 1'), [1]);
  await database.stop();
});

test.serial(
  'a stale pid file with the id of another program does not block a start, and that program is not killed',
  async (t) => {
    const folder = await temporaryFolder(t);
    await (await startLocalPostgres(folder)).stop();
    const other = spawn('sleep', ['3600'], { cwd: join(folder, 'cluster') });
    t.teardown(async () => void other.kill('SIGKILL'));
    await writeFile(pidFile(folder), `${other.pid}\n${folder}\n1700000000\n1\n\n127.0.0.1\n\nready   \n`);
    const database = await startLocalPostgres(folder);
    t.deepEqual(await ask(database.url, 'select 1'), [1]);
    await database.stop();
    t.is(other.exitCode, null);
    t.is(other.signalCode, null);
  },
);

test.serial('the incomplete data folder of a killed first start is removed', async (t) => {
  const folder = await abandonedStart(t);
  const database = await startLocalPostgres(folder);
  t.deepEqual((await readdir(folder)).sort(), ['attached', 'cluster', 'host', 'lock', 'start.log']);
  await database.stop();
});

test.serial('the last process stops the server although statements of killed processes still run', async (t) => {
  const folder = await temporaryFolder(t);
  const database = await startLocalPostgres(folder);
  const busy = spawn(process.execPath, ['--input-type=module', '-e', BUSY, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(busy.stdout, 'data');
  busy.kill('SIGKILL');
  await once(busy, 'exit');
  t.true(await database.stopIfIdle());
  t.deepEqual(await processesOf(folder), []);
});

test.serial('a stop waits for the logger, which outlives the server', async (t) => {
  const folder = await temporaryFolder(t);
  const database = await startLocalPostgres(folder);
  const slow = join(folder, 'postgres');
  await symlink('/bin/sleep', slow);
  const logger = spawn(slow, ['2'], { argv0: 'sleep', cwd: join(folder, 'cluster') });
  await once(logger, 'spawn');
  await database.stop();
  t.deepEqual(await processesOf(folder), []);
});

test.serial('a server that exits before its stop signal counts as stopped', async (t) => {
  const folder = await temporaryFolder(t);
  const cluster = join(folder, 'cluster');
  await mkdir(cluster);
  await chmod(folder, 0o755);
  await writeFile(join(cluster, 'PG_VERSION'), '18\n');
  const name = join(folder, 'postgres');
  await symlink('/bin/sleep', name);
  const server = spawn(name, ['3600'], { argv0: 'sleep', cwd: cluster });
  t.teardown(async () => void server.kill('SIGKILL'));
  await once(server, 'spawn');
  // each reading of this pid file waits until it is written
  await promisify(execFile)('mkfifo', ['-m', '644', pidFile(folder)]);
  const stopping = stopServer(folder);
  await writeFile(pidFile(folder), `${server.pid}\n`);
  while (!(await runs('stop', '-D', cluster))) await sleep(5);
  server.kill('SIGKILL');
  await once(server, 'exit');
  await writeFile(pidFile(folder), `${server.pid}\n`);
  await t.notThrowsAsync(stopping);
});

test.serial('a server that was started in vain is stopped', async (t) => {
  const folder = await temporaryFolder(t);
  // the server starts, and the database cannot be created
  const readOnly = { settings: { default_transaction_read_only: 'on' } };
  await t.throwsAsync(startLocalPostgres(folder, readOnly), { code: '25006' });
  t.deepEqual(await processesOf(folder), []);
});

test.serial('an error says why the database server cannot start', async (t) => {
  const folder = await temporaryFolder(t);
  await (await startLocalPostgres(folder)).stop();
  const error = await t.throwsAsync(startLocalPostgres(folder, { settings: { shared_buffers: 'plenty' } }));
  t.regex(error!.message, /did not start: .*invalid value for parameter "shared_buffers": "plenty"/s);
});

test.serial('the server works in a folder below a private home', async (t) => {
  const home = await temporaryFolder(t);
  await chmod(home, 0o700);
  const database = await startLocalPostgres(join(home, 'platform', 'pg'));
  t.deepEqual(await ask(database.url, 'select 1'), [1]);
  t.true(await database.stopIfIdle());
});

for (const [who, id] of [
  ['nobody', 65534],
  ['a user without a name', 54321],
] as const) {
  test.serial(`the server works as ${who}, and root can use its files`, async (t) => {
    const root = process.getuid?.() === 0;
    if (!root || !(await reachable(id))) {
      t.log(`SKIPPED: needs root, and a project folder that user ${id} can read`);
      return t.pass();
    }
    const folder = join(await temporaryFolder(t), 'pg');
    await chmod(join(folder, '..'), 0o755);
    await mkdir(folder, { mode: 0o700 });
    await chown(folder, id, id);
    const user = attach(folder, { uid: id, gid: id });
    const url = await user.nextLine();
    const together = await startLocalPostgres(folder);
    t.is(together.url, url);
    t.false(await together.stopIfIdle());
    user.child.stdin.end();
    t.is(await user.nextLine(), 'true');
    await user.end();

    const alone = await startLocalPostgres(folder);
    t.deepEqual(await ask(alone.url, 'select 1'), [1]);
    await alone.stop();
    t.is((await stat(join(folder, 'cluster', 'postmaster.opts'))).uid, id);
  });
}

test.serial(
  'root without user namespaces runs the server as nobody, or fails with a message if nobody has no access',
  async (t) => {
    if (process.getuid?.() !== 0 || !(await reachable(65534))) {
      t.log('SKIPPED: needs root, and a project folder that everybody can read');
      return t.pass();
    }
    const folder = join(await temporaryFolder(t), 'data', 'pg');
    const refused = await withoutNamespaces(folder);
    await end(refused.child);
    t.regex(await refused.said, /root may not open a user namespace, and user 65534 cannot access .*Set DATABASE_URL/s);

    await chmod(join(folder, '..', '..'), 0o755);
    const { child, line, said } = await withoutNamespaces(folder);
    t.regex(await line, /^postgres:/, await Promise.race([said, '']));
    t.is((await stat(join(folder, 'cluster', 'password'))).uid, 65534);
    const root = await startLocalPostgres(folder);
    t.deepEqual(await ask(root.url, 'select 1'), [1]);
    await end(child);
    t.true(await root.stopIfIdle());
  },
);

/** Attaches as root in a namespace that has the same users as ours, and in which no further one may be opened. */
async function withoutNamespaces(folder: string) {
  const forbid = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"';
  const wait = 'while [ "$(id -u)" != 0 ]; do sleep .02; done; exec sh -c "$0" sh "$@"';
  const flags = ['--input-type=module', '-e', ATTACH, folder];
  const child = spawn('unshare', ['--user', 'sh', '-c', wait, forbid, process.execPath, ...flags], {
    cwd: '/',
    stdio: 'pipe',
  });
  const own = await readlink('/proc/self/ns/user');
  while ((await readlink(`/proc/${child.pid}/ns/user`)) === own) await sleep(5);
  for (const map of ['uid_map', 'gid_map']) await writeFile(`/proc/${child.pid}/${map}`, '0 0 65536');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, line: lines.next().then(({ value }) => String(value)), said: text(child.stderr) };
}

async function reachable(id: number): Promise<boolean> {
  const child = spawn(process.execPath, ['-e', `fs.readFileSync(${JSON.stringify(MODULE)})`], {
    uid: id,
    gid: id,
    cwd: '/',
  });
  const [code] = await once(child, 'exit').catch(() => [1]);
  return code === 0;
}

const NAMESPACES = {
  'another PID namespace': ['--pid', '--fork', '--mount-proc', '--kill-child'],
  'another container (PID, network, IPC and mount namespaces)': [
    '--pid',
    '--net',
    '--ipc',
    '--uts',
    '--fork',
    '--mount-proc',
    '--kill-child',
  ],
};

/** Attaches in a new user namespace, where this user is root, and in other new namespaces. */
function attachApart(folder: string, namespaces: readonly string[]) {
  const command = ['--input-type=module', '-e', ATTACH, folder];
  // a new network namespace has no loopback before it is up
  const loopback = 'ip link set lo up 2>/dev/null; exec "$@"';
  const child = spawn('unshare', [...namespaces, 'sh', '-c', loopback, 'sh', process.execPath, ...command], {
    cwd: '/',
    stdio: 'pipe',
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, line: lines.next().then(({ value }) => String(value)), said: text(child.stderr) };
}

const mayUnshare = () =>
  promisify(execFile)('unshare', ['--pid', '--net', '--fork', '--mount-proc', 'true']).then(
    () => true,
    () => false,
  );

for (const [name, namespaces] of Object.entries(NAMESPACES)) {
  test(`a folder in use is refused from ${name}, and free after a crash`, async (t) => {
    if (!(await mayUnshare())) {
      t.log('SKIPPED: this user may not open namespaces');
      return t.pass();
    }
    const folder = await temporaryFolder(t);
    const first = await startLocalPostgres(folder);
    const refused = attachApart(folder, namespaces);
    t.regex(await refused.said, /is in use by a Postgres that this process cannot see.*PLATFORM_DATA.*DATABASE_URL/);
    const { rows } = await query(first.url, 'select 1 as one');
    t.deepEqual(rows, [{ one: 1 }], 'the server goes on');
    await first.stop();

    // from there, and killed with all that runs there
    const there = attachApart(folder, namespaces);
    t.regex(await there.line, /^postgres:/);
    await t.throwsAsync(startLocalPostgres(folder), { message: /cannot see/ });
    there.child.kill('SIGKILL');
    await once(there.child, 'exit');
    const after = await startLocalPostgres(folder);
    t.deepEqual((await query(after.url, 'select 1 as one')).rows, [{ one: 1 }]);
    await after.stop();
  });
}

test('a folder that is in use on another machine is refused until all processes there have detached', async (t) => {
  const folder = await temporaryFolder(t);
  const { child, nextLine } = attach(folder);
  await nextLine();
  const pid = Number((await readFile(join(folder, 'cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
  // the server is on another machine: neither its process nor its socket is here; the child must not see it end
  child.kill('SIGSTOP');
  process.kill(pid, 'SIGKILL');
  await writeFile(join(folder, 'host'), 'other 1b4e28ba-2fa1-11d2-883f-0016d3cca427\n');
  await t.throwsAsync(startLocalPostgres(folder), { message: /in use by a platform on another machine \(other\)/ });
  child.kill('SIGKILL');
  await once(child, 'exit');
  await rm(pidFile(folder));
  const after = await startLocalPostgres(folder);
  t.true(await after.stopIfIdle());
});

test('a server that was not stopped on another machine is told to end before one is started here', async (t) => {
  const folder = await temporaryFolder(t);
  const first = attach(folder);
  await first.nextLine();
  const pid = await serverPid(folder);
  for (const each of [first.child.pid!, pid]) process.kill(each, 'SIGKILL');
  await writeFile(join(folder, 'host'), 'other 1b4e28ba-2fa1-11d2-883f-0016d3cca427\n');
  // the second one after the first one was killed while it waited
  for (let starts = 0; starts < 2; starts++) {
    const { child } = attach(folder);
    while ((await readFile(pidFile(folder), 'utf8')) !== '0\n') await sleep(20);
    child.kill('SIGKILL');
    await once(child, 'exit');
    t.is(await readFile(join(folder, 'host'), 'utf8'), 'other 1b4e28ba-2fa1-11d2-883f-0016d3cca427\n');
    if (starts === 0) await writeFile(pidFile(folder), `${pid}\n`);
  }
  // the same machine, which was started anew
  await writeFile(join(folder, 'host'), `${hostname()} 1b4e28ba-2fa1-11d2-883f-0016d3cca427\n`);
  const after = await startLocalPostgres(folder);
  t.true(await after.stopIfIdle());
});

test('a lock of the folder holds while its process tries to lock it again, and ends with its process', async (t) => {
  const folder = await temporaryFolder(t);
  const release = await lockFile(folder, 'lock', 'exclusive');
  t.is(await lockFile(folder, 'lock', 'exclusive'), undefined);
  t.is(await lockElsewhere(folder), 'undefined');
  release!();
  const held = spawn(process.execPath, ['--input-type=module', '-e', LOCK, folder, 'stay'], { cwd: '/' });
  const lines = createInterface(held.stdout)[Symbol.asyncIterator]();
  t.is((await lines.next()).value, 'function');
  t.is(await lockFile(folder, 'lock', 'exclusive'), undefined);
  held.kill('SIGKILL');
  await once(held, 'exit');
  t.is(await lockElsewhere(folder), 'function');
});

const LOCK = `
  import { lockFile } from ${JSON.stringify(fileURLToPath(new URL('../../src/platform/postgres/folder-lock.ts', import.meta.url)))};
  const [, folder, stay] = process.argv;
  console.log(typeof (await lockFile(folder, 'lock', 'exclusive')));
  if (stay) setInterval(() => {}, 1e6);
`;

async function lockElsewhere(folder: string): Promise<string> {
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', LOCK, folder], { cwd: '/' });
  return (await run).stdout.trim();
}

async function query(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
