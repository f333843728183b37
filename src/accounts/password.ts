import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { ThreadPool } from 'hydrofiles/threads';
import { AppError } from '../errors.ts';
import { rateLimitKey } from '../platform/net/networks.ts';
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
export class Passwords {
  /** Neither the event loop nor libuv's thread pool (files, DNS) is blocked. */
  readonly #threads = new ThreadPool<readonly Derivation[], Uint8Array>(new URL('./hash-thread.ts', import.meta.url), {
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    maxWaitingOfKey: MAX_WAITING_PER_CLIENT,
    refusal: tooManyPasswords,
  });
  readonly #current: Pick<Derivation, 'iterations' | 'digest' | 'length'>;
  readonly #decoy: Stored;

  /** @param iterations cost of new hashes; smaller in tests. Stored hashes are verified with their own cost. */
  constructor(iterations = ITERATIONS) {
    this.#current = { iterations, digest: 'sha512', length: HASH_BYTES };
    this.#decoy = { ...this.#current, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  }

  /** The hash to store. Contains algorithm, cost and salt. */
  async hash(password: string, address: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await this.#derive(address, { password, salt, ...this.#current });
    return `pbkdf2-sha512$${this.#current.iterations}$${salt.toString('base64')}$${hash.toString('base64')}`;
  }

  /** Whether the password matches a stored hash. Without a hash, returns false after the same time. */
  async matches(password: string, stored: string | undefined, address: string): Promise<boolean> {
    const known = stored === undefined || stored === NO_PASSWORD ? this.#decoy : parse(stored);
    const { iterations, digest } = this.#current;
    const isCurrent = known.iterations === iterations && known.digest === digest;
    // a legacy hash is verified faster; without this, the time would reveal that the account exists
    const decoys = isCurrent ? [] : [{ password, salt: this.#decoy.salt, ...this.#current }];
    const derived = await this.#derive(address, ...decoys, { password, ...known });
    return timingSafeEqual(derived, known.hash) && known !== this.#decoy;
  }

  /** A deterministic hash of a secret that may contain a password. As expensive to attack as a password hash. */
  fingerprint(secret: Buffer, salt: string, address: string): Promise<Buffer> {
    return this.#derive(address, { ...this.#current, password: secret.toString('base64'), salt: Buffer.from(salt) });
  }

  /** Whether a stored hash should be replaced: it has the legacy format or a lower cost than new hashes. */
  isOutdated(stored: string): boolean {
    const { digest, iterations } = parse(stored);
    return digest === 'sha1' || (digest === this.#current.digest && iterations < this.#current.iterations);
  }

  /** Derives all keys, and returns the last. */
  async #derive(address: string, ...work: Derivation[]): Promise<Buffer> {
    return Buffer.from(await this.#threads.run({ key: rateLimitKey(address) }, work));
  }
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
