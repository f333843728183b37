import { randomBytes } from 'node:crypto';
import type { Database, Reads } from '../../db.ts';
import type { KeyRow, KeyStore } from './key-store.ts';
import type { KeyUse } from './signing-keys.queries.ts';

/** Maximum time that a process uses a key after another process has retired it. */
const KEEP_MS = 60_000;

export interface Secret {
  /** Key id. */
  kid: string;
  /** 256 bits. */
  secret: Buffer;
}

/** The symmetric keys of one use, cached in memory. */
export interface Secrets {
  /** The current key, at most a minute old. */
  current(): Promise<Secret>;
  /**
   * The cached current key; reloads it in the background if it is older than a minute. For use inside transactions:
   * their callers hold a connection and must not wait for another.
   */
  currentNow(): Secret;
  /** A key by its id, also a retired one. */
  find(kid: string, tx?: Reads): Promise<Buffer | undefined>;
}

/**
 * Creates the first key. Call it at start and outside of transactions: after a rollback, the memory would contain a key
 * that does not exist.
 */
export async function openSecrets(db: Database, keys: KeyStore, use: Exclude<KeyUse, 'token'>): Promise<Secrets> {
  const found = new Map<string, Buffer>();
  const remember = ({ kid, material: { secret } }: KeyRow): Secret => {
    if (typeof secret !== 'string') throw new Error(`Key ${kid} contains no secret.`);
    const bytes = Buffer.from(secret, 'base64');
    found.set(kid, bytes);
    return { kid, secret: bytes };
  };
  const read = async () => ({
    key: remember(await keys.current(db, use, () => ({ secret: randomBytes(32).toString('base64') }))),
    at: performance.now(),
  });

  let latest = await read();
  let reading: Promise<void> | undefined;
  const readAgain = () => {
    reading ??= read()
      .then((key) => {
        latest = key;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const isOld = () => performance.now() - latest.at > KEEP_MS;

  return {
    async current() {
      if (isOld()) await readAgain();
      return latest.key;
    },
    currentNow() {
      // a failed reload is repeated by the next call; until then the cached key is used
      if (isOld()) readAgain().catch(() => {});
      return latest.key;
    },
    async find(kid, tx: Reads = db) {
      const known = found.get(kid);
      if (known) return known;
      const row = await keys.find(tx, use, kid);
      return row ? remember(row).secret : undefined;
    },
  };
}
