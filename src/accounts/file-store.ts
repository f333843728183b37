import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { record } from '../audit.ts';
import type { Db } from '../db.ts';
import { AppError } from '../errors.ts';
import type { FileEntry } from './account-file.ts';
import { AccountFileError, accountFileText, parseAccountFile } from './account-file.ts';
import {
  deleteOthers,
  findMirrored,
  findTwins,
  hasAdministratorWho,
  listEntries,
  lockMirror,
  noteMirrored,
  putEntries,
} from './file-store.queries.ts';
import type { AccountStore } from './store.ts';

type Log = Record<'warn' | 'error', (details: object, message: string) => void>;

/** How soon a change by hand is seen where nothing asks for it. */
const LOOK_EVERY_MS = 1000;
const LARGEST = 100 * 2 ** 20;

/**
 * Accounts in a JSON file, for small installations and those without a network. The file is the truth; the table is a copy of it, brought
 * up to date when the file was changed by hand or by another process. A file that is not understood changes nothing: the copy goes on to
 * serve, and nothing is written until the file is mended. Throws at once when it is not understood at the start.
 */
export async function openFileStore(path: string, db: Db, log: Log): Promise<AccountStore> {
  /** Size and time of the file that the table is known to be a copy of, and of one that is not understood. */
  let copied = '';
  let refused: { mark: string; reason: string } | undefined;

  async function settle(): Promise<void> {
    const mark = await markOf(path);
    if (mark === undefined || mark === copied || mark === refused?.mark) return;
    try {
      await db.transaction((tx) => copyIn(tx));
      copied = mark;
      refused = undefined;
    } catch (error) {
      if (!(error instanceof AccountFileError)) throw error;
      refused = { mark, reason: error.message };
      log.error({ path, reason: error.message }, 'the account file is not understood; the accounts stay as they were');
    }
  }

  /** Under the lock that lets one process at a time touch file or copy. */
  async function copyIn(tx: Db): Promise<void> {
    await lockMirror(tx);
    const text = await read(path);
    if (text === undefined) return;
    const sha256 = hashOf(text);
    if ((await findMirrored(tx))?.equals(sha256)) return;
    const { entries, lines } = parseAccountFile(text);
    await refuseTwins(tx, entries, lines);
    const before = await hasAdministratorWho(tx);
    await deleteOthers(tx, entries);
    await putEntries(tx, entries);
    if (before && !(await hasAdministratorWho(tx)))
      throw new AccountFileError('Line 1: no account of the file is an administrator who can sign in.');
    await noteMirrored(tx, sha256);
    await record(tx, { action: 'account.file.read', subject: 'accounts', details: { accounts: entries.length } });
    // accounts that were added by hand get their ids
    if (entries.some(({ userId }) => userId === undefined)) await copyOut(tx);
  }

  async function copyOut(tx: Db): Promise<void> {
    const text = accountFileText([...(await listEntries(tx))]);
    const sha256 = hashOf(text);
    if ((await findMirrored(tx))?.equals(sha256)) return;
    await noteMirrored(tx, sha256);
    await write(path, text);
  }

  async function change<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    try {
      return await db.transaction(async (tx) => {
        await copyIn(tx);
        const mark = await markOf(path);
        const result = await work(tx);
        // somebody who saves at this very moment is not written over
        if ((await markOf(path)) !== mark)
          throw new AppError('unavailable', 'The account file was just changed by hand. Try again.', { retryAfter: 1 });
        await copyOut(tx);
        return result;
      });
    } catch (error) {
      if (!(error instanceof AccountFileError)) throw error;
      log.error({ path, reason: error.message }, 'the account file is not understood; nothing is changed');
      throw new AppError(
        'unavailable',
        `The account file is not understood and must be mended first. ${error.message}`,
        {
          code: 'AccountFileNotUnderstood',
          retryAfter: 60,
        },
      );
    }
  }

  await db.transaction(async (tx) => {
    await copyIn(tx).catch((error) => {
      throw error instanceof AccountFileError ? new Error(`${path}: ${error.message}`) : error;
    });
    await copyOut(tx);
  });
  const looking = setInterval(() => {
    settle().catch((error) => log.warn({ err: error }, 'the account file could not be looked at'));
  }, LOOK_EVERY_MS);
  looking.unref();
  return { settle, change, close: () => clearInterval(looking) };
}

async function refuseTwins(tx: Db, entries: readonly FileEntry[], lines: readonly number[]) {
  const ids = entries.map(({ id }) => id);
  const twins = await findTwins(tx, ids);
  if (!twins) return;
  const { first, second } = twins;
  throw new AccountFileError(`Line ${lines[second]}: the id ${ids[second]} is that of line ${lines[first]}, too.`);
}

const hashOf = (text: string) => createHash('sha256').update(text).digest();

/** Changes whenever the file does; nothing where there is none. */
async function markOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function read(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > LARGEST) throw new AccountFileError(`Line 1: the file has ${size} bytes, more than ${LARGEST}.`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The whole file or the one before, whatever happens meanwhile. */
async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${randomUUID()}.part`;
  try {
    // it holds hashes of passwords
    const file = await open(part, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
    const folder = await open(dirname(path));
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
