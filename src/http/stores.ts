import { MemoryStore } from './cache/store.ts';
import { Limits } from './limits/limits.ts';

type Log = Record<'warn', (details: object, message: string) => void>;

/**
 * Cached answers and the requests of each caller: in memory, or in the Redis at `url`, which API processes share.
 * @param platform tells the entries of platforms that use one Redis apart
 */
export async function openStores(url: string | undefined, platform: string, log: Log) {
  if (url === undefined) return { cache: new MemoryStore(), limits: new Limits() };
  // loads the client of Redis only where there is one, because it delays the start
  const { connectRedis, RedisStore } = await import('./cache/redis.ts');
  const { RedisUses } = await import('./limits/redis-uses.ts');
  const redis = connectRedis(url, log);
  return { cache: new RedisStore(redis, platform), limits: new Limits(new RedisUses(redis, platform)) };
}
