import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { audit } from '../audit.ts';
import type { Database, Transaction } from '../db.ts';
import { AppError } from '../errors.ts';
import { AccountFileError, accountFileText, type FileEntry, parseAccountFile } from './account-file.ts';
import {
  deleteOthers,
  findDuplicateIds,
  findFileState,
  listEntries,
  lockFile,
  putEntries,
  storeCopiedHash,
  storePending,
} from './file-store.queries.ts';
import { canAdministratorSignIn } from './login.queries.ts';
import type { AccountStore } from './store.ts';

type Log = Record<'warn' | 'error', (details: object, message: string) => void>;

/** Maximum time until a change by hand is seen if no request calls `refresh`. */
const POLL_MS = 1000;
const MAX_BYTES = 100 * 2 ** 20;

/** `written`: set at the commit, resolves when the file was written, or could not be. */
interface AfterCommit {
  written?: Promise<void>;
}

/**
 * Accounts in a JSON file, for small installations and those without a network. The file is authoritative; the table is
 * its copy, and is updated when the file is changed by hand or by another process. While the file is malformed, the
 * copy stays in use and changes are refused. A change is committed with the new text of the file, which is written
 * after the commit: by the next change or start, if this process ends before.
 */
export class FileStore implements AccountStore {
  readonly #path: string;
  readonly #db: Database;
  readonly #log: Log;
  /** Version of the file that the table is a copy of, and of a malformed file. */
  #copiedVersion = '';
  #malformedVersion: string | undefined;
  /** Whether a committed change may not be in the file yet. */
  #isBehind = false;
  /** The refresh that is bringing the file up to date. */
  #catchingUp: Promise<void> | undefined;
  /** Looks at the file that no request waits for, until they end; `close` does. */
  readonly #running = new Set<Promise<void>>();
  #polling: NodeJS.Timeout | undefined;

  private constructor(path: string, db: Database, log: Log) {
    this.#path = path;
    this.#db = db;
    this.#log = log;
  }

