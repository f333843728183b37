import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { clientOf } from '../platform/net/networks.ts';
import { fairQueue } from './fair-queue.ts';
import type { Derivation } from './hash-threads.ts';
import { hashThreads } from './hash-threads.ts';

/** PBKDF2-HMAC-SHA-512, above OWASP's 210,000; about 60 ms of one core. */
const ITERATIONS = 220_000;
const SALT_BYTES = 16;
const HASH_BYTES = 64;
/** A core stays free for requests and for the database. */
const AT_ONCE = Math.max(1, Math.min(4, availableParallelism() - 1));
/** Four seconds of work: who waits longer has gone. Others do not wait for it, for clients take turns. */
const MOST_WAITING_EACH = 64;
const MOST_WAITING = 4 * MOST_WAITING_EACH;

/** What stands in the place of a hash where no password is right. */
export const NO_PASSWORD = '!';

/** Hashes and checks passwords on a queue of its own, so that a flood of logins leaves the rest of the server alone. */
export interface Passwords {
  /** The text to store: it says its method, cost and salt itself. `address`: of the client on whose behalf; clients take turns. */
  hash(password: string, address: string): Promise<string>;
  /** Whether this is the password of a stored hash. Without a hash it takes as long as with one, and is false. */
  matches(password: string, stored: string | undefined, address: string): Promise<boolean>;
  /** Tells again what holds a password, and is as costly to guess from as the password's own hash. */
  fingerprint(secret: Buffer, salt: string, address: string): Promise<Buffer>;
  /** Whether a stored hash should be made anew while its password is at hand: it has an older form, or costs less than one made now. */
  isOutdated(stored: string): boolean;
}

/** `iterations` is for tests, which cannot wait; what is stored is always checked at the cost that it names. */
export function openPasswords(iterations = ITERATIONS): Passwords {
  const queue = fairQueue({ atOnce: AT_ONCE, most: MOST_WAITING, mostEach: MOST_WAITING_EACH });
  const derive = hashThreads();
  const usual = { iterations, digest: 'sha512', length: HASH_BYTES } as const;
  const decoy: Stored = { ...usual, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  const isUsual = (stored: Stored) => stored.iterations === iterations && stored.digest === usual.digest;
  const from = (address: string) => clientOf(address);
  return {
    async hash(password, address) {
      const salt = randomBytes(SALT_BYTES);
      const hash = await queue(from(address), () => derive({ password, salt, ...usual }));
      return `pbkdf2-sha512$${iterations}$${salt.toString('base64')}$${hash.toString('base64')}`;
    },
    async matches(password, stored, address) {
      const known = stored === undefined || stored === NO_PASSWORD ? decoy : parse(stored);
      const derived = await queue(from(address), async () => {
        // an older hash is checked in less time, which must not tell that there is one
        if (!isUsual(known)) await derive({ password, salt: decoy.salt, ...usual });
        return derive({ password, ...known });
      });
      return timingSafeEqual(derived, known.hash) && known !== decoy;
    },
    fingerprint: (secret, salt, address) =>
      queue(from(address), () => derive({ ...usual, password: secret.toString('base64'), salt: Buffer.from(salt) })),
    isOutdated: (stored) => {
      const { digest, iterations: spent } = parse(stored);
      return digest === 'sha1' || (digest === usual.digest && spent < iterations);
    },
  };
}

interface Stored extends Omit<Derivation, 'password'> {
  hash: Buffer;
}

const LEGACY_BYTES = 36;
const SELF_DESCRIBING = /^pbkdf2-(sha256|sha512)\$([1-9]\d{0,8})\$([A-Za-z\d+/]+=*)\$([A-Za-z\d+/]+=*)$/;

/** Whether a text is a hash that can be checked, or stands for none. */
export const isPasswordHash = (text: string) => text === NO_PASSWORD || read(text) !== undefined;

function parse(stored: string): Stored {
  const known = read(stored);
  if (!known) throw new Error('A stored password hash has a form that is not known.');
  return known;
}

/** Ours, or the older form: base64 of a salt of 16 bytes and 20 bytes of PBKDF2-HMAC-SHA-1 at 10,000 iterations. */
function read(stored: string): Stored | undefined {
  const [, digest, iterations, salt, hash] = SELF_DESCRIBING.exec(stored) ?? [];
  if (digest && iterations && salt && hash) {
    const bytes = Buffer.from(hash, 'base64');
    const known = { iterations: Number(iterations), salt: Buffer.from(salt, 'base64'), hash: bytes };
    return { ...known, digest: digest as 'sha256' | 'sha512', length: bytes.length };
  }
  if (!/^[A-Za-z\d+/]{48}$/.test(stored)) return undefined;
  const bytes = Buffer.from(stored, 'base64');
  if (bytes.length !== LEGACY_BYTES) return undefined;
  const [salted, rest] = [bytes.subarray(0, SALT_BYTES), bytes.subarray(SALT_BYTES)];
  return { digest: 'sha1', iterations: 10_000, salt: salted, hash: rest, length: rest.length };
}
