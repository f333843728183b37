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
export function redisStore(redis: Redis, platform: string): CacheStore {
  const named = (key: string) => `platform:${platform}:${key}`;
  const orUndefined = async <T>(command: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await command();
    } catch {
      return undefined;
    }
  };
  return {
    async get(key) {
      const text = await orUndefined(() => redis.get(named(key)));
      if (!text) return undefined;
      try {
        return CacheEntry.parse(JSON.parse(text));
      } catch {
        // written by another version of the platform
        return undefined;
      }
    },
    async set(key, entry, lifetimeMs) {
      if (entry.body.length > MAX_LENGTH) return;
      await orUndefined(() => redis.set(named(key), JSON.stringify(entry), 'PX', Math.max(lifetimeMs, 1)));
    },
    async extend(key, lifetimeMs) {
      await orUndefined(() => redis.pexpire(named(key), Math.max(lifetimeMs, 1)));
    },
    close() {
      redis.disconnect();
    },
  };
}
