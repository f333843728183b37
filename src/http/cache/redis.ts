import { Redis } from 'ioredis';
import { CacheEntry, type CacheStore } from './store.ts';

/** Maximum length of a body in characters. */
const MAX_LENGTH = 8 * 2 ** 20;

/** Connects to a Redis that all API processes share. While it is unreachable, commands fail at once. */
export function connectRedis(url: string, log: { warn(details: object, message: string): void }): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: 100,
    connectTimeout: 2000,
    maxRetriesPerRequest: 1,
    retryStrategy: (tries) => Math.min(tries * 200, 5000),
  });
  let warned = false;
  redis.on('error', (error: Error) => {
    if (!warned)
      log.warn(
        { reason: error.message },
        'Redis is unreachable; answers are not cached, and each process limits callers for itself',
      );
    warned = true;
  });
  redis.on('ready', () => {
    warned = false;
  });
  return redis;
}

/** A cache in Redis. While it is unreachable, nothing is cached, and requests do not wait for it. */
export class RedisStore implements CacheStore {
  readonly #redis: Redis;
  readonly #prefix: string;

  constructor(redis: Redis, platform: string) {
    this.#redis = redis;
    this.#prefix = `platform:${platform}:`;
  }

  async get(key: string): Promise<CacheEntry | undefined> {
    const text = await orUndefined(this.#redis.get(this.#prefix + key));
    if (!text) return undefined;
    try {
      return CacheEntry.parse(JSON.parse(text));
    } catch {
      // written by another version of the platform
      return undefined;
    }
  }

  async set(key: string, entry: CacheEntry, lifetimeMs: number): Promise<void> {
    if (entry.body.length > MAX_LENGTH) return;
    await orUndefined(this.#redis.set(this.#prefix + key, JSON.stringify(entry), 'PX', Math.max(lifetimeMs, 1)));
  }

  async extend(key: string, lifetimeMs: number): Promise<void> {
    await orUndefined(this.#redis.pexpire(this.#prefix + key, Math.max(lifetimeMs, 1)));
  }

  close(): void {
    this.#redis.disconnect();
  }
}

const orUndefined = <T>(answer: Promise<T>): Promise<T | undefined> => answer.catch(() => undefined);
