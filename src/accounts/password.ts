import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { ThreadPool } from 'hydrofiles/threads';
import { AppError } from '../errors.ts';
import { clientOf } from '../platform/net/networks.ts';
import type { Derivation } from './hash-thread.ts';

/** PBKDF2-HMAC-SHA-512, above OWASP's 210,000; about 60 ms of one core. */
const ITERATIONS = 220_000;
const SALT_BYTES = 16;
const HASH_BYTES = 64;
/** Leaves a core for requests and the database. */
const CONCURRENCY = Math.max(1, Math.min(4, availableParallelism() - 1));
/**
 * About eight seconds of work, more than a client has requests in flight, so that its right password is checked
 * whatever else it sends. Other clients do not wait for it, because the queue is fair.
 */
const MAX_WAITING_PER_CLIENT = 128;
const MAX_WAITING = 4 * MAX_WAITING_PER_CLIENT;
const RETRY_AFTER_SECONDS = 3;

/** Stored instead of a hash for accounts without a password. */
export const NO_PASSWORD = '!';

/**
 * Hashes and verifies passwords. A fair queue limits the load of a flood of logins; `address` is the client's, for the
 * queue.
 */
export interface Passwords {
  /** The hash to store. Contains algorithm, cost and salt. */
  hash(password: string, address: string): Promise<string>;
  /** Whether the password matches a stored hash. Without a hash, returns false after the same time. */
  matches(password: string, stored: string | undefined, address: string): Promise<boolean>;
  /** A deterministic hash of a secret that may contain a password. As expensive to attack as a password hash. */
  fingerprint(secret: Buffer, salt: string, address: string): Promise<Buffer>;
  /** Whether a stored hash should be replaced: it has the legacy format or a lower cost than new hashes. */
  isOutdated(stored: string): boolean;
}

/** @param iterations cost of new hashes; smaller in tests. Stored hashes are verified with their own cost. */
export function openPasswords(iterations = ITERATIONS): Passwords {
  // neither the event loop nor libuv's thread pool (files, DNS) is blocked
  const threads = new ThreadPool<readonly Derivation[], Uint8Array>(new URL('./hash-thread.ts', import.meta.url), {
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    maxWaitingOfKey: MAX_WAITING_PER_CLIENT,
    refusal: tooManyPasswords,
  });
  /** Derives all keys, and returns the last. */
  const derive = async (address: string, ...work: Derivation[]): Promise<Buffer> =>
    Buffer.from(await threads.run({ key: clientOf(address) }, work));
  const current = { iterations, digest: 'sha512', length: HASH_BYTES } as const;
  const decoy: Stored = { ...current, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  const isCurrent = (stored: Stored) => stored.iterations === iterations && stored.digest === current.digest;
  return {
    async hash(password, address) {
      const salt = randomBytes(SALT_BYTES);
      const hash = await derive(address, { password, salt, ...current });
      return `pbkdf2-sha512$${iterations}$${salt.toString('base64')}$${hash.toString('base64')}`;
    },
    async matches(password, stored, address) {
      const known = stored === undefined || stored === NO_PASSWORD ? decoy : parse(stored);
      // a legacy hash is verified faster; without this, the time would reveal that the account exists
      const decoys = isCurrent(known) ? [] : [{ password, salt: decoy.salt, ...current }];
      const derived = await derive(address, ...decoys, { password, ...known });
      return timingSafeEqual(derived, known.hash) && known !== decoy;
    },
    fingerprint: (secret, salt, address) =>
      derive(address, { ...current, password: secret.toString('base64'), salt: Buffer.from(salt) }),
    isOutdated: (stored) => {
      const { digest, iterations: cost } = parse(stored);
      return digest === 'sha1' || (digest === current.digest && cost < iterations);
    },
  };
}

const tooManyPasswords = (full: 'key' | 'queue') =>
  full === 'key'
    ? new AppError('tooManyRequests', 'Too many passwords from this address are being checked. Try again later.', {
        retryAfter: RETRY_AFTER_SECONDS,
      })
    : new AppError('unavailable', 'Too many passwords are being checked. Try again later.', {
        retryAfter: RETRY_AFTER_SECONDS,
      });

interface Stored extends Omit<Derivation, 'password'> {
  hash: Buffer;
}

const LEGACY_BYTES = 36;
const SELF_DESCRIBING = /^pbkdf2-(sha256|sha512)\$([1-9]\d{0,8})\$([A-Za-z\d+/]+=*)\$([A-Za-z\d+/]+=*)$/;

/** Whether the text is a supported hash or `NO_PASSWORD`. */
export const isPasswordHash = (text: string) => text === NO_PASSWORD || read(text) !== undefined;

function parse(stored: string): Stored {
  const known = read(stored);
  if (!known) throw new Error('A stored password hash has an unknown format.');
  return known;
}

/**
 * Reads our format, or the legacy format: base64 of a 16-byte salt and 20 bytes of PBKDF2-HMAC-SHA-1 with 10,000
 * iterations.
 */
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
