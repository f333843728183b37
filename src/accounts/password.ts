import { pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { AppError } from '../errors.ts';

const derive = promisify(pbkdf2);

/** PBKDF2-HMAC-SHA-512, above OWASP's 210,000; about 60 ms of one core. */
const ITERATIONS = 220_000;
const SALT_BYTES = 16;
const HASH_BYTES = 64;
/** libuv has four threads; files and names need the others. */
const AT_ONCE = 2;
/** About two seconds of work: who waits longer has gone. */
const MOST_WAITING = 64;

/** Hashes and checks passwords on a queue of its own, so that a flood of logins leaves the rest of the server alone. */
export interface Passwords {
  /** The text to store: it says its method, cost and salt itself. */
  hash(password: string): Promise<string>;
  /** Whether this is the password of a stored hash. Without a hash it takes as long as with one, and is false. */
  matches(password: string, stored: string | undefined): Promise<boolean>;
}

/** `iterations` is for tests, which cannot wait; what is stored is always checked at the cost that it names. */
export function openPasswords(iterations = ITERATIONS): Passwords {
  const queue = boundedQueue(AT_ONCE, MOST_WAITING);
  const decoy: Stored = { iterations, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const hash = await queue(() => derive(password, salt, iterations, HASH_BYTES, 'sha512'));
      return `pbkdf2-sha512$${iterations}$${salt.toString('base64')}$${hash.toString('base64')}`;
    },
    async matches(password, stored) {
      const { iterations, salt, hash } = stored === undefined ? decoy : parse(stored);
      const derived = await queue(() => derive(password, salt, iterations, hash.length, 'sha512'));
      return timingSafeEqual(derived, hash) && stored !== undefined;
    },
  };
}

interface Stored {
  iterations: number;
  salt: Buffer;
  hash: Buffer;
}

function parse(stored: string): Stored {
  const [, iterations, salt, hash] = /^pbkdf2-sha512\$(\d+)\$([\w+/=]+)\$([\w+/=]+)$/.exec(stored) ?? [];
  if (!iterations || !salt || !hash) throw new Error('A stored password hash has a form that is not known.');
  return { iterations: Number(iterations), salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

/** Runs at most `atOnce` pieces of work; others wait in order, beyond `mostWaiting` they are turned away before any work is done. */
function boundedQueue(atOnce: number, mostWaiting: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running++;
    else if (waiting.length < mostWaiting) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw new AppError('unavailable', 'Too many passwords are being checked. Try again.', { retryAfter: 3 });
    try {
      return await work();
    } finally {
      // the place goes straight to the next in line, so that nobody who comes in between can take it
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
