import { randomBytes } from 'node:crypto';
import type { Db } from '../../db.ts';
import { currentKey } from './current-key.ts';
import type { KeyRow, KeyUse } from './signing-keys.queries.ts';
import { findKey } from './signing-keys.queries.ts';

/** How long a process may go on using a key that was retired elsewhere. */
const KEEP_MS = 60_000;

export interface Secret {
  /** The key's name. */
  kid: string;
  /** 256 bits. */
  secret: Buffer;
}

/** The symmetric keys of one use, kept in memory. */
export interface Secrets {
  /** The current key; reads it again when it was read more than a minute ago. */
  current(): Promise<Secret>;
  /** The same without waiting: it is read again for later calls. Inside a transaction the caller holds a connection and must not wait for another. */
  currentNow(): Secret;
  /** A key of this use by its name, also a retired one. */
  find(kid: string): Promise<Buffer | undefined>;
}

/** Makes the first key. Call it at start and not inside a transaction: a key that is rolled back must not stay in memory. */
export async function openSecrets(db: Db, use: Exclude<KeyUse, 'token'>): Promise<Secrets> {
  const found = new Map<string, Buffer>();
  const remember = ({ kid, material: { secret } }: KeyRow): Secret => {
    if (typeof secret !== 'string') throw new Error(`Key ${kid} holds no secret.`);
    const bytes = Buffer.from(secret, 'base64');
    found.set(kid, bytes);
    return { kid, secret: bytes };
  };
  const read = async () => ({
    key: remember(await currentKey(db, use, () => ({ secret: randomBytes(32).toString('base64') }))),
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
      // After an outage the next call tries again; until then the known key still works.
      if (isOld()) readAgain().catch(() => {});
      return latest.key;
    },
    async find(kid) {
      const known = found.get(kid);
      if (known) return known;
      const row = await findKey(db, use, kid);
      return row ? remember(row).secret : undefined;
    },
  };
}
