import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Env } from './env.ts';
import { NotLoggedIn } from './errors.ts';

const VERSION = 1;

/** A login as it is stored between two runs of the program. */
export interface Login {
  /** Login id of the account, as the person typed it. */
  id: string;
  accessToken: string;
  /** ISO time with `Z`. */
  accessExpires: string;
  refreshToken: string;
}

/**
 * Stores the login at one address. Each address has its own file, so that a token is only ever sent to the server that
 * issued it.
 */
export class LoginFile {
  readonly #url: string;
  readonly #path: string;

  constructor(env: Env, url: string) {
    const home = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
    const name = url.replace('://', '_').replace(/[^A-Za-z0-9.-]+/g, '_');
    this.#url = url;
    this.#path = join(home, 'platform', 'logins', `${name}.json`);
  }

  /** Throws `NotLoggedIn` for a file that this program cannot read. */
  async read(): Promise<Login | undefined> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return text === undefined ? undefined : parse(text, this.#url, this.#path);
  }

  async write(login: Login): Promise<void> {
    const folder = dirname(this.#path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const aside = join(folder, `${randomUUID()}.new`);
    const text = `${JSON.stringify({ version: VERSION, url: this.#url, ...login }, undefined, 2)}\n`;
    await writeFile(aside, text, { flag: 'wx', mode: 0o600, flush: true });
    await rename(aside, this.#path);
  }

  remove(): Promise<void> {
    return rm(this.#path, { force: true });
  }
}

function parse(text: string, url: string, path: string): Login {
  const again = "Run 'platform login' again.";
  let stored: Record<string, unknown>;
  try {
    stored = Object(JSON.parse(text));
  } catch {
    throw new NotLoggedIn(`${path} is damaged. ${again}`);
  }
  if (stored.version !== VERSION) {
    throw new NotLoggedIn(
      `${path} has version ${JSON.stringify(stored.version)}, but this program reads version ${VERSION}. ${again}`,
    );
  }
  const { id, accessToken, accessExpires, refreshToken } = stored;
  const whole = [id, accessToken, accessExpires, refreshToken].every((member) => typeof member === 'string');
  // two addresses may share a file name; never send a token to the other server
  if (!whole || stored.url !== url) throw new NotLoggedIn(`${path} has no login for ${url}. ${again}`);
  return { id, accessToken, accessExpires, refreshToken } as Login;
}
