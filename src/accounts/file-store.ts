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
  findCopiedHash,
  findDuplicateIds,
  listEntries,
  lockFile,
  putEntries,
  storeCopiedHash,
} from './file-store.queries.ts';
import { canAdministratorSignIn } from './login.queries.ts';
import type { AccountStore } from './store.ts';

type Log = Record<'warn' | 'error', (details: object, message: string) => void>;

/** Maximum time until a change by hand is seen if no request calls `refresh`. */
const POLL_MS = 1000;
const MAX_BYTES = 100 * 2 ** 20;

/**
 * Accounts in a JSON file, for small installations and those without a network. The file is authoritative; the table is
 * its copy, and is updated when the file is changed by hand or by another process. While the file is malformed, the
 * copy stays in use and changes are refused. Throws if the file is malformed when the store is opened.
 */
export async function openFileStore(path: string, db: Db, log: Log): Promise<AccountStore> {
  /** Version of the file that the table is a copy of, and of a malformed file. */
  let copiedVersion = '';
  let malformedVersion: string | undefined;

  async function refresh(): Promise<void> {
    const version = await versionOf(path);
    if (version === undefined || version === copiedVersion || version === malformedVersion) return;
    try {
      await db.transaction((tx) => copyIn(tx));
      copiedVersion = version;
      malformedVersion = undefined;
    } catch (error) {
      if (!(error instanceof AccountFileError)) throw error;
      malformedVersion = version;
      log.error({ path, reason: error.message }, 'the account file is malformed; the previous accounts stay in use');
    }
  }

  /** Copies the file to the table. Locks both until `tx` ends. */
  async function copyIn(tx: Db): Promise<void> {
    await lockFile(tx);
    const text = await read(path);
    if (text === undefined) return;
    const sha256 = hashOf(text);
    if ((await findCopiedHash(tx))?.equals(sha256)) return;
    const { entries, lines } = parseAccountFile(text);
    await refuseDuplicateIds(tx, entries, lines);
    const before = await canAdministratorSignIn(tx);
    await deleteOthers(tx, entries);
    await putEntries(tx, entries);
    if (before && !(await canAdministratorSignIn(tx)))
      throw new AccountFileError('Line 1: no account of the file is an administrator who can sign in.');
    await storeCopiedHash(tx, sha256);
    await record(tx, { action: 'account.file.read', subject: 'accounts', details: { accounts: entries.length } });
    // adds the user ids that were generated
    if (entries.some(({ userId }) => userId === undefined)) await copyOut(tx);
  }

  async function copyOut(tx: Db): Promise<void> {
    const text = accountFileText([...(await listEntries(tx))]);
    const sha256 = hashOf(text);
    if ((await findCopiedHash(tx))?.equals(sha256)) return;
    await storeCopiedHash(tx, sha256);
    await write(path, text);
  }

  async function change<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    try {
      return await db.transaction(async (tx) => {
        await copyIn(tx);
        const version = await versionOf(path);
        const result = await work(tx);
        // do not overwrite a concurrent change by hand
        if ((await versionOf(path)) !== version)
          throw new AppError('unavailable', 'The account file was just changed by hand. Try again.', { retryAfter: 1 });
        await copyOut(tx);
        return result;
      });
    } catch (error) {
      if (!(error instanceof AccountFileError)) throw error;
      log.error({ path, reason: error.message }, 'the account file is malformed; refused a change');
      throw new AppError('unavailable', `The account file is malformed. Correct it first. ${error.message}`, {
        code: 'AccountFileNotUnderstood',
        retryAfter: 60,
      });
    }
  }

  await db.transaction(async (tx) => {
    await copyIn(tx).catch((error) => {
      throw error instanceof AccountFileError ? new Error(`${path}: ${error.message}`) : error;
    });
    await copyOut(tx);
  });
  const polling = setInterval(() => {
    refresh().catch((error) => log.warn({ err: error }, 'the account file could not be read'));
  }, POLL_MS);
  polling.unref();
  return { refresh, change, close: () => clearInterval(polling) };
}

async function refuseDuplicateIds(tx: Db, entries: readonly FileEntry[], lines: readonly number[]) {
  const ids = entries.map(({ id }) => id);
  const duplicate = await findDuplicateIds(tx, ids);
  if (!duplicate) return;
  const { first, second } = duplicate;
  throw new AccountFileError(`Line ${lines[second]}: line ${lines[first]} has the same id ${ids[second]}.`);
}

const hashOf = (text: string) => createHash('sha256').update(text).digest();

/** A text that changes whenever the file changes; undefined if there is no file. */
async function versionOf(path: string): Promise<string | undefined> {
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
    if (size > MAX_BYTES) throw new AccountFileError(`The file has ${size} bytes. The maximum is ${MAX_BYTES}.`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the file atomically and durably. */
async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${randomUUID()}.part`;
  try {
    // contains password hashes
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