  /** Throws if the file is malformed. */
  static async open(path: string, db: Database, log: Log): Promise<FileStore> {
    const store = new FileStore(path, db, log);
    const after: AfterCommit = {};
    await db.transaction(async (tx) => {
      await store.#copyIn(tx, after).catch((error) => {
        throw error instanceof AccountFileError ? new Error(`${path}: ${error.message}`) : error;
      });
      await store.#copyOut(tx, after);
    });
    await after.written;
    store.#polling = setInterval(() => store.#poll(), POLL_MS).unref();
    return store;
  }

  async refresh(): Promise<void> {
    const version = await readVersion(this.#path);
    const isKnown = version === undefined || version === this.#copiedVersion || version === this.#malformedVersion;
    // a change is answered when the file contains it, whichever process writes; the refreshing one reports a failure
    if (isKnown && !this.#isBehind) return this.#catchingUp?.catch(() => {});
    const wasBehind = this.#isBehind;
    this.#isBehind = false;
    const copied = this.#copy(version, wasBehind);
    if (!wasBehind) return copied;
    this.#catchingUp = copied;
    try {
      await copied;
    } finally {
      if (this.#catchingUp === copied) this.#catchingUp = undefined;
    }
  }

  async change<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const after: AfterCommit = {};
    try {
      const result = await this.#db.transaction(async (tx) => {
        await this.#copyIn(tx, after);
        const version = await readVersion(this.#path);
        const result = await work(tx);
        // do not overwrite a concurrent change by hand
        if ((await readVersion(this.#path)) !== version)
          throw new AppError('unavailable', 'The account file was just changed by hand. Try again.', { retryAfter: 1 });
        await this.#copyOut(tx, after);
        return result;
      });
      // undefined within the transaction of an Idempotency-Key: that one holds the lock, so it must not wait for writes
      // of others
      await after.written;
      return result;
    } catch (error) {
      if (!(error instanceof AccountFileError)) throw error;
      this.#log.error({ path: this.#path, reason: error.message }, 'the account file is malformed; refused a change');
      throw new AppError('unavailable', `The account file is malformed. Correct it first. ${error.message}`, {
        code: 'AccountFileNotUnderstood',
        retryAfter: 60,
      });
    }
  }

  async close() {
    clearInterval(this.#polling);
    await Promise.all(this.#running);
  }

  async #copy(version: string | undefined, wasBehind: boolean): Promise<void> {
    const after: AfterCommit = {};
    try {
      await this.#db.transaction((tx) => this.#copyIn(tx, after));
      await after.written;
      this.#copiedVersion = version ?? '';
      this.#malformedVersion = undefined;
    } catch (error) {
      this.#isBehind ||= wasBehind;
      if (!(error instanceof AccountFileError)) throw error;
      this.#malformedVersion = version;
      this.#log.error(
        { path: this.#path, reason: error.message },
        'the account file is malformed; the previous accounts stay in use',
      );
    }
  }

  /** `refresh`, for which `close` waits. Resolves at its end, also after an error. */
  #refreshing(failed: (error: unknown) => void): Promise<void> {
    const refreshed = this.refresh()
      .catch(failed)
      .finally(() => this.#running.delete(refreshed));
    this.#running.add(refreshed);
    return refreshed;
  }

  /** Copies the file to the table, after writing committed changes to the file. Locks both until `tx` ends. */
  async #copyIn(tx: Transaction, after: AfterCommit): Promise<void> {
    await lockFile(tx);
    const text = await read(this.#path);
    const sha256 = text === undefined ? undefined : hashText(text);
    const known = await findFileState(tx);
    if (known?.pending !== undefined) {
      const isOld = sha256 === undefined || isSame(sha256, known.replaces);
      if (isOld) await write(this.#path, known.pending);
      if (isOld || isSame(sha256, known.sha256)) return void (await storeCopiedHash(tx, known.sha256));
      this.#log.warn(
        { path: this.#path },
        'the account file was changed by hand before a committed change was in it: that is lost',
      );
    }
    if (text === undefined || sha256 === undefined || isSame(sha256, known?.sha256)) return;
    const { entries, lines } = parseAccountFile(text);
    await refuseDuplicateIds(tx, entries, lines);
    const before = await canAdministratorSignIn(tx);
    await deleteOthers(tx, entries);
    await putEntries(tx, entries);
    if (before && !(await canAdministratorSignIn(tx)))
      throw new AccountFileError('Line 1: no account of the file is an administrator who can sign in.');
    await storeCopiedHash(tx, sha256);
    await audit(tx, { action: 'account.file.read', subject: 'accounts', details: { accounts: entries.length } });
    // adds the user ids that were generated
    if (entries.some(({ userId }) => userId === undefined)) await this.#copyOut(tx, after);
  }

  /** Copies the table to the file, after the commit. */
  async #copyOut(tx: Transaction, after: AfterCommit): Promise<void> {
    const text = accountFileText([...(await listEntries(tx))]);
    const sha256 = hashText(text);
    const known = await findFileState(tx);
    if (isSame(sha256, known?.sha256)) return;
    // of two texts in one transaction only the last one is written
    const replaces = known?.pending === undefined ? known?.sha256 : known.replaces;
    await storePending(tx, { sha256, text, replaces });
    tx.afterCommit(() => {
      this.#isBehind = true;
      after.written = this.#refreshing((error) => {
        this.#log.error({ path: this.#path, err: error }, 'the account file could not be written; it is tried again');
      });
    });
  }

  #poll() {
    if (this.#running.size > 0) return;
    void this.#refreshing((error) => this.#log.warn({ err: error }, 'the account file could not be read'));
  }
}

async function refuseDuplicateIds(tx: Transaction, entries: readonly FileEntry[], lines: readonly number[]) {
  const ids = entries.map(({ id }) => id);
  const duplicate = await findDuplicateIds(tx, ids);
  if (!duplicate) return;
  const { first, second } = duplicate;
  throw new AccountFileError(`Line ${lines[second]}: line ${lines[first]} has the same id ${ids[second]}.`);
}

const isSame = (one: Buffer | undefined, other: Buffer | undefined) =>
  one === undefined || other === undefined ? one === other : one.equals(other);

const hashText = (text: string) => createHash('sha256').update(text).digest();

/** A text that changes whenever the file changes; undefined if there is no file. */
async function readVersion(path: string): Promise<string | undefined> {
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
    await writeFile(part, text, { flag: 'wx', mode: 0o600, flush: true });
    await rename(part, path);
    const folder = await open(dirname(path));
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
