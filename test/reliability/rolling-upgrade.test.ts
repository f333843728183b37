/** An upgrade, process by process, of a platform that works meanwhile. Needs the history of git; see `CRASH_FROM`. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { startLocalPostgres } from '../../src/platform/postgres/local-postgres.ts';
import { dataFolder } from '../world/database.ts';
import { type ServerProcess, startServer } from '../world/server.ts';
import { environmentOf, startOnce, startWorker } from '../world/worker.ts';
import { PASSWORD } from '../world.ts';
import { clientOf } from './campaign/client.ts';
import { grid } from './campaign/kinds.ts';
import { FROM, LONG } from './flags.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 30 });
/** Transfers that end in each state of the upgrade, before the next one begins. */
const ENDED = 12;
const OPEN = 4;
const SETTINGS = { 'worker.memory': '4096', 'tokens.accessLifetime': '1d' };

/** The files of a commit in a folder, with the packages of the present version. */
async function checkOut(t: ExecutionContext, commit: string): Promise<string> {
  const folder = await dataFolder('platform-older');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) });
  const packages = join(folder, 'node_modules');
  await mkdir(join(packages, '@data-platform'), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules')))
    if (!['@data-platform', 'hydrofiles', '.cache'].includes(name))
      await symlink(join(root, 'node_modules', name), join(packages, name));
  await symlink(join(folder, 'src/files'), join(packages, 'hydrofiles'));
  await symlink(join(folder, 'src/web'), join(packages, '@data-platform/web'));
  return join(folder, 'bin/platform');
}

/** The commit before the one that brought the last migration. */
function beforeLastMigration(): string {
  const [last] = git('log', '--format=%H', '--diff-filter=A', '-1', '--', 'sql/migrations').toString().split('\n');
  return `${last}^`;
}

(LONG ? test : test.skip)('an upgrade process by process fails no request and no transfer', async (t) => {
  const folder = await dataFolder('platform-upgrade');
  const postgres = await startLocalPostgres(join(folder, 'postgres'), { settings: { fsync: 'off' } });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
  const stops: (() => Promise<unknown>)[] = [() => pool.end(), () => postgres.stop()];
  try {
    const now = { url: postgres.url, folder };
    const before = { ...now, program: await checkOut(t, FROM ?? beforeLastMigration()) };
    const done = async (place: typeof now, ...argv: string[]) => {
      const { code, out, err } = await startOnce(place, argv, SETTINGS).ended;
      t.is(code, 0, err);
      return out;
    };
    await done(before, 'migrate');
    execFileSync(process.execPath, [before.program, 'admin', 'bootstrap', '--id', 'root', '--password-stdin'], {
      input: PASSWORD,
      env: environmentOf(before, SETTINGS),
    });
    const servers: ServerProcess[] = [];
    const serve = async (place: typeof now) => void servers.push(await startServer(place, SETTINGS));
    const work = async (place: typeof now) => {
      const worker = await startWorker(place, { ...SETTINGS, 'worker.concurrency': '2' });
      stops.unshift(worker.stop);
      return worker;
    };
    await serve(before);
    await serve(before);
    stops.unshift(() => Promise.all(servers.map((server) => server.stop())));
    const old = [await work(before), await work(before)];

    let turn = 0;
    const login = { token: '' };
    const client = clientOf({
      get address() {
        return servers[turn++ % servers.length]!.url;
      },
      get token() {
        return login.token;
      },
    });
    const tokens = await client.post('/api/tokens', { id: 'root', password: PASSWORD }, randomUUID());
    login.token = tokens.body.accessToken.token;
    const { body: project } = await client.post('/api/metadata/project', { name: 'River' }, randomUUID());
    const { body: place } = await client.get('/api/conversion/transfer/upload-url');
    await client.put(place.data, Buffer.from(grid(300)));
    const submit = () =>
      client.post(
        '/api/conversion/upload-convert',
        {
          projectId: project.id,
          originalFileName: 'terrain.asc',
          uploadUrl: place.data,
          outputDatasetData: { name: 'terrain' },
          readerName: 'AsciiGridReader',
          writerName: 'GeoTiffWriter',
        },
        randomUUID(),
      );
    const count = async (where: string) =>
      Number((await pool.query(`select count(*) from transfers where ${where}`)).rows[0].count);
    const refused: unknown[] = [];
    /** Lets transfers run, and lists, until some have ended. */
    const continueWorking = async () => {
      for (
        const goal = (await count(`status <> 'Queued'`)) + ENDED;
        (await count('finished_at is not null')) < goal;
      ) {
        if ((await count('finished_at is null')) < OPEN) {
          const { status, body } = await submit();
          if (status !== 200) refused.push(body);
        }
        const { status, body } = await client.get(`/api/metadata/project/${project.id}/dataset/list`);
        if (status !== 200) refused.push(body);
        await sleep(50);
      }
    };

    await continueWorking();
    const [migrated] = await Promise.all([done(now, 'migrate'), continueWorking()]);
    t.regex(migrated, /^Applied /);
    await continueWorking();
    await serve(now);
    const worker = await work(now);
    await continueWorking();
    for (const each of old) {
      const server = servers.shift()!;
      // whoever sends requests to it knows
      await sleep(1000);
      await Promise.all([server.stop(), each.stop()]);
      t.deepEqual(
        [await server.ended, await each.ended],
        [
          [0, null],
          [0, null],
        ],
        server.output() + each.output(),
      );
      await continueWorking();
    }
    while ((await count('finished_at is null')) > 0) await sleep(100);
    t.deepEqual(refused, []);
    t.deepEqual([...client.troubles], []);
    t.is(await count(`status <> 'Completed' or attempt - handed_back <> 1`), 0);
    t.regex(await done(now, 'integrity'), /No rule is violated/);
    t.is(worker.process.exitCode, null);
  } finally {
    for (const stop of stops) await stop();
    await rm(folder, { recursive: true, force: true });
  }
});
