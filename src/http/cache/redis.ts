import { Redis } from 'ioredis';
import { z } from 'zod';
import type { CacheStore } from './store.ts';

const Kept = z.object({
  etag: z.string(),
  generation: z.number(),
  contentType: z.string(),
  body: z.string(),
  remade: z.boolean().optional(),
});
/** Longer answers are made anew. */
const LONGEST = 8 * 2 ** 20;

/** In a Redis that all API processes share, under the name of their platform. Without it every answer is made anew; requests never wait for it to come back. */
export function redisStore(
  url: string,
  platform: string,
  log: { warn(details: object, message: string): void },
): CacheStore {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: 100,
    connectTimeout: 2000,
    maxRetriesPerRequest: 1,
    retryStrategy: (tries) => Math.min(tries * 200, 5000),
  });
  const named = (key: string) => `platform:${platform}:${key}`;
  let told = false;
  redis.on('error', (error: Error) => {
    if (!told) log.warn({ reason: error.message }, 'the cache cannot be reached; answers are made anew');
    told = true;
  });
  redis.on('ready', () => {
    told = false;
  });
  const tried = async <T>(command: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await command();
    } catch {
      return undefined;
    }
  };
  return {
    async get(key) {
      const text = await tried(() => redis.get(named(key)));
      if (!text) return undefined;
      try {
        return Kept.parse(JSON.parse(text));
      } catch {
        // of another version of the platform
        return undefined;
      }
    },
    async set(key, kept, lifetimeMs) {
      if (kept.body.length > LONGEST) return;
      await tried(() => redis.set(named(key), JSON.stringify(kept), 'PX', Math.max(lifetimeMs, 1)));
    },
    async extend(key, lifetimeMs) {
      await tried(() => redis.pexpire(named(key), Math.max(lifetimeMs, 1)));
    },
    close() {
      redis.disconnect();
    },
  };
}
